"""Which part of a long text is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks import Evidence, Node, ProvenanceGraph
from trail_callbacks.render.excerpt import around, both_ends, most_relevant, opening

WALL = "lorem ipsum dolor " * 500


def test_a_passage_is_shown_where_it_speaks_of_the_claim():
    shown = most_relevant(
        f"{WALL}The harbour counted 14,800 visitors. {WALL}", "The harbour counted 18,400 visitors.", 120
    )
    assert "The harbour counted 14,800 visitors." in shown
    assert shown.startswith("... ")
    assert shown.endswith(" ...")
    assert len(shown) <= 120


def test_rare_words_count_for_more():
    text = "the boat was in the harbour. " * 100 + "Xylander built it. " + "the boat was in the harbour. " * 100
    assert "Xylander" in most_relevant(text, "The boat in the harbour was built by Xylander.", 100)


def test_the_end_of_a_passage_can_be_what_tells():
    shown = most_relevant(f"{WALL}In all it was 1968.", "It was in 1986, in all.", 60)
    assert shown.endswith("In all it was 1968.")


def test_what_shares_no_word_shows_its_beginning():
    assert most_relevant(WALL, "\u6e2f", 60).startswith("lorem ipsum")
    assert most_relevant(WALL, "", 60).startswith("lorem ipsum")


def test_a_megabyte_without_a_blank_is_cut_too():
    assert len(most_relevant("x" * 2_000_000, "x", 80)) <= 80
    assert len(both_ends("x" * 2_000_000, 80)) <= 80


def test_both_ends_are_shown():
    shown = both_ends(f"It opened {WALL}and closed.", 60)
    assert shown.startswith("It opened")
    assert shown.endswith("and closed.")
    assert " ... " in shown


def test_an_opening_is_found_behind_a_wall_of_blanks():
    assert opening("\n" * 100 + "It opened.", 40) == "It opened."
    assert opening("It  opened.\n\n\tIt closed.", 40) == "It opened. It closed."
    assert opening("word " * 10_000, 40).endswith("...")
    assert opening("It opened. " + " " * 10_000, 40) == "It opened."
    assert opening("It opened. " + " " * 10_000 + "More.", 40) == "It opened. ..."


@pytest.mark.parametrize("cut", [both_ends, opening, lambda text, limit: most_relevant(text, "a 1 \u6e2f", limit)])
@given(text=st.text(alphabet="ab1 \n\u6e2f", max_size=300), limit=st.integers(20, 80))
def test_what_is_cut_fits_and_stands_in_the_text(cut, text, limit):
    shown = cut(text, limit)
    assert len(shown) <= limit
    flat = "".join(text.split())
    assert all("".join(part.split()) in flat for part in shown.split("..."))


@given(st.text(max_size=200), st.integers(0, 200), st.integers(0, 200), st.integers(1, 40))
def test_context_is_short_and_stands_beside_the_quote(text, a, b, room):
    start, end = sorted((min(a, len(text)), min(b, len(text))))
    graph = ProvenanceGraph(nodes=(Node(id="d", kind="document", text=text),))
    item = Evidence(node_id="d", start=start, end=end, quote=text[start:end], relation="supports")
    before, after = around(item, graph, room)
    assert max(len(before), len(after)) <= room + 4
    flat = "".join(text.split())
    assert "".join(before.removeprefix("... ").split()) in flat
    assert "".join(after.removesuffix(" ...").split()) in flat
