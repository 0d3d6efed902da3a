"""Windows over long answers."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.judges.llm.windows import cut


@given(st.text(alphabet="ab. \n!?é。", max_size=400), st.integers(1, 60))
def test_windows_cover_every_word_once_and_in_order(text, longest):
    windows = cut(text, 0, len(text), longest)
    assert all(a < b for a, b in windows)
    assert all(first[1] <= second[0] for first, second in pairwise(windows))
    assert "".join("".join(text[a:b] for a, b in windows).split()) == "".join(text.split())
