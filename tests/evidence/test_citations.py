"""Citations of an answer: its marks, the sources they name, the claims they belong to; labels of shown sources."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks import Node, ProvenanceGraph
from trail_callbacks.claims import split
from trail_callbacks.evidence.labels import labelled
from trail_callbacks.evidence.library import Library, attach
from trail_callbacks.evidence.marks import marks, references


def named(answer):
    return [(mark.kind, mark.target) for mark in marks(answer)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It sails daily [1].", [("number", "1")]),
        ("It sails daily[12].", [("number", "12")]),
        ("It sails daily [1, 3].", [("number", "1"), ("number", "3")]),
        ("It sails daily [1][3].", [("number", "1"), ("number", "3")]),
        ("It sails daily [2-4].", [("number", "2"), ("number", "3"), ("number", "4")]),
        ("It sails daily [2\u20134; 7].", [("number", "2"), ("number", "3"), ("number", "4"), ("number", "7")]),
        ("It sails daily (Source 2).", [("number", "2")]),
        ("It sails daily (see sources 1 and 3).", [("number", "1"), ("number", "3")]),
        ("It sails daily [Document #3].", [("number", "3")]),
        ("It sails daily.\u00b9 It is blue.\u00b2\u00b3", [("number", "1"), ("number", "23")]),
        ("It sails daily.<sup>4</sup>", [("number", "4")]),
        ("It sails daily\u30102\u3011.", [("number", "2")]),
        ("It sails daily\u30103:1\u2020source\u3011.", [("number", "3")]),
        ("It sails daily\u30103:1\u2020ferry.md\u3011.", [("name", "ferry.md")]),
        ("It sails daily [^1] or [^note].", [("number", "1"), ("name", "note")]),
        ("It sails daily [ferry.md].", [("name", "ferry.md")]),
        ("It sails daily [docs/time table.pdf].", [("name", "docs/time table.pdf")]),
        ("It sails daily (source: ferry.md; pier.md).", [("name", "ferry.md"), ("name", "pier.md")]),
        ("It sails [daily](https://ferry.example/times).", [("link", "https://ferry.example/times")]),
        ("It sails daily: https://ferry.example/times.", [("link", "https://ferry.example/times")]),
        ("It sails daily <https://ferry.example>.", [("link", "https://ferry.example")]),
        ("It sails daily (Smith 2020).", [("work", "Smith 2020")]),
        ("It sails daily (Smith & Lee, 2020; O'Neil et al., 2019, p. 4).", [("work", "Smith & Lee, 2020"), ("work", "O'Neil et al., 2019, p. 4")]),
        ("\u00d6berg et al. (2019) timed it.", [("work", "\u00d6berg et al. 2019")]),
        ("\u6e21\u8f6e\u9700\u898140\u5206\u949f[1]\u3002", [("number", "1")]),
    ],
)  # fmt: skip
def test_every_notation_names_its_sources(answer, expected):
    assert named(answer) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "The deck has 40 m\u00b2.",
        "Call `rows[1]` or x[2].",
        "```python\nprint(rows[1])\n```",
        "~~~\nsee [1]\n~~~",
        "Built in the year [2020].",
        "It opened (May 2020) and closed (since 2021).",
        "See ![a picture](https://ferry.example/a.png).",
        "- [ ] open\n- [x] done",
        "The array is [1000, 2000].",
        "",
    ],
)
def test_what_only_looks_like_one_is_none(answer):
    assert named(answer) == []


def test_a_narrative_year_is_a_citation_only_if_a_source_has_that_name():
    assert [mark.certain for mark in marks("Lindqvist (2019) timed it. The Halden Bridge (1986) is old.")] == [
        False,
        False,
    ]


def test_the_list_of_references_is_read_and_is_no_citation_itself():
    answer = "It sails daily [1][^b].\n\nReferences\n1. Timetable, ferry.md\n2) Pier\n\n[^b]: https://pier.example"
    assert named(answer) == [("number", "1"), ("name", "b")]
    assert references(answer) == {"1": "Timetable, ferry.md", "2": "Pier", "b": "https://pier.example"}
    assert references("Steps:\n1. Go on board\n2. Sit down") == {}  # a list is no list of references


@given(st.text(alphabet="[](){}<>^\u3010\u3011\u2020 .,;:-1230ab\nSmith&`\u00b9\u00b2https/!|"))
def test_marks_lie_in_the_text_in_order(answer):
    found = list(marks(answer))
    assert all(0 <= mark.start < mark.end <= len(answer) and mark.target for mark in found)
    assert [mark.start for mark in found] == sorted(mark.start for mark in found)
    assert all(not re.fullmatch(r"\s*", answer[mark.start : mark.end]) for mark in found)


@pytest.mark.parametrize(
    "unit", ["[", "(", "[1,", "(Smith 2020; ", "\u3010", "`a", "<sup>", "[a.b ", "[1] a\n", "A and B, ", "http://a "]
)
def test_hostile_repetition_is_read_in_linear_time(unit):
    def seconds(size):
        text = unit * (size // len(unit))
        best = []
        for _ in range(3):
            start = time.process_time()
            list(marks(text))
            best.append(time.process_time() - start)
        return min(best)

    # 8 times the text; quadratic would be 64. Another thread may be busy in one of the rounds.
    assert any(seconds(160_000) < 24 * max(seconds(20_000), 0.002) for _ in range(3))


def document(id_, text, **attributes):
    run_id = attributes.pop("run_id", None)
    return Node(id=id_, kind="document", text=text, run_id=run_id, attributes=attributes)


def sources_of(answer, *nodes):
    """The texts that each mark of an answer names."""
    library = Library(nodes, answer)
    texts = {node.id: node.text for node in nodes}
    return [[texts[r.node_id][r.start : r.end].strip() for r in library.find(mark)] for mark in marks(answer)]


FERRY = document("d1", "The ferry takes 40 minutes.", source="docs/ferry.md", title="Ferry times")
PIER = document(
    "d2", "The pier is 90 metres long.", source="https://www.pier.example/about/", author="Ida Smith", year=2020
)


def test_a_number_counts_the_documents_in_order():
    assert sources_of("A [1]. B [2]. C [3]. D [0].", FERRY, PIER) == [[FERRY.text], [PIER.text], [], []]


def test_the_question_and_instructions_are_not_counted():
    question = Node(id="q", kind="question", text="How long?")
    prompt = Node(id="i", kind="instruction", text="Answer briefly.")
    assert sources_of("A [1].", question, prompt, FERRY) == [[FERRY.text]]


def test_numbers_that_the_sources_say_themselves_go_before_their_order():
    second = document("d1", "Source 2:\nThe pier is long.")
    first = document("d2", "Source 1:\nThe ferry is slow.")
    assert sources_of("A [1]. B (Source 2). C [3].", second, first) == [
        ["Source 1:\nThe ferry is slow."],
        ["Source 2:\nThe pier is long."],
        [],
    ]


def test_one_text_with_numbered_parts_is_cited_by_part():
    context = document("d1", "[1] The ferry is slow.\nIt is blue.\n\n[2] The pier is long.")
    assert sources_of("A [1]. B [2].", context) == [["[1] The ferry is slow.\nIt is blue."], ["[2] The pier is long."]]


def test_of_several_retrievals_no_number_is_guessed():
    nodes = document("d1", "One.", run_id="a"), document("d2", "Two.", run_id="b")
    assert sources_of("A [1].", *nodes) == [[]]


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
    assert sources_of(answer, PIER, FERRY) == [[FERRY.text]]


@pytest.mark.parametrize(
    "answer",
    ["A (Smith 2020).", "A (Smith et al., 2020).", "A [x](http://pier.example/about#top).", "Smith (2020) says A."],
)
def test_a_work_is_known_by_author_and_year_and_a_link_by_its_address(answer):
    assert sources_of(answer, FERRY, PIER) == [[PIER.text]]


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
    assert sources_of(answer, FERRY, PIER) == [[]]


def test_a_document_in_parts_is_cited_whole():
    parts = document("d1", "One.", source="a.md"), document("d2", "Two.", source="a.md")
    assert sources_of("A [a.md].", *parts) == [["One.", "Two."]]


SOURCES = ["The ferry takes 40 minutes.", "Tickets cost 12 euros.", "Dogs ride for free."]


def cited(answer, sources=SOURCES):
    """For each mark and claim: what is named, and the start of the claim's quote."""
    claims = split(answer)
    quotes = {claim.id: claim.quote for claim in claims}
    leaves = ProvenanceGraph.from_texts(answer, sources).leaves()
    return [(one.mark.target, " ".join(quotes[one.claim_id].split()[:2])) for one in attach(claims, answer, leaves)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The ferry takes 40 minutes [1]. It is blue.", [("1", "The ferry")]),
        ("The ferry takes 40 minutes. [1] It is blue. [2]", [("1", "The ferry"), ("2", "It is")]),
        ("The ferry takes 40 minutes.\u00b9 It is blue.\u00b2", [("1", "The ferry"), ("2", "It is")]),
        ("The ferry takes 40 minutes [1], and dogs pay 3 euros [3].", [("1", "The ferry"), ("3", "dogs pay")]),
        ("The ferry takes 40 minutes, and dogs pay 3 euros [1][3].", [("1", "The ferry"), ("3", "The ferry"), ("1", "dogs pay"), ("3", "dogs pay")]),
        ("According to [2], tickets cost 12 euros. It is blue.", [("2", "According to")]),
        ("[2] says that tickets cost 12 euros.", [("2", "[2] says")]),
        ("- Dogs ride free [3]\n- Tickets cost 12 euros [2]", [("3", "Dogs ride"), ("2", "Tickets cost")]),
        ("| Item | Price |\n|---|---|\n| Ferry | 12 [2] |\n| Dog | 0 [3] |", [("2", "| Ferry"), ("3", "| Dog")]),
        ("The ferry takes 40 minutes.\n[1]\n\nIt is blue.", [("1", "The ferry")]),
        ("The ferry takes 40 minutes. [times](https://a.example) It is blue.", [("https://a.example", "The ferry")]),
        ("Is it free? [1]", []),
    ],
)  # fmt: skip
def test_a_mark_belongs_to_what_stands_before_it_in_its_sentence(answer, expected):
    checkable = [one for one in cited(answer) if not one[1].startswith("Is it")]
    assert checkable == expected


