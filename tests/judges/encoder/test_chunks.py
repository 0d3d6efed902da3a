from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.evidence import whole
from trail_callbacks.graph import Node
from trail_callbacks.judges.encoder.inference import chunks, statements


def words(text):
    return len(text.split())


def characters(text):
    return len(text)


def read(*texts):
    found = []
    for n, text in enumerate(texts):
        node = Node(id=f"d{n}", kind="document", text=text, step="source")
        found += (replace(each, id=f"{each.id}-{n}") for each in whole([node], context=True))
    return found


def test_sentences_are_read_in_the_order_of_their_text_however_they_are_given():
    found = read("One is here. Two is here. Three is here.", "Four is there. Five is there.")
    given_ = [found[i] for i in (2, 4, 0, 3, 1)]
    (first, second) = chunks(statements(given_), 100, words)
    assert first.text.splitlines() == ["One is here.", "Two is here.", "Three is here."]
    assert second.text.splitlines() == ["Four is there.", "Five is there."]


def test_a_sentence_without_its_neighbours_is_read_with_what_stands_before_it():
    found = read("Ferry timetable of the island\n\nThe ferry is old. It takes 40 minutes. It has a bar. It sinks.")
    (only,) = chunks(statements([found[2], found[4]]), 100, words)
    assert only.text.splitlines() == [
        "Ferry timetable of the island", "The ferry is old.", "It takes 40 minutes.", "It has a bar.", "It sinks.",
    ]  # fmt: skip
    assert [p.text for p in only.passages] == ["It takes 40 minutes.", "It sinks."]


def test_a_row_is_read_under_the_names_of_its_columns_and_cited_as_it_stands():
    table = "| name | price |\n| --- | --- |\n| tea | 3 |\n| coffee | 4 |\n"
    found = [p for p in read(table) if p.address == "row 2"]
    (only,) = chunks(statements(found), 100, words)
    assert "name: coffee; price: 4" in only.text
    assert only.passages[0].text == "| coffee | 4 |"


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
