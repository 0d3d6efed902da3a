from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.capture.match import Match, Text, TextIndex, longest_first, overlap

WORDS = [
    f"{a}{b}"
    for a in ("oak", "elm", "ash", "yew", "fir", "bay", "box", "may")
    for b in ("en", "ing", "let", "ow", "ite")
]
prose = st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map(" ".join)


def test_whole_text_between_word_boundaries():
    match = overlap(Text("the oak"), Text("Beside the oak, not the oaks; the oak."))
    assert match.whole
    assert match.spans == ((7, 14), (30, 37))


def test_no_word_is_cut_in_two():
    assert overlap(Text("oak"), Text("cloaked oaken")) is None


def test_escapes_of_json_and_repr_do_not_hide_text():
    source = 'The keeper\'s "log"\nsays: caf\u00e9 closed'
    match = overlap(Text(source), Text(repr([source])))
    assert match.coverage == 1.0
    assert overlap(Text("the caf\u00e9 tower was finished"), Text('{"x": "The caf\\u00e9 tower was finished"}')).whole


@given(prose, prose, prose)
def test_what_stands_whole_in_a_text_is_found_with_true_spans(before, source, after):
    target = f"{before}. {source}. {after}"
    match = overlap(Text(source), Text(target))
    assert match.whole
    assert match.coverage == 1.0
    assert any(target[start:end] == source for start, end in match.spans)


@given(st.lists(st.sampled_from(WORDS), min_size=30, max_size=60, unique_by=None), st.integers(0, 17), prose, prose)
def test_twelve_shared_words_are_always_found(words, at, before, after):
    """The promise of winnowing, kept without any shared line, sentence or whole text."""
    numbered = [f"{word}{i}" for i, word in enumerate(words)]
    index = TextIndex()
    source = index.text(" ".join(numbered))
    index.add(source)
    target = f"{before} {' '.join(numbered[at : at + 12])} {after}"
    assert source in index.find(index.text(target))


def test_boilerplate_that_everybody_shares_finds_nobody():
    index = TextIndex()
    for n in range(100):
        index.add(index.text(f"Context information is below. Document number {n} of the archive box {n}"))
    assert index.find(index.text("Context information is below. Nothing else is new here at all")) == {}


def test_the_longer_match_swallows_the_shorter():
    target = Text("in the spring the miller planted an oak and in the autumn the miller planted an elm")
    whole, part = Text("in the spring the miller planted an oak and in the autumn"), Text("the miller planted an oak")
    found = [(object(), overlap(part, target)), (object(), overlap(whole, target))]
    assert list(longest_first(found)) == [1]


def test_a_book_is_searched_as_a_page_is():
    book = " ".join(f"{word}{n}" for n in range(3000) for word in ("ox", "ram"))
    page = " ".join(f"{word}{n}" for n in range(900, 960) for word in ("ox", "ram"))
    match = overlap(Text(book), Text(f"so it says: {page} and then?"))
    assert match.coverage == 120 / 6000
    assert len(match.spans) == 1
    assert overlap(Text(book), Text("nothing of the sort stands in here at all")) is None


@given(st.lists(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 20)), min_size=1, max_size=4), max_size=8))
def test_each_part_goes_to_the_longest_match_that_is_mostly_its_own(found):
    matches = [(None, Match(1.0, tuple((a, a + n) for a, n in spans), whole=False)) for spans in found]
    claims = sorted(((b - a, -i, a, b) for i, (_, match) in enumerate(matches) for a, b in match.spans), reverse=True)
    taken, own = [], {}
    for length, index, start, end in claims:  # the rule, word for word
        lost = sum(max(0, min(end, b) - max(start, a)) for a, b in taken)
        if lost * 2 <= length:
            taken.append((start, end))
            own[-index] = (*own.get(-index, ()), (start, end))
    assert longest_first(matches) == own
