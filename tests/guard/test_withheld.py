"""Copies of a withheld text are found whatever they are made into; sources and inputs stay."""

import html
import json
from collections import deque
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import pytest
from langchain_core.documents import Document
from llama_index.core.schema import NodeWithScore, TextNode
from pydantic import BaseModel

from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.guard.withheld import Clearing, Withheld, read_texts

SOURCE = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543."
ASKED = "How high is the lighthouse of Genoa?"
FALSE = "The lighthouse of Genoa is 97 metres tall, said Quixodoro Vexx."
MESSAGE = "No."
CJK = "ジェノヴァの灯台の高さは九十七メートルです。"


@pytest.fixture
def withheld():
    return Withheld([FALSE], [SOURCE, ASKED], MESSAGE)


COPIES = {
    "itself": FALSE,
    "upper case": FALSE.upper(),
    "other spaces": "\n".join(FALSE.split()),
    "bold": FALSE.replace("97", "**97**"),
    "HTML": f"<p>{FALSE}</p>",
    "tags within": FALSE.replace("lighthouse", "<b>light</b>house"),
    "escaped HTML": html.escape(f"<i>{FALSE}</i> & more"),
    "JSON": json.dumps({"said": FALSE}),
    "JSON in JSON": json.dumps(json.dumps({"said": FALSE})),
    "escaped letters": "".join(f"\\u{ord(c):04x}" for c in FALSE),
    "full width": "".join(chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in FALSE),
    "a slug": "-".join(FALSE.lower().split()),
    "beginning": FALSE[:38] + "...",
    "within a text": f"Earlier I said that {FALSE} Was that right?",
    "the number": "97",
    "the number and its unit": "Height: 97 m",
    "the name": "Author: Vexx",
    "beside a source": f"{SOURCE} {FALSE}",
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_is_found(withheld, name):
    assert withheld.carried_by(COPIES[name])
    assert withheld.cleared({"here": [COPIES[name]]}) == {"here": [MESSAGE]}


@pytest.mark.parametrize(
    "text",
    [SOURCE, ASKED, f"{SOURCE}\n\n{SOURCE}", f"Context: {SOURCE}", "77", "en", "", "A ferry leaves at nine.", MESSAGE],
)
def test_a_source_an_input_and_other_texts_stay(withheld, text):
    value = {"here": [text], "at": (1, 2.5, None, True)}
    assert withheld.cleared(value) is value


@dataclass(frozen=True, slots=True)
class Card:
    text: str
    height: float


class Pair(NamedTuple):
    text: str
    height: int


class Tower(BaseModel):
    model_config = {"extra": "allow"}
    text: str
    inside: list[str] = []


class Plain:
    def __init__(self, text):
        self.text = text


SHAPES = {
    "dataclass": (Card(FALSE, 97.0), Card(MESSAGE, None)),
    "named tuple": (Pair(FALSE, 97), Pair(MESSAGE, None)),
    "model": (Tower(text="x", inside=[FALSE]), Tower(text="x", inside=[MESSAGE])),
    "extra field": (Tower(text="x", more=FALSE), Tower(text="x", more=MESSAGE)),
    "set": ({FALSE}, {MESSAGE}),
    "deque": (deque([FALSE]), deque([MESSAGE])),
    "key": ({FALSE: 1, "b": 2}, {"b": 2}),
    "bytes": ([FALSE.encode()], [None]),
    "document": (Document(FALSE, metadata={"page": 97}), Document(MESSAGE, metadata={"page": None})),
    "metadata of a source": (
        Document(SOURCE, metadata={"page": 97, "gist": FALSE}),
        Document(SOURCE, metadata={"page": 97, "gist": MESSAGE}),
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_it_is_taken_out_of_objects_which_are_not_changed(withheld, name):
    given, wanted = SHAPES[name]
    before = repr(given)
    assert withheld.cleared([given]) == [wanted]
    assert repr(given) == before


def test_a_retrieved_document_stays_as_it_is(withheld):
    for source in (
        Document(SOURCE, metadata={"page": 97}),
        NodeWithScore(node=TextNode(text=SOURCE, metadata={"page": 97}), score=0.5),
    ):
        assert withheld.cleared([source])[0] is source
    copied = withheld.cleared(NodeWithScore(node=TextNode(text=FALSE), score=0.5))
    assert copied.node.text == MESSAGE


def test_what_holds_itself_is_not_let_through(withheld):
    value = [FALSE]
    value.append(value)
    assert withheld.cleared(value) == [MESSAGE, None]


def test_numbers_in_any_spelling():
    withheld = Withheld(['It costs 1,250.50 euros, in forty-one shops: {"open": true}'], [], MESSAGE)
    assert withheld.cleared([1250.5, 41, 41.0, True, 42]) == [None, None, None, None, 42]


def test_a_script_without_spaces():
    withheld = Withheld([CJK], ["灯台は港にある。"], MESSAGE)
    assert withheld.carried_by(f"<p>{CJK}</p>")
    assert not withheld.carried_by("灯台は港にある。")


def test_huge_sources_are_compared_in_part_and_stay():
    source = f"{SOURCE} " * 60_000
    withheld = Withheld([FALSE], [source], MESSAGE)
    assert withheld.cleared([source, FALSE]) == [source, MESSAGE]


def test_what_models_wrote_is_no_source():
    nodes = [
        Node(id="d", kind="document", text=SOURCE, origin="retrieved"),
        Node(id="m", kind="document", text=FALSE, origin="model"),
    ]
    assert read_texts(ProvenanceGraph(nodes=nodes)) == [SOURCE]


TRUE = "The lighthouse of Genoa is 77 metres tall."
LIE = "The lighthouse of Genoa is 97 metres tall."
WITHHELD = Withheld([LIE], [TRUE], "No.")


def cleared(value, **options):
    return Clearing(WITHHELD, None, **options).of(value)


def test_what_is_read_only_once_is_not_let_through():
    assert cleared({"a": count(), "b": (word for word in ["fine"]), "c": 1}) == {"a": None, "b": None, "c": 1}


def test_what_stands_in_many_places_is_read_once():
    value = [LIE]
    for _ in range(25):  # 2 ** 25 paths lead to the text
        value = [value, value]
    out = cleared(value)
    for _ in range(25):
        assert out[0] is out[1]
        out = out[0]
    assert out == ["No."]


def test_a_function_goes_if_it_holds_the_text_and_stays_if_not():
    def holding(text):
        return lambda: text

    kept, gone = holding("Fine."), holding(LIE)
    assert cleared([kept, gone]) == [kept, None]