def test_a_narrative_year_without_a_source_is_left_out():
    assert cited("Lindqvist (2019) timed the ferry.") == []
    assert cited("Lindqvist (2019) timed the ferry.", ["P. Lindqvist, 2019: timing."]) == [
        ("Lindqvist 2019", "Lindqvist (2019)")
    ]


def test_an_answer_without_claims_or_marks_has_none():
    assert cited("") == []
    assert cited("The ferry takes 40 minutes.") == []


def parts(text):
    return [(part.label, text[part.body : part.end].strip()) for part in labelled(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1] One.\n[2] Two.\nTwo goes on.", [("1", "One."), ("2", "Two.\nTwo goes on.")]),
        ("Source 1:\nOne.\n\nSource 2:\nTwo.", [("1", "One."), ("2", "Two.")]),
        ("Document [1]: One.\nDocument [2]: Two.", [("1", "One."), ("2", "Two.")]),
        ("\u30101\u2020ferry.md\u3011One.\n\u30102\u2020pier.md\u3011Two.", [("1", "One."), ("2", "Two.")]),
        ("Answer from [1] One.\n[2] Two.", [("1", "One."), ("2", "Two.")]),
        ("It was so.[3] And so [4].", []),
        ("Document your code.", []),
        ("", []),
    ],
)
def test_each_part_reaches_to_the_next_label(text, expected):
    assert parts(text) == expected
