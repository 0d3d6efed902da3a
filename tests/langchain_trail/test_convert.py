"""What a callback says about a run: kind, name, hints, status."""

import subprocess
import sys

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_trail.convert import Ended, Failed, Started, snapshot


def started(kind="chain", serialized=None, payload=None, **details):
    return Started("run", None, kind, serialized, payload, details).convert(1)


def test_tags_say_sequence_and_branch():
    hints = started(tags=["mine", "seq:step:3", "map:key:left:right"]).hints
    assert (hints.sequence, hints.branch) == (3, "left:right")
    odd = started(tags=["seq:step:x", None, 7]).hints
    assert (odd.sequence, odd.branch) == (None, None)


def test_only_the_node_itself_reads_and_writes_channels():
    metadata = {"langgraph_node": "write"}
    assert started(name="write", tags=["graph:step:1"], metadata=metadata).hints.channels
    assert not started(name="write", tags=[], metadata=metadata).hints.channels, "a subgraph of the node's name"
    assert not started(name="RunnableLambda", tags=["graph:step:1"], metadata=metadata).hints.channels
    assert not started(name="write", tags=["graph:step:1"]).hints.channels


@pytest.mark.parametrize(
    ("callback", "run_type", "kind"),
    [
        ("chain", None, "chain"),
        ("chain", "prompt", "prompt"),
        ("chain", "parser", "parser"),
        ("chain", "llm", "model"),
        ("chain", "something new", "chain"),
        ("tool", None, "tool"),
        ("model", None, "model"),
    ],
)
def test_kinds(callback, run_type, kind):
    assert started(callback, run_type=run_type).kind == kind


def test_a_prompt_template_names_its_variables():
    template = ChatPromptTemplate.from_messages([("user", "{a} {b}"), MessagesPlaceholder("c", optional=True)])
    serialized = {"kwargs": {"input_variables": template.input_variables, "optional_variables": ["c"]}}
    assert set(started(serialized=serialized, run_type="prompt").hints.variables) == {"a", "b", "c"}
    assert started(serialized=None, run_type="prompt").hints.variables is None
    assert started(serialized={"kwargs": None}, run_type="prompt").hints.variables is None
    assert started(serialized=serialized).hints.variables is None, "only prompts have variables"


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
    (piece,) = Ended("run", result, metadata={"ls_model_name": "small", "ls_provider": "acme"}).convert(1).outputs
    assert piece.attributes == {"model": "small-2026", "provider": "acme", "finish_reason": "stop"}
    (bare,) = Ended("run", LLMResult(generations=[[ChatGeneration(message=AIMessage("x"))]])).convert(1).outputs
    assert bare.attributes == {}
    assert Ended("run", LLMResult(generations=[])).convert(1).outputs == ()


def test_inputs_known_at_the_end_replace_those_of_the_start_unless_there_are_none():
    assert Ended("run", "out").convert(1).inputs is None
    assert Ended("run", "out", late="").convert(1).inputs is None
    assert [p.text for p in Ended("run", "out", late={"q": "in"}).convert(1).inputs] == ["in"]
    failed = Failed("run", "ValueError: x", "error", "part", "in").convert(2)
    assert (failed.seq, failed.outputs[0].text, failed.inputs[0].text) == (2, "part", "in")


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
