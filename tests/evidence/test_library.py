"""Which source a mark names."""

import pytest

from trail_callbacks import Node
from trail_callbacks.evidence.library import Library
from trail_callbacks.evidence.marks import marks


def document(id_, text, **attributes):
    run_id = attributes.pop("run_id", None)
    return Node(id=id_, kind="document", text=text, run_id=run_id, attributes=attributes)


def cited(answer, *nodes):
    """The texts that each mark of an answer names."""
    library = Library(nodes, answer)
    texts = {node.id: node.text for node in nodes}
    return [[texts[r.node_id][r.start : r.end].strip() for r in library.find(mark)] for mark in marks(answer)]


FERRY = document("d1", "The ferry takes 40 minutes.", source="docs/ferry.md", title="Ferry times")
PIER = document(
    "d2", "The pier is 90 metres long.", source="https://www.pier.example/about/", author="Ida Smith", year=2020
)


def test_a_number_counts_the_documents_in_order():
    assert cited("A [1]. B [2]. C [3]. D [0].", FERRY, PIER) == [[FERRY.text], [PIER.text], [], []]


def test_the_question_and_instructions_are_not_counted():
    question = Node(id="q", kind="question", text="How long?")
    prompt = Node(id="i", kind="instruction", text="Answer briefly.")
    assert cited("A [1].", question, prompt, FERRY) == [[FERRY.text]]


def test_numbers_that_the_sources_say_themselves_go_before_their_order():
    second = document("d1", "Source 2:\nThe pier is long.")
    first = document("d2", "Source 1:\nThe ferry is slow.")
    assert cited("A [1]. B (Source 2). C [3].", second, first) == [
        ["Source 1:\nThe ferry is slow."],
        ["Source 2:\nThe pier is long."],
        [],
    ]


def test_one_text_with_numbered_parts_is_cited_by_part():
    context = document("d1", "[1] The ferry is slow.\nIt is blue.\n\n[2] The pier is long.")
    assert cited("A [1]. B [2].", context) == [["[1] The ferry is slow.\nIt is blue."], ["[2] The pier is long."]]


def test_of_several_retrievals_no_number_is_guessed():
    nodes = document("d1", "One.", run_id="a"), document("d2", "Two.", run_id="b")
    assert cited("A [1].", *nodes) == [[]]


@pytest.mark.parametrize(
    "answer",
    [
        "A [ferry.md].",
        "A [docs/ferry.md].",
        "A (source: Ferry Times).",
        "A (source: d1).",
        "A [the times](docs/ferry.md).",
        "A [^1].\n\n[^1]: Ferry times, municipal archive",
        "A [1].\n\nSources:\n[1] docs/ferry.md, page 3",
    ],
)
def test_a_name_is_a_file_a_title_or_an_id(answer):
    assert cited(answer, PIER, FERRY) == [[FERRY.text]]


@pytest.mark.parametrize(
    "answer",
    ["A (Smith 2020).", "A (Smith et al., 2020).", "A [x](http://pier.example/about#top).", "Smith (2020) says A."],
)
def test_a_work_is_known_by_author_and_year_and_a_link_by_its_address(answer):
    assert cited(answer, FERRY, PIER) == [[PIER.text]]


@pytest.mark.parametrize(
    "answer",
    [
        "A (Smith 2019).",
        "A [pier.md].",
        "A [x](https://pier.example/other).",
        "A [1].\n\nReferences\n[1] Jones, A history of ferries",  # a list that names no source outranks the order
    ],
)
def test_what_no_source_is_called_is_unknown(answer):
    assert cited(answer, FERRY, PIER) == [[]]


def test_a_document_in_parts_is_cited_whole():
    parts = document("d1", "One.", source="a.md"), document("d2", "Two.", source="a.md")
    assert cited("A [a.md].", *parts) == [["One.", "Two."]]
