"""LlamaIndex values as texts: what is read, what is left alone, and that a snapshot stays as it was taken."""

import asyncio
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from llama_index.core import QueryBundle
from llama_index.core.base.llms.types import ImageBlock, TextBlock, ThinkingBlock, ToolCallBlock
from llama_index.core.base.response.schema import PydanticResponse, Response
from llama_index.core.llms import ChatMessage, ChatResponse, CompletionResponse
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.tools import ToolOutput
from llama_index.core.workflow import Event, StartEvent, StopEvent, Workflow, step
from llama_index_trail import trail
from llama_index_trail.messages import message, reply
from llama_index_trail.pieces import answer_of, bounded, prompt_of
from llama_index_trail.records import pieces
from pydantic import BaseModel

from trail_callbacks.capture.events import CUT

SLUICE = "The sluice at Ommen opens at dusk."


def texts(value: Any) -> list[str]:
    return [raw.text for raw in answer_of(value)]


@pytest.mark.parametrize(
    ("value", "role"),
    [("user", "user"), ("system", "system"), ("developer", "system"), ("assistant", "assistant"), ("tool", "tool")],
)
def test_roles(value, role):
    assert message(ChatMessage(role=value, content="x"), ()).role == role


def test_messages_show_what_is_no_text_and_hide_reasoning():
    blocks = [ThinkingBlock(content="hm"), TextBlock(text="Look:"), ImageBlock(url="https://x.example/y.png")]
    raw = message(ChatMessage(role="user", blocks=blocks), ())
    assert raw.text == "Look:\n[image]"


def test_a_tool_message_names_the_call_it_answers():
    raw = message(ChatMessage(role="tool", content="7", additional_kwargs={"tool_call_id": "c1"}), ())
    assert (raw.role, raw.call_id) == ("tool", "c1")


def test_calls_of_every_shape_are_shown_with_their_arguments():
    function = SimpleNamespace(name="tide", arguments='{"day": "Tuesday"}')
    shapes = [
        ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_call_id="c1", tool_name="tide", tool_kwargs={"day": "Tuesday"})]),
        ChatMessage(role="assistant", additional_kwargs={"tool_calls": [SimpleNamespace(id="c1", function=function)]}),
        ChatMessage(role="assistant", additional_kwargs={"tool_calls": [{"id": "c1", "name": "tide", "input": {"day": "Tuesday"}}]}),
    ]  # fmt: skip
    for each in shapes:
        said, call = reply(ChatResponse(message=each))
        assert said.text == call.text == 'tide({"day": "Tuesday"})'
        assert (call.form, call.call_id) == ("tool_call", "c1")
        assert message(each, ()).text == said.text


def test_what_a_model_reads_in_every_way_of_passing_it():
    assert [raw.text for raw in prompt_of({"prompt": "p"})] == ["p"]
    assert [raw.text for raw in prompt_of({"args": ("p",), "kwargs": {"formatted": True}})] == ["p"]
    assert [raw.text for raw in prompt_of({"args": (), "kwargs": {"prompt": "p"}})] == ["p"]
    messages = [ChatMessage(role="system", content="s"), ChatMessage(role="user", content="u")]
    for arguments in ({"messages": messages}, {"args": (messages,)}, {"kwargs": {"messages": messages}}):
        assert [(raw.role, raw.text) for raw in prompt_of(arguments)] == [("system", "s"), ("user", "u")]
    assert prompt_of({}) == []


class Answer(BaseModel):
    text: str
    parts: list[str] = []


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("plain", ["plain"]),
        (Response("said", source_nodes=[NodeWithScore(node=TextNode(text=SLUICE))]), ["said"]),
        (Response(None), [""]),
        (PydanticResponse(Answer(text="t")), ['{"text":"t","parts":[]}']),
        (PydanticResponse(None), [""]),
        (CompletionResponse(text="c"), ["c"]),
        (ToolOutput(tool_name="t", content="out", raw_input={}, raw_output=object()), ["out"]),
        (StopEvent(result="end"), ["end"]),
        (StopEvent(result={"answer": "a", "notes": ["n", "m"]}), ["a", "n", "m"]),
        (None, []),
        (object(), []),
    ],
)
def test_what_components_return(result, expected):
    assert [raw.text for raw in answer_of(result)] == expected


class Ended(StopEvent):
    summary: str


class Given(Event):
    topics: list[str]


@dataclass
class Row:
    name: str
    left: Any = None


def test_events_and_data_of_the_app_are_read_field_by_field():
    assert texts(Given(topics=["a", "b"], extra="c")) == ["a", "b", "c"]
    assert texts(Ended(summary="s")) == ["s"]
    assert texts({"rows": [Row("r", left=3)], "model": Answer(text="t", parts=["p"])}) == ["r", "3", "t", "p"]


class Shelf(BaseRetriever):
    def _retrieve(self, query_bundle):
        return []


def test_parts_of_the_framework_flags_vectors_and_bytes_have_no_text(models):
    llm = models.Rules(rules=[])
    for value in (llm, Shelf(), True, b"bytes", [0.1] * 64, object(), lambda: None, Answer):
        assert texts(value) == []


def test_a_cycle_and_a_flood_are_cut():
    ring: list[Any] = ["x"]
    ring.append(ring)
    assert 1 <= len(texts(ring)) <= 10
    assert len(texts([str(n) for n in range(50_000)])) <= 4_001


@pytest.mark.parametrize("read", [answer_of, lambda value: bounded({"state": value}, "chain")])
def test_what_is_cut_says_so(read):
    def lacks(value):
        return sum(CUT in piece.attributes for piece in pieces(read(value)))

    assert not lacks([f"word {n}" for n in range(4_000)])
    assert lacks([f"word {n}" for n in range(4_001)]) == 1
    assert lacks({str(n): [f"word {n}"] * 10 for n in range(1_000)}) == 1
    assert lacks([NodeWithScore(node=TextNode(text=f"word {n}")) for n in range(4_001)]) == 1
    assert lacks([[[[[[["a word"]]]]]]]) == 1


def test_a_workflow_whose_state_is_cut_gives_no_clean_score():
    class Loaded(Event):
        corpus: list[str]

    class Village(Workflow):
        @step
        async def load(self, ev: StartEvent) -> Loaded:
            return Loaded(corpus=[f"The ledger says that {n} sacks of rye left the mill." for n in range(ev.texts)])

        @step
        async def answer(self, ev: Loaded) -> StopEvent:
            return StopEvent(result=ev.corpus[0])

    async def main(texts):
        return await Village(timeout=60).run(texts=texts)

    for texts, cut in ((10, False), (5_000, True)):
        with trail(evaluate="never", judge="local") as t:
            asyncio.run(main(texts))
        report = t.report
        said = any("more texts than the 4,000 that are recorded" in warning for warning in report.warnings)
        assert said == cut
        assert len(t.errors) == cut
        assert not cut or report.state in {"partial", "unverified", "no_evidence"}


def test_the_query_and_the_message_are_told_from_other_arguments():
    assert bounded({"str_or_query_bundle": "q"}, "chain")[0].path == ("query",)
    assert bounded({"query": QueryBundle("q"), "llm": "no", "ctx": "no"}, "chain") == bounded({"query": "q"}, "chain")
    (raw,) = bounded({"message": "m"}, "chain")
    assert (raw.form, raw.role) == ("message", "user")
    assert [(raw.path, raw.text) for raw in bounded({"kwargs": {"day": "Tuesday"}}, "tool")] == [(("day",), "Tuesday")]
