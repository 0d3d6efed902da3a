"""What a callback says about a run: kind, name, hints, status."""

import subprocess
import sys

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_trail.convert import Finished, Started, snapshot


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
