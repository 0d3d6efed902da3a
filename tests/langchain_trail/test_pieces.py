"""What texts a payload holds, and that no payload breaks the walk."""

import dataclasses
import json
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.runnables import RunnableLambda
from langchain_trail.convert import Finished, Started, snapshot
from langchain_trail.pieces import message_text, pieces

from trail_callbacks.capture.events import RunEnded


def shown(payload, **options):
    return [(piece.path, piece.text) for piece in pieces(payload, **options)]


def test_leaves_carry_their_place_and_empty_ones_are_none():
    payload = {"q": "When?", "n": 3, "ok": True, "none": None, "blank": "", "deep": [{"x": 1.5}, ("y",)]}
    assert shown(payload) == [
        (("q",), "When?"),
        (("n",), "3"),
        (("ok",), "True"),
        (("deep", 0, "x"), "1.5"),
        (("deep", 1, 0), "y"),
    ]
    assert shown("plain") == [((), "plain")]
    assert shown(None) == []


def test_a_completion_that_only_calls_tools_shows_names_and_arguments():
    calls = [
        {"name": "find", "args": {"q": "caf\u00e9"}, "id": "c1"},
        {"name": "sum", "args": {"a": [1, 2]}, "id": "c2"},
    ]
    message, first, second = pieces(AIMessage("", tool_calls=calls, id="m1"))
    assert message.text == 'find({"q": "caf\u00e9"})\nsum({"a": [1, 2]})'
    assert (message.form, message.id, message.role, message.call_id) == ("message", "m1", "assistant", None)
    assert [(p.form, p.call_id, p.text) for p in (first, second)] == [
        ("tool_call", "c1", 'find({"q": "caf\u00e9"})'),
        ("tool_call", "c2", 'sum({"a": [1, 2]})'),
    ]
    said = pieces(AIMessage("Let me look.", tool_calls=calls[:1]), model=True)
    assert [piece.text for piece in said] == ['Let me look.\nfind({"q": "caf\u00e9"})'], "a model reads one message"


def test_roles_of_messages_and_their_shorthands():
    given = [
        SystemMessage("s"),
        HumanMessage("h"),
        AIMessage("a"),
        AIMessageChunk("c"),
        ChatMessage("r", role="assistant"),
        ("user", "u"),
        {"role": "developer", "content": [{"type": "text", "text": "d"}]},
        ToolMessage("t", tool_call_id="c1"),
    ]
    found = pieces({"messages": given})
    assert [(p.role, p.text) for p in found] == [
        ("system", "s"),
        ("user", "h"),
        ("assistant", "a"),
        ("assistant", "c"),
        ("assistant", "r"),
        ("user", "u"),
        ("system", "d"),
        ("tool", "t"),
    ]
    assert found[-1].call_id == "c1"
    assert [p.path for p in found] == [("messages", i) for i in range(8)]
    assert {p.form for p in found} == {"message"}
    assert pieces([RemoveMessage(id="m1")]) == ()
    assert [p.form for p in pieces(("yes", "no"))] == ["text", "text"], "two strings are no message"


def test_images_are_markers_reasoning_is_unspoken_and_text_stays_what_the_parser_gives():
    blocks = [
        {"type": "reasoning", "reasoning": "secret thoughts"},
        {"type": "text", "text": "I see "},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "text", "text": "a moon."},
    ]
    message = AIMessage(blocks)
    text = message_text(message)
    assert text.startswith("I see a moon.\n[image ")
    assert text.startswith(message.text)
    assert "secret" not in text
    assert "AAAA" not in text
    other = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,BBBB"}}]
    assert message_text(HumanMessage(other)) != message_text(HumanMessage([blocks[2]])), "the marker tells images apart"
    assert message_text(HumanMessage([blocks[2]])).startswith("[image ")
    assert message_text(AIMessage([{"type": "refusal", "refusal": "I cannot."}])) == "I cannot."


def test_graph_commands_and_sends_show_what_they_write():
    pytest.importorskip("langgraph")
    from langgraph.types import Command, Send

    command = Command(
        update={"draft": "one", "messages": [HumanMessage("two")]},
        goto=[Send("next", {"subject": "three"}), "end"],
    )
    expected = [(("draft",), "one"), (("messages", 0), "two"), (("subject",), "three")]
    assert shown(command) == expected
    assert shown([command]) == expected, "a list of commands writes the same channels"
    assert shown(Command(resume="yes, go on")) == [(("resume",), "yes, go on")]
    assert shown(Command(update=[("draft", "pair")])) == [(("draft",), "pair")]
    assert shown({"draft": "x", "__interrupt__": ["waiting for you"]}) == [(("draft",), "x")]


@dataclasses.dataclass
class Point:
    label: str
    inner: object = None


class Broken:
    def __str__(self):
        raise RuntimeError("no text")


