"""The answer in what a runnable returned or streamed, and the summary of a report on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.runnables import AddableDict

from langchain_trail.pieces import message_text, pieces
from trail_callbacks.capture.payloads import exact_text, fields_text
from trail_callbacks.graph import Edge, Node, ProvenanceGraph
from trail_callbacks.text import forms

Message = TypeVar("Message", bound=BaseMessage)

ANSWERS = frozenset(
    {"answer", "final_answer", "generation", "output", "output_text", "report", "response", "result", "summary", "text"}
)
"""Keys of a dictionary that name the answer."""


def answer_message(output: object) -> AIMessage | None:
    """Returns the message that answers: the output itself, or the last of a model in its `messages`."""
    if isinstance(output, AIMessage):
        return output
    messages = output.get("messages") if isinstance(output, Mapping) else None
    if not isinstance(messages, list):
        return None
    return next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)


def answer_text(message: AIMessage) -> str:
    """Returns the text of an answer."""
    return exact_text(message_text(message))


def structured_text(value: object) -> str:
    """Returns the text of a structured answer: its JSON, or its only text."""
    return fields_text((piece.path, piece.text) for piece in pieces(value) if piece.text.strip())


def earlier(output: object) -> list[BaseMessage]:
    """Returns the messages of earlier turns in the `messages` of an output: those before the user's last one."""
    messages = output.get("messages") if isinstance(output, Mapping) else None
    listed = messages if isinstance(messages, list) else []
    last = max((i for i, message in enumerate(listed) if isinstance(message, HumanMessage)), default=0)
    return [message for message in listed[:last] if isinstance(message, BaseMessage)]


def calls_tools(output: object) -> bool:
    """True for an output that is not an answer yet: a message that calls tools."""
    message = answer_message(output)
    return message is not None and bool(message.tool_calls)


def with_message_summary(output: Any, summary: dict[str, Any]) -> Any:
    """Returns an output with a summary on the message that answers; the output itself if there is none."""
    return mapped(output, answer_message(output), lambda message: with_summary(message, summary))


def annotated(output: Any, summary: dict[str, Any]) -> Any:
    """Returns an output with a summary on its message and, in a dictionary, under `trail`; a text is unchanged."""
    marked = with_message_summary(output, summary)
    return {**marked, "trail": summary} if isinstance(marked, dict) else marked


def mapped(output: Any, answer: AIMessage | None, change: Callable[[AIMessage], AIMessage]) -> Any:
    """Returns an output with its answer changed; the output itself if there is none."""
    if answer is None:
        return output
    if output is answer:
        return change(answer)
    return {**output, "messages": [change(m) if m is answer else m for m in output["messages"]]}


def with_messages(value: Any, change: Callable[[BaseMessage], BaseMessage | None], depth: int = 0) -> Any:
    """Returns a value with its messages changed, in whatever lists, tuples and dictionaries; None leaves one out."""
    if isinstance(value, BaseMessage):
        return change(value)
    if depth > _NESTED or (type(value) not in {list, tuple, dict, AddableDict} and not hasattr(value, "_fields")):
        return value
    if isinstance(value, dict):
        return type(value)((key, with_messages(each, change, depth + 1)) for key, each in value.items())
    changed = [with_messages(each, change, depth + 1) for each in value]
    if hasattr(value, "_fields"):  # langgraph's snapshot of a channel, for one
        return type(value)(*changed)
    return type(value)(new for new, was in zip(changed, value, strict=True) if new is not None or was is None)


def with_summary(message: Message, summary: dict[str, Any]) -> Message:
    """Returns a message with a summary in its metadata."""
    return message.model_copy(update={"response_metadata": {**message.response_metadata, "trail": summary}})


_NESTED = 16
_DEPTH = 4  # of the updates in what a graph streams: in a tuple with its mode, under its step, in a task's payload


def added(chunks: Sequence[Any]) -> Any:
    """Returns the sum of chunks; if they cannot be added, the last one, as LangChain does. None for no chunks.

    Texts and messages are added all at once: one by one takes time that grows with the square of their number.
    """
    if chunks and all(isinstance(chunk, str) for chunk in chunks):
        return "".join(chunks)
    if len(chunks) > 1 and all(isinstance(chunk, AIMessageChunk) for chunk in chunks):
        return chunks[0] + list(chunks[1:])
    try:
        return reduce(add, chunks) if chunks else None
    except TypeError:
        return chunks[-1]


def shown(output: Any, chunks: Sequence[Any] | None) -> Any:
    """Returns all that a stream showed, as one output: the state that the updates of a graph make."""
    if not chunks or output is not chunks[-1] or len(chunks) == 1:
        return output
    state: dict[str, Any] = {}
    for chunk in chunks:
        _collect(chunk, state, 0)
    return state or output


