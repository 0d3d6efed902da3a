from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.evidence import Passage, passages
from trail_callbacks.graph import Node
from trail_callbacks.judges.encoder.chunks import chunks, statements


def words(text):
    return len(text.split())


def characters(text):
    return len(text)


def read(*texts):
    found = []
    for n, text in enumerate(texts):
        node = Node(id=f"d{n}", kind="document", text=text, step="source")
        found += passages(node, (f"s{n}-{i}" for i in range(10_000)))
    return found


def test_sentences_are_read_in_the_order_of_their_text_however_they_are_given():
    found = read("One is here. Two is here. Three is here.", "Four is there. Five is there.")
    given_ = [found[i] for i in (2, 4, 0, 3, 1)]
    (first, second) = chunks(statements(given_), 100, words)
    assert first.text.splitlines() == ["One is here.", "Two is here.", "Three is here."]
    assert second.text.splitlines() == ["Four is there.", "Five is there."]


def test_a_sentence_that_was_given_twice_is_read_once_and_a_question_never():
    found = read("It is blue. Is it green? It is red.")
    (only,) = chunks(statements([*found, *found]), 100, words)
    assert [p.text for p in only.passages] == ["It is blue.", "It is red."]


def test_a_sentence_without_its_neighbours_is_read_with_what_stands_before_it():
    found = read("Ferry timetable of the island\n\nThe ferry is old. It takes 40 minutes. It has a bar. It sinks.")
    (only,) = chunks(statements([found[2], found[4]]), 100, words)
    assert only.text.splitlines() == [
        "Ferry timetable of the island", "The ferry is old.", "It takes 40 minutes.", "It has a bar.", "It sinks.",
    ]  # fmt: skip
    assert [p.text for p in only.passages] == ["It takes 40 minutes.", "It sinks."]


def test_the_title_goes_first_where_there_is_no_room():
    found = read("A title of five words\n\nThe ferry is old. It takes 40 minutes.")
    (only,) = chunks(statements([found[2]]), 14, words)
    assert only.text.splitlines() == ["The ferry is old.", "It takes 40 minutes."]


def test_a_row_is_read_under_the_names_of_its_columns_and_cited_as_it_stands():
    table = "| name | price |\n| --- | --- |\n| tea | 3 |\n| coffee | 4 |\n"
    found = [p for p in read(table) if p.address == "row 2"]
    (only,) = chunks(statements(found), 100, words)
    assert "name: coffee; price: 4" in only.text
    assert only.passages[0].text == "| coffee | 4 |"


def test_sources_share_a_chunk_only_where_that_is_wanted():
    found = statements(read("One is here.", "Two is there."))
    assert [c.texts for c in chunks(found, 100, words)] == [("One is here.",), ("Two is there.",)]
    assert [c.texts for c in chunks(found, 100, words, across=True)] == [("One is here.", "Two is there.")]


def test_what_is_written_beside_each_source_takes_room():
    found = statements(read("One is here.", "Two is there."))
    assert len(chunks(found, 10, words, across=True)) == 1
    assert len(chunks(found, 12, words, across=True, each=4)) == 2


@given(
    st.lists(st.text(alphabet="ab .\n\U0001f600é", min_size=1, max_size=90), min_size=1, max_size=4),
    st.integers(min_value=5, max_value=60),
    st.booleans(),
)
def test_nothing_is_lost_everything_is_verbatim_and_no_chunk_is_too_long(texts, limit, across):
    found = statements(read(*texts))
    sources = {f"d{n}": text for n, text in enumerate(texts)}
    packed = chunks(found, limit, characters, across=across)
    parts = [part for chunk in packed for part in chunk.passages]
    assert all(sources[p.node_id][p.start : p.end] == p.text for p in parts)
    assert all(len(line) <= limit for chunk in packed for line in chunk.text.splitlines())
    kept = {(p.node_id, at) for p in parts for at in range(p.start, p.end)}
    wanted = {(p.node_id, at) for p in found for at in range(p.start, p.end) if not sources[p.node_id][at].isspace()}
    assert wanted <= kept
    assert across or all(len({p.node_id for p in chunk.passages}) == 1 for chunk in packed)


def test_a_word_that_is_longer_than_a_chunk_is_cut():
    long = Passage(id="s1", node_id="d", start=7, end=1007, text="x" * 1000)
    parts = [part for chunk in chunks([long], 130, characters) for part in chunk.passages]
    assert "".join(part.text for part in parts) == "x" * 1000
    assert parts[0].start == 7
    assert parts[-1].end == 1007
