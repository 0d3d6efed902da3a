import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.models.tokens import count


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("The bridge opened in 1932.", 6, 9),
        ("internationalization", 3, 7),  # a long word comes apart
        ("Überschallgeschwindigkeit", 6, 14),  # and one with accents more so
        ("橋は1932年に開通した。", 10, 16),
        ("1,234,567.89", 5, 13),
        ("\n\n\n", 0, 2),
    ],
)
def test_an_estimate_is_near_what_tokenizers_count(text, least, most):
    assert least <= count(text) <= most


@given(st.text(max_size=200), st.text(max_size=200))
def test_two_texts_cost_what_each_costs(a, b):
    assert abs(count(f"{a}\n{b}") - count(a) - count(b)) <= 3