def _collect(update: Any, state: dict[str, Any], depth: int) -> None:
    if isinstance(update, tuple):
        for each in update:
            _collect(each, state, depth + 1)
    elif isinstance(update, dict) and depth < _DEPTH:
        state.update(update)
        for each in update.values():
            _collect(each, state, depth + 1)


def as_chunk(output: Any) -> Any:
    """Returns a whole output as the only chunk of a stream."""
    if isinstance(output, AIMessage) and not isinstance(output, AIMessageChunk):
        names = ("content", "id", "name", "response_metadata", "usage_metadata")
        return AIMessageChunk(**{name: getattr(output, name) for name in names}, chunk_position="last")
    return AddableDict(output) if isinstance(output, dict) else output


def trailing(output: Any, summary: dict[str, Any]) -> list[Any]:
    """Returns the chunks that carry a summary at the end of a stream: none if its chunks are texts."""
    if isinstance(output, AIMessage):
        return [AIMessageChunk(content="", id=output.id, response_metadata={"trail": summary}, chunk_position="last")]
    return [AddableDict(trail=summary)] if isinstance(output, dict) else []


_CONTENT = 4  # words; a shorter text is a label, such as the route that a model chose


def complete(graph: ProvenanceGraph, output: Any, stored: Callable[[str], str] = str) -> ProvenanceGraph:
    """Returns a graph whose answer is all that models wrote of an output, so that everything in it is judged.

    The answer of a captured graph is what was written last. A text that another one was made from is not added, and if
    a message or a key such as `answer` names that answer, the graph stays as it is.
    """
    answer = graph.answer
    if answer is None or _names_answer(output, answer, stored):
        return graph
    named = {stored(text).strip() for text in _named(output)}
    before = {node.id for node in graph.upstream(answer.id)}
    beside = [
        node
        for node in graph.nodes
        if node.kind == "completion"
        and (node.id not in before or _is_in(node.text, named))
        and _written(output, [node], stored)
    ]
    steps = {node.id for each in beside for node in graph.upstream(each.id)}
    last = [node for node in beside if node.id not in steps or _is_in(node.text, named)]
    text = "\n\n".join(_written(output, [*last, answer], stored))
    if not last or text == answer.text.strip():
        return graph
    name = f"m{1 + sum(node.kind == 'completion' for node in graph.nodes)}"
    written = replace(answer, id=name, kind="completion")
    whole = Node(id=answer.id, kind="answer", text=text, step="output", run_id=answer.run_id)
    return ProvenanceGraph(
        nodes=(*(written if node is answer else node for node in graph.nodes), whole),
        edges=(
            *(replace(edge, target=name) if edge.target == answer.id else edge for edge in graph.edges),
            *(Edge(source=node.id, target=whole.id) for node in (*last, written)),
        ),
    )


def short_fields(graph: ProvenanceGraph, output: Any) -> tuple[str, ...]:
    """Returns the keys of texts that a model wrote beside the answer and that are too short to be judged."""
    if not isinstance(output, dict) or answer_message(output) is not None:
        return ()
    wrote = {node.text.strip() for node in graph.nodes if node.kind in {"completion", "answer"}}
    return tuple(
        str(key)
        for key, value in output.items()
        if any(piece.text.strip() in wrote and not _is_content(piece.text) for piece in pieces(value))
        and not (key in ANSWERS and graph.answer and graph.answer.text.strip() == str(value).strip())
    )


def _names_answer(output: Any, answer: Node, stored: Callable[[str], str] = str) -> bool:
    """Whether a message or a key names the answer; not if the captured one is another text, as of a message beside."""
    if not isinstance(output, dict | list) or answer_message(output) is not None:
        return True
    if not isinstance(output, dict) or not any(output.get(name) for name in ANSWERS):
        return False
    named, text = [stored(each).strip() for each in _named(output)], answer.text.strip()
    if text[:1] in {"{", "["}:  # an object, of which the named text is a field
        return not named or any(json.dumps(each, ensure_ascii=False)[1:-1] in text for each in named)
    return not named or text in named


def _named(output: Any) -> list[str]:
    """The texts under keys that name the answer."""
    if not isinstance(output, dict):
        return []
    values = [output.get(name) for name in ANSWERS]
    texts = [answer_text(each) if isinstance(each, AIMessage) else each for each in values]
    return [each for each in texts if isinstance(each, str) and each.strip()]


def _is_in(text: str, named: Collection[str]) -> bool:
    return any(text.strip() in each or each in text for each in named)


def _written(output: Any, nodes: Sequence[Node], stored: Callable[[str], str] = str) -> list[str]:
    """The texts of an output that these models wrote, whole, in fields of their own or inside text of the code."""
    texts = dict.fromkeys(stored(piece.text).strip() for piece in pieces(output))
    wrote = [node.text.strip() for node in nodes if _is_content(node.text)]
    return [text for text in texts if _is_content(text) and any(text in each or each in text for each in wrote)]


def _is_content(text: str) -> bool:
    return len(forms(text)) >= _CONTENT
