r"""Structured answers, read field by field: paths, texts, spans, free text, and what is no statement."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.claims import abstains, split
from trail_callbacks.splitting.fields import structure
from trail_callbacks.splitting.json_fields import regions

INVOICE = {
    "invoice": {"number": "4711", "total": 99.5, "isPaid": False, "due_date": None, "note": "", "tags": []},
    "items": [
        {"name": "desk lamp", "price": 12.5, "colours": ["red", "blue"]},
        {"sku": "B 2", "price": 40, "parts": {"screw_count": 8}},
    ],
}
TEXTS = {
    "invoice.number": "invoice number: 4711",
    "invoice.total": "invoice total: 99.5",
    "invoice.isPaid": "invoice is paid: false",
    "items[0].name": "items: desk lamp",
    "items[0].price": "desk lamp, items price: 12.5",
    "items[0].colours[0]": "desk lamp, items colours: red",
    "items[0].colours[1]": "desk lamp, items colours: blue",
    "items[1].sku": "items: B 2",
    "items[1].price": "B 2, items price: 40",
    "items[1].parts.screw_count": "B 2, items parts screw count: 8",
}
QUESTION = "What is on the invoice?"


def read(answer, question=None):
    claims = split(answer, question)
    assert all(claim.quote == answer[claim.start : claim.end] for claim in claims)
    assert [claim.id for claim in claims] == [f"c{n}" for n in range(1, len(claims) + 1)]
    assert [claim.start for claim in claims] == sorted(claim.start for claim in claims)
    return claims


def texts(answer, question=None):
    return {claim.path: claim.text for claim in read(answer, question)}


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps(INVOICE),
        json.dumps(INVOICE, indent=2),
        json.dumps(INVOICE, indent="\t", separators=(",", ":")),
        f"```json\n{json.dumps(INVOICE, indent=2)}\n```",
        f"```\n{json.dumps(INVOICE)}\n```",
        f"~~~JSON\n{json.dumps(INVOICE)}\n~~~\n",
        f"\n\n{json.dumps(INVOICE)}\n",
        str(INVOICE),
    ],
    ids=["line", "indented", "tabs", "fence", "bare fence", "tildes", "blanks", "python"],
)
def test_each_value_is_a_claim_with_its_path_however_it_is_written(answer):
    assert texts(answer, QUESTION) == TEXTS


def test_prose_around_json_is_prose():
    answer = f"Here is what I found.\n\n```json\n{json.dumps({'price': 3})}\n```\nThe mill is 30 m high. It is old."
    assert [(claim.path, claim.text) for claim in read(answer) if claim.checkable] == [
        ("price", "price: 3"),
        ("", "The mill is 30 m high."),
        ("", "The mill is old."),
    ]
    assert texts('Result: {"price": 3}') == {"price": "price: 3"}


def test_json_lines_and_arrays_count_their_records():
    lines = '{"name": "lamp", "price": 3}\n{"name": "chair", "price": 4}\n'
    assert list(texts(lines)) == ["[0].name", "[0].price", "[1].name", "[1].price"]
    assert texts(lines)["[1].price"] == "chair, price: 4"
    assert texts('[{"name": "lamp", "price": 3}]')["[0].price"] == "lamp, price: 3"
    assert list(texts("[12, 13]", "How many?").values()) == ["How many? 12", "How many? 13"]


def test_what_stands_in_a_sentence_or_in_code_is_no_structured_answer():
    for answer in (
        'Write {"a": 1} into the file.',
        '```python\n{"a": 1}\n```\nThe mill is old.',
        "The mill is old [1].\n[1] The mill was rebuilt.",
        "[2024-05-01] The mill was rebuilt.",
    ):
        assert structure(answer) is None, answer


def test_free_text_is_split_within_its_field_and_fragments_are_not():
    answer = json.dumps(
        {"summary": "The ferry takes 53 minutes. It runs daily.", "company": "Acme Inc.", "mark": "v. 2"}
    )
    assert [(claim.path, claim.text) for claim in read(answer, QUESTION)] == [
        ("summary", "The ferry takes 53 minutes."),
        ("summary", "The ferry runs daily."),
        ("company", "company: Acme Inc."),
        ("mark", "mark: v. 2"),
    ]


def test_spans_are_verbatim_and_texts_are_what_is_meant():
    answer = r'{"name": "Fl\u00f8yen", "says": "The caf\u00e9 \ud83d\ude00 is \"open\".\nIt seats 40 people.", "odd": "\ud800 x"}'
    claims = read(answer)
    assert [(claim.text, claim.quote) for claim in claims] == [
        ("name: Fløyen", r"Fl\u00f8yen"),
        ('The café 😀 is "open".', r"The caf\u00e9 \ud83d\ude00 is \"open\"."),
        ("It seats 40 people.", "It seats 40 people."),
        ("Fløyen, odd: \ufffd x", r"\ud800 x"),
    ]


def test_what_states_nothing():
    nothing = {"a": None, "b": "", "c": " ", "d": [], "e": {}, "f": "-", "g": "…"}
    assert read(json.dumps(nothing)) == ()
    listed = {
        "population": "not stated",
        "source": "page 3",
        "citations": ["a.pdf"],
        "confidence": 0.9,
        "next": "More?",
    }
    assert [claim.checkable for claim in read(json.dumps(listed))] == [False] * 5


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"answer": "I do not know.", "confidence": 0.1}, True),
        ({"population": "unknown", "area": None}, True),
        ({"answer": "I do not know.", "population": 7}, False),
        ({"answer": None}, False),
    ],
)
def test_an_object_abstains_if_a_field_declines_and_none_states_anything(answer, expected):
    assert abstains(json.dumps(answer)) is expected


def test_the_question_goes_to_what_has_no_name_and_not_to_the_first_field():
    assert texts('{"answer": "42", "unit": "kg"}', "How heavy is it?") == {
        "answer": "How heavy is it? 42",
        "unit": "unit: kg",
    }
    assert texts('{"number": "42"}', "How heavy is it?") == {"number": "number: 42"}
    assert texts('["Oslo", "Bergen"]', "Which cities?") == {"[0]": "Which cities? Oslo", "[1]": "Which cities? Bergen"}
    steps = {"steps": "Open it\nTurn the key twice and wait for the light to go out before you leave."}
    assert not any(text.startswith("How") for text in texts(json.dumps(steps), "How do I lock it?").values())


def test_cut_off_json_is_read_as_far_as_it_goes_and_broken_json_is_prose():
    assert [claim.text for claim in read('{"height": 30, "says": "The mill is')] == ["height: 30", "says: The mill is"]
    broken = '{"height": 30, "age": unknown}'
    assert structure(broken) is None
    assert [claim.quote for claim in read(broken)] == [broken]


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_nesting_of_any_depth_is_no_recursion(opening):
    answer = opening * 2_000 + "1"
    assert sys.getrecursionlimit() < 2_000
    read(answer)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


def leaves(value, path=()):
    if isinstance(value, dict | list):
        for step, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(each, (*path, step))
    else:
        yield path, value


@given(
    VALUES,
    st.booleans(),
    st.sampled_from([None, 2]),
    st.sampled_from(["", "Here it is:\n", "```json\n"]),
)
def test_any_json_gives_verbatim_quotes(value, ascii_only, indent, before):
    read(before + json.dumps(value, ensure_ascii=ascii_only, indent=indent), QUESTION)


@given(st.dictionaries(st.text(max_size=8), VALUES, min_size=1, max_size=4), st.sampled_from([None, 1, 4]))
def test_single_values_are_those_that_a_parser_finds(value, indent):
    text = json.dumps(value, indent=indent)
    found = [
        (tuple(json.loads(f'"{step}"') if isinstance(step, str) else step for step in each.steps[1:]), each)
        for region in regions(text, single=True)
        for each in region.fields
    ]
    assert [(path, json.loads(text[each.value : each.end])) for path, each in found] == list(leaves(value))
