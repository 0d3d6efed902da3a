"""`trail_node()`: a node that verifies the answer in a graph's state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda

from langchain_trail.answers import annotated, answer_message, answer_text, structured_text
from langchain_trail.drafts import adispatch, dispatch, from_messages, grounds, isolated
from langchain_trail.pieces import pieces
from trail_callbacks.errors import InputError
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.guard import Checker, GuardSettings, JudgeDraft
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report
from trail_callbacks.verify.delivery import OnReport
from trail_callbacks.verify.options import VerifyOptions

_ANSWERS = ("structured_response", "answer", "final_answer", "generation", "output", "response", "result", "summary")
_QUESTIONS = ("question", "query", "input", "user_input")
_SOURCES = ("documents", "docs", "context", "contexts", "sources", "passages", "chunks", "retrieved_docs")


def trail_node(
    judge: JudgeLike = None,
    *,
    answer: str | None = None,
    sources: str | Iterable[str] | None = None,
    key: str = "trail",
    options: VerifyOptions | None = None,
    timeout: float | None = 60.0,
    on_report: OnReport | None = None,
) -> Runnable[Any, dict[str, Any]]:
    """Makes a node for a LangGraph graph that verifies the answer and writes the summary of the report.

        builder.add_node("verify", trail_node(judge="openai/gpt-5-mini"))
        builder.add_edge("generate", "verify")
        builder.add_conditional_edges("verify", lambda s: "generate" if s["trail"]["hallucination_score"] else END)

    The score is None if there is nothing to compute it from, e.g. for a greeting, see the summary's `state`: a route
    that waits for `== 0` would loop for ever. Count the rounds too; a graph that reaches its recursion limit raises.
    The score is over the claims that the judge decided; how many it did not is in the summary's `undecided`: a route to
    which those matter asks for `s["trail"]["hallucination_score"] or s["trail"]["undecided"]`.

    The state needs a key to write to: `trail: dict`. The answer is checked against what led to it in the captured
    graph if a `TrailCallbackHandler` records the run, else against the state: documents anywhere in it, tool results,
    system and user messages, and texts under `sources`. If the answer is a message of `messages`, it gets the summary
    in its `response_metadata["trail"]` too. The node never raises because of the judge: see the summary's `state`.

    Args:
        judge: Who decides; it must be given, as of a guard, because a graph goes by it. `"local"` is the offline judge.
        answer: Key of the answer in the state; by default the last message of a model in `messages`, else the first
            key in the state of `structured_response`, `answer`, `final_answer`, `generation`, `output`, `response`,
            `result`, `summary`.
        sources: Keys of texts that are evidence; by default `documents`, `context`, `sources` and the like.
        key: Key of the state to write the summary to.
        options: Settings of the verification.
        timeout: Seconds it may take, above 0; None waits as long as it takes.
        on_report: Called with the report; awaited if it is a coroutine function.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If there is no judge, or it is unknown.
    """
    if not key:
        raise InputError("key is empty, expected the name of a key of the graph's state")
    settings = GuardSettings(judge=judge, options=options or VerifyOptions(), timeout=timeout, on_report=on_report)
    checker = Checker(settings, around=isolated)
    names = _SOURCES if sources is None else (sources,) if isinstance(sources, str) else tuple(sources)

    def draft(state: Any, config: RunnableConfig) -> JudgeDraft:
        values = _values(state)
        message, text = _answer(values, answer)
        graph = partial(_from_state, values, message, text, names)
        return JudgeDraft(lambda: grounds(config, message, text, graph), Usage())

    def update(state: Any, report: Report) -> dict[str, Any]:
        summary = report.summary()
        message, _ = _answer(_values(state), answer)
        return {key: summary, **({"messages": [annotated(message, summary)]} if message is not None else {})}

    def node(state: Any, config: RunnableConfig) -> dict[str, Any]:
        report = checker.check(draft(state, config))
        dispatch(report.summary(), config)
        return update(state, report)

    async def anode(state: Any, config: RunnableConfig) -> dict[str, Any]:
        report = await checker.acheck(draft(state, config))
        await adispatch(report.summary(), config)
        return update(state, report)

    return RunnableLambda(node, anode, name="trail")


def _values(state: Any) -> Mapping[str, Any]:
    """A graph's state is a dictionary, a dataclass or a pydantic model."""
    if isinstance(state, Mapping):
        return state
    if isinstance(state, list):
        return {"messages": state}
    fields = getattr(type(state), "model_fields", None) or getattr(type(state), "__dataclass_fields__", {})
    return {name: getattr(state, name) for name in fields}


def _answer(values: Mapping[str, Any], key: str | None) -> tuple[AIMessage | None, str]:
    """The answer's message, if it is the last one of `messages`, and its text; empty if there is none."""
    message = answer_message(values)
    if message is not None and key in {None, "messages"} and not message.tool_calls:
        return message, answer_text(message)
    value = next((values[name] for name in (_ANSWERS if key is None else (key,)) if values.get(name)), None)
    if value is None:
        return None, ""
    return None, answer_text(value) if isinstance(value, AIMessage) else structured_text(value)


def _from_state(
    values: Mapping[str, Any], message: AIMessage | None, text: str, names: Sequence[str]
) -> ProvenanceGraph:
    read = [m for m in values.get("messages") or () if isinstance(m, BaseMessage) and m is not message]
    if message is None and values.get("structured_response") is not None:  # a tool took its fields, and repeats them
        last = max((i for i, each in enumerate(read) if isinstance(each, AIMessage)), default=len(read))
        read = read[:last]
    nodes = [
        Node(id=f"state-{i}", kind="document", text=piece.text, step=str(piece.path[0]), attributes=piece.attributes)
        for i, piece in enumerate(pieces({name: value for name, value in values.items() if name != "messages"}))
        if (piece.form == "document" or piece.path[0] in names) and piece.text.strip()
    ]
    graph = from_messages(read, text)
    question = next((str(values[name]) for name in _QUESTIONS if isinstance(values.get(name), str)), None)
    return ProvenanceGraph.from_texts(text, [*graph.leaves(), *nodes], None if graph.question else question)
