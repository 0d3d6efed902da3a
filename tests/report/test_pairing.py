"""Statements are paired one to one, always the same way, and fast."""

from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.report.comparison import normalised, pair

statements = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.lists(
            st.sampled_from(
                ["the", "tower", "bridge", "opened", "closed", "in", "1874", "1.5", "not", "港口", "عدد", "!!!"]
            ),
            max_size=6,
        ).map(" ".join),
    ),
    max_size=8,
)


def found(old, new):
    return [(match.old, match.new, round(match.likeness, 2)) for match in pair(old, new)]


def test_what_does_not_change_a_statement():
    assert normalised(" It\u2019s  \u201cHERE\u201d.\n") == 'it\'s "here"'
    assert normalised("cafe\u0301") == normalised("caf\u00e9")
    assert normalised("10\u00b2") != normalised("102")
    assert normalised("It is -5.") != normalised("It is 5.")


def test_the_most_alike_win_and_the_rest_find_others():
    old = ["The red boat is ten metres long.", "The blue boat is ten metres long."]
    new = ["The blue boat is nine metres long.", "The red boat is ten metres tall."]
    assert found(old, new) == [(1, 0, 0.86), (0, 1, 0.86)]


@given(statements, statements)
def test_no_statement_is_in_two_pairs_and_equal_ones_are_never_left(old, new):
    matches = pair(old, new)
    assert [match.new for match in matches] == sorted({match.new for match in matches})
    assert len({match.old for match in matches}) == len(matches)
    assert all(0.7 <= match.likeness <= 1.0 for match in matches)
    assert matches == pair(old, new)
    left = {normalised(text) for i, text in enumerate(old) if i not in {match.old for match in matches}}
    assert not left & {normalised(text) for j, text in enumerate(new) if j not in {match.new for match in matches}}


def test_of_thousands_that_share_their_words_those_near_one_another_are_compared(monkeypatch):
    monkeypatch.setattr("trail_callbacks.report.comparison._PAIRS", 2_000)
    old = [f"The boat of line {i} takes {i % 7} minutes to cross." for i in range(200)]
    new = [text.replace("boat", "ship") for text in old]
    assert [(match.old, match.new) for match in pair(old, new)] == [(i, i) for i in range(200)]