class Cursed(dict):
    def items(self):
        raise RuntimeError("no items")

    def get(self, *args):
        raise RuntimeError("no get")


@pytest.mark.parametrize(
    "odd",
    [
        threading.Lock(),
        object(),
        np.zeros((3, 3)),
        RunnableLambda(lambda x: x),
        len,
        Point,
        (n for n in "abc"),
        [0.1] * 1536,
    ],
)
def test_what_has_no_text_is_passed_over(odd):
    assert shown({"before": "a", "odd": odd, "after": "b"}) == [(("before",), "a"), (("after",), "b")]


def test_what_cannot_be_read_is_said_and_the_rest_survives():
    found = shown({"a": Broken(), "b": Cursed(x=1), "c": "fine", "d": np.float64(0.25), "e": b"\x00\xff"})
    assert found[0] == (("a",), "[unreadable Broken]")
    assert found[1] == (("b",), "[unreadable Cursed]")
    assert found[2:4] == [(("c",), "fine"), (("d",), "0.25")]
    assert found[4][1].startswith("[bytes ")


def test_cycles_and_depth_end():
    loop: list = ["x"]
    loop.append(loop)
    assert shown(loop) == [((0,), "x")]
    deep: object = "bottom"
    for _ in range(5_000):
        deep = [deep]
    assert shown(deep) == []
    shared = ["same"]
    assert len(shown([shared, shared])) == 2, "the same list twice is no cycle"


def test_a_state_that_holds_a_corpus_is_cut():
    assert len(pieces(["word"] * 50_000)) == 10_000


_keys = st.one_of(st.text(max_size=5), st.integers(), st.booleans(), st.none(), st.tuples(st.integers()))
_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=20),
        st.binary(max_size=5),
        st.builds(HumanMessage, st.text(max_size=9)),
        st.builds(Document, st.text(max_size=9)),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(_keys, inner, max_size=4), st.tuples(inner, inner)
    ),
    max_leaves=20,
)


@given(_values)
def test_any_payload_gives_pieces_that_can_be_saved(payload):
    event = RunEnded(seq=1, run_id="r", outputs=pieces(payload))
    assert all(piece.text for piece in event.outputs if piece.form == "text")
    json.dumps(dataclasses.asdict(event), default=dict)


def started(kind="chain", serialized=None, payload=None, **details):
    return Started("run", None, kind, serialized, payload, details).convert(1)


def test_steps_are_named_as_the_user_would():
    chat = {"id": ["langchain", "chat_models", "openai", "ChatOpenAI"], "name": "ChatOpenAI"}
    assert started("model", chat, name="ChatOpenAI").name == "ChatOpenAI"
    assert started("model", chat, name="ChatOpenAI", metadata={"langgraph_node": "write"}).name == "write"
    agent = {"langgraph_node": "model", "lc_agent_name": "researcher"}
    assert started("model", chat, name="ChatOpenAI", metadata=agent).name == "researcher.model"
    assert started("model", chat, name="summariser", metadata=agent).name == "summariser"
    assert started("tool", {"name": "search", "description": "..."}).name == "search"
    assert started("chain", {"id": ["a", "B"]}).name == "B"
    assert started("retriever").name == "retriever"
    assert started("chain", {"id": "text"}, name=7).name == "7"


def test_a_model_s_output_says_which_model_wrote_it():
    message = AIMessage("x", response_metadata={"model_name": "small-2026", "finish_reason": "stop"})
    result = LLMResult(generations=[[ChatGeneration(message=message)]])
    (piece,) = Finished("run", result, metadata={"ls_model_name": "small", "ls_provider": "acme"}).convert(1).outputs
    assert piece.attributes == {"model": "small-2026", "provider": "acme", "finish_reason": "stop"}
    (bare,) = Finished("run", LLMResult(generations=[[ChatGeneration(message=AIMessage("x"))]])).convert(1).outputs
    assert bare.attributes == {}
    assert Finished("run", LLMResult(generations=[])).convert(1).outputs == ()


def test_a_snapshot_survives_changes_in_place():
    message = HumanMessage("m")
    state = {"messages": [message], "notes": {"a": 1}, "text": "t"}
    taken = snapshot(state)
    state["messages"].append("late")
    state["notes"]["b"] = 2
    state["new"] = 1
    assert taken == {"messages": [message], "notes": {"a": 1}, "text": "t"}
    assert taken["messages"][0] is message
    nested = [["a"]]
    copied = snapshot(nested)
    nested[0].append("b")
    nested.append("c")
    assert copied == [["a"]]
    assert snapshot(message) is message


def test_a_missing_langchain_is_said_with_the_pip_line():
    code = "import sys; sys.modules['langchain_core'] = None\nimport langchain_trail"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=120)
    assert 'pip install "trail-callbacks[langchain]"' in done.stderr
