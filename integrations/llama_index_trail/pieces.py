"""Inputs and outputs of LlamaIndex's components, as texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from llama_index_trail.families import from_framework
from llama_index_trail.messages import message, other_text, reply, snapshot
from llama_index_trail.records import Path, Raw
from trail_callbacks.capture.events import CUT, SENT

__all__ = ["answer_of", "bounded", "event_fields", "prompt_of", "query_text"]

_DEPTH = 5
_PIECES = 4_000
"""Texts of one payload: they are copied while the app waits."""
_BEYOND = Raw("", (), attributes={CUT: True})
_CLASSES = 4_096
_VECTOR = 32
"""A list of this many numbers or more is an embedding, not text."""
_SKIPPED = frozenset({"self", "ctx", "init_state", "llm", "memory", "tools", "tags", "callback_manager"})


# -- inputs and outputs of components ---------------------------------------------------------------------------------


def bounded(arguments: Mapping[str, Any], kind: str) -> list[Raw]:
    """Lists the texts among the arguments of a call."""
    found: list[Raw] = []
    for name, value in arguments.items():
        if name in _SKIPPED:
            continue
        if name == "message" and isinstance(value, str):
            found.append(Raw(value, ("message",), "message", role="user"))
        elif name in ("str_or_query_bundle", "query_bundle", "query") and (text := query_text(value)) is not None:
            found.append(Raw(text, ("query",)))
            if kind == "retriever":  # what is searched for, in place of the query: a hypothetical document, perhaps
                sent = getattr(value, "custom_embedding_strs", None) or ()
                found += [Raw(each, (SENT, i)) for i, each in enumerate(sent) if isinstance(each, str)]
        elif name == "kwargs" or (kind == "tool" and name == "args"):
            _walk(found, value, (), 0)
        else:
            _walk(found, value, (name,), 0)
    return found


def query_text(query: object) -> str | None:
    """Returns the text of a query given as string or bundle."""
    if isinstance(query, str):
        return query
    text = getattr(query, "query_str", None)
    return text if isinstance(text, str) else None


def prompt_of(arguments: Mapping[str, Any]) -> list[Raw]:
    """Lists what a model reads: its messages or its prompt."""
    messages = arguments.get("messages")
    args, kwargs = arguments.get("args") or (), arguments.get("kwargs") or {}
    if messages is None:
        messages = kwargs.get("messages")
    if messages is None and args and not isinstance(args[0], str):
        messages = args[0]
    if messages is not None:
        return [message(each, ("messages", i)) for i, each in enumerate(messages)]
    prompt = arguments.get("prompt", kwargs.get("prompt", args[0] if args else None))
    return [Raw(str(prompt), ("prompt",))] if prompt is not None else []


def answer_of(result: object) -> list[Raw]:
    """Lists what a component returned; of a response not its sources, which are recorded as retrieved."""
    found: list[Raw] = []
    _walk(found, result, ("response",) if isinstance(result, str) else (), 0)
    if _shape(type(result)) == "data":
        found += _truth_values(result, (), 0)
    return found


def _truth_values(value: Any, path: Path, depth: int) -> Iterator[Raw]:
    """The truth values in an object that a component returned. Among arguments they are settings, and are left out."""
    if isinstance(value, bool):
        yield Raw(str(value), path)
    elif depth <= _DEPTH and isinstance(value, dict | list):
        for step, each in list(value.items() if isinstance(value, dict) else enumerate(value)):
            yield from _truth_values(each, (*path, step if isinstance(step, int) else str(step)), depth + 1)
    elif depth <= _DEPTH and _shape(type(value)) == "data":
        yield from _truth_values(dict(vars(value)), path, depth)


def event_fields(event: object, token: int | None = None) -> list[Raw]:
    """Lists the texts of a workflow's event; equal tokens are the same event."""
    found: list[Raw] = []
    _walk(found, event, (), 0)
    if token is None:
        return found
    return [raw if raw is _BEYOND else raw._replace(ref=(token << 12) + i) for i, raw in enumerate(found)]


# -- any value -----------------------------------------------------------------------------------------------------


def _walk(found: list[Raw], value: Any, path: Path, depth: int) -> bool:
    """Adds the texts of a value; False if no more are to be added."""
    read = _READERS[_shape(type(value))]
    if read is None or value is None:
        return True
    if depth <= _DEPTH and len(found) < _PIECES:
        read(found, value, path, depth)
        return True
    if _BEYOND not in found[-1:]:
        found.append(_BEYOND)
    return len(found) < _PIECES


def _text(found: list[Raw], value: str, path: Path, depth: int) -> None:  # noqa: ARG001 - one signature for all readers
    if value and not value.isspace():
        found.append(Raw(value, path))


def _number(found: list[Raw], value: float, path: Path, depth: int) -> None:  # noqa: ARG001 - as above
    found.append(Raw(str(value), path))


def _mapping(found: list[Raw], value: Mapping[Any, Any], path: Path, depth: int) -> None:
    for key, each in list(value.items()):
        if not _walk(found, each, (*path, key if isinstance(key, int) else str(key)), depth + 1):
            return


def _sequence(found: list[Raw], value: Iterable[Any], path: Path, depth: int) -> None:
    items = list(value)
    if len(items) >= _VECTOR and isinstance(items[0], float) and isinstance(items[-1], float):
        return
    for i, each in enumerate(items):
        if _shape(type(each)) == "node" and len(found) < _PIECES:
            found.append(snapshot(each, (*path, i), i))
        elif not _walk(found, each, (*path, i), depth + 1):
            return


def _node(found: list[Raw], value: Any, path: Path, depth: int) -> None:  # noqa: ARG001 - as above
    found.append(snapshot(value, path, 0))


def _message(found: list[Raw], value: Any, path: Path, depth: int) -> None:  # noqa: ARG001 - as above
    found.append(message(value, path))


def _query(found: list[Raw], value: Any, path: Path, depth: int) -> None:  # noqa: ARG001 - as above
    found.append(Raw(value.query_str, path or ("query",)))


def _response(found: list[Raw], value: Any, path: Path, depth: int) -> None:  # noqa: ARG001 - as above
    text = value.response
    found.append(Raw(text if isinstance(text, str) else other_text(text), (*path, "response")))


def _tool_output(found: list[Raw], value: Any, path: Path, depth: int) -> None:  # noqa: ARG001 - as above
    found.append(Raw(value.content, (*path, "content")))


def _reply(found: list[Raw], value: Any, path: Path, depth: int) -> None:  # noqa: ARG001 - as above
    found.extend(raw._replace(path=(*path, *raw.path)) for raw in reply(value))


def _agent_output(found: list[Raw], value: Any, path: Path, depth: int) -> None:  # noqa: ARG001 - as above
    found.append(message(value.response, (*path, "response")))
    if structured := getattr(value, "structured_response", None):
        found.append(Raw(other_text(structured), (*path, "structured_response")))


def _stop(found: list[Raw], value: Any, path: Path, depth: int) -> None:
    stopped = value.result
    if stopped is None or stopped is value:  # an event class of the app: its fields are the result
        _event(found, value, path, depth)
    else:
        _walk(found, stopped, (*path, "result"), depth + 1)


def _event(found: list[Raw], value: Any, path: Path, depth: int) -> None:
    for name, each in [*vars(value).items(), *value.items()]:
        if name not in _SKIPPED:
            _walk(found, each, (*path, name), depth + 1)


def _data(found: list[Raw], value: Any, path: Path, depth: int) -> None:
    """The declared fields of a dataclass or pydantic model, without computing any."""
    if is_dataclass(value):
        named = [(field.name, getattr(value, field.name, None)) for field in fields(value)]
    else:
        named = list(vars(value).items())
    for name, each in named:
        _walk(found, each, (*path, name), depth + 1)


_READERS: dict[str, Callable[[list[Raw], Any, Path, int], None] | None] = {
    "text": _text,
    "number": _number,
    "mapping": _mapping,
    "sequence": _sequence,
    "node": _node,
    "message": _message,
    "query": _query,
    "response": _response,
    "tool_output": _tool_output,
    "reply": _reply,
    "agent_output": _agent_output,
    "stop": _stop,
    "event": _event,
    "data": _data,
    "": None,
}
_NAMED = {
    "NodeWithScore": "node",
    "BaseNode": "node",
    "ChatMessage": "message",
    "QueryBundle": "query",
    "Response": "response",
    "PydanticResponse": "response",
    "AgentChatResponse": "response",
    "ToolOutput": "tool_output",
    "ChatResponse": "reply",
    "CompletionResponse": "reply",
    "AgentOutput": "agent_output",
    "StopEvent": "stop",
    "DictLikeModel": "event",
}
_shapes: dict[type, str] = {}


def _shape(kind: type) -> str:
    """Which reader a class needs; remembered, in bounded space."""
    known = _shapes.get(kind)
    if known is None:
        if len(_shapes) >= _CLASSES:
            _shapes.clear()
        known = _shapes[kind] = _find_shape(kind)
    return known


def _find_shape(kind: type) -> str:
    for base in kind.__mro__:
        if from_framework(base) and base.__name__ in _NAMED:
            return _NAMED[base.__name__]
    for shape, classes in (
        ("", (bool, bytes, type)),
        ("text", str),
        ("number", (int, float)),
        ("mapping", Mapping),
        ("sequence", (list, tuple, set, frozenset)),
    ):
        if issubclass(kind, classes):
            return shape
    component = any(base.__name__ in ("BaseComponent", "DispatcherSpanMixin") for base in kind.__mro__)
    data = is_dataclass(kind) or hasattr(kind, "model_fields")
    return "data" if data and not component and kind.__module__.partition(".")[0] != "workflows" else ""
