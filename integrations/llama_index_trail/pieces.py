"""Inputs and outputs of LlamaIndex's components, as texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from llama_index_trail.families import from_framework, is_kind
from llama_index_trail.messages import message, other_text, reply, snapshot
from llama_index_trail.records import Path, Raw, by_class
from trail_callbacks.capture.events import CUT, LEFT, SENT
from trail_callbacks.capture.payloads import contained, exact_text

_DEPTH = 5
_PIECES = 4_000
"""Texts of one payload: they are copied while the app waits."""
BEYOND = Raw("", (), attributes={CUT: True})
"""What stands for texts that are not recorded."""
_PATH = re.compile(r"\w+(\.\w+)+", re.ASCII)  # of a class, by which a value was serialised
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
    """Lists what a model reads: its messages or its prompt, under whatever names; nothing if it is not to be seen."""
    named, placed = dict(arguments), list[Any]()
    for value in arguments.values():
        if isinstance(value, Mapping):
            named.update(value)
        elif isinstance(value, tuple) and not _are_messages(value):
            placed += value
        else:
            placed.append(value)
    first = placed[0] if placed else None
    messages = named.get("messages", first if _are_messages(first) else None)
    if messages is not None:
        return [message(each, ("messages", i)) for i, each in enumerate(messages)] or [Raw("", ("messages",))]
    prompt = named.get("prompt", first if isinstance(first, str) else None)
    return [Raw(str(prompt), ("prompt",))] if prompt is not None else []


def _are_messages(value: object) -> bool:
    return isinstance(value, list | tuple) and any(is_kind(each, "ChatMessage") for each in value)


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


def state_of(context: Any, given: Iterable[str]) -> list[Raw]:
    """Lists the texts in the state of a workflow's context, but for what its user said.

    Messages are left out: where a model reads them, they say who wrote them.
    """
    from workflows.context.serializers import JsonSerializer  # noqa: PLC0415 - it is loaded by whoever has a context

    found = list(_strings(context.store.to_dict(JsonSerializer()), "the state"))
    said = {text.strip() for text in (*given, *(text for text, _, is_user in found if is_user))}
    named = {text: name for text, name, _ in found if text.strip() not in said and not _PATH.fullmatch(text)}
    shown = [Raw(text, ("state", name), attributes={LEFT: name}) for text, name in named.items()]
    return shown if len(shown) <= _PIECES else [*shown[:_PIECES], BEYOND]


def _strings(value: Any, name: str) -> Iterator[tuple[str, str, bool]]:
    """The texts in what was serialised, in whatever format, with the nearest key, and whether a user said it."""
    while isinstance(value, str):  # texts may be JSON again
        try:
            value = json.loads(value)
        except ValueError:
            break
    if isinstance(value, dict):
        message = "role" in value and bool(value.keys() & {"blocks", "content"})
        for key, each in value.items() if not message or value["role"] == "user" else ():
            yield from ((text, where, is_user or message) for text, where, is_user in _strings(each, str(key)))
    elif isinstance(value, list):
        for each in () if len(value) >= _VECTOR and isinstance(value[0], float) else value:
            yield from _strings(each, name)
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
        yield str(value), name, False


def event_fields(event: object, token: int | None = None) -> list[Raw]:
    """Lists the texts of a workflow's event; equal tokens are the same event."""
    found: list[Raw] = []
    _walk(found, event, (), 0)
    if token is None:
        return found
    return [raw if raw is BEYOND else raw._replace(ref=(token << 12) + i) for i, raw in enumerate(found)]


# -- any value -----------------------------------------------------------------------------------------------------


def _walk(found: list[Raw], value: Any, path: Path, depth: int) -> bool:
    """Adds the texts of a value; False if no more are to be added."""
    shape = _shape(type(value))
    if not shape or value is None:
        return True
    if depth <= _DEPTH and len(found) < _PIECES:
        try:
            _read(found, shape, value, path, depth)
        except BaseException as error:  # noqa: BLE001 - what cannot be read has no text; the rest of the payload has
            contained(error)
            found.append(Raw(f"[unreadable {type(value).__name__}]", path))
        return True
    if BEYOND not in found[-1:]:
        found.append(BEYOND)
    return len(found) < _PIECES


def _read(found: list[Raw], shape: str, value: Any, path: Path, depth: int) -> None:
    """Adds the texts of a value of a shape, see `_NAMED`."""
    if (texts := _TEXTS.get(shape)) is not None:
        found += texts(value, path)
    elif shape == "sequence":
        items = list(value)
        if len(items) < _VECTOR or not (isinstance(items[0], float) and isinstance(items[-1], float)):
            _walk_all(found, enumerate(items), path, depth)
    elif shape == "stop" and value.result is not None and value.result is not value:
        _walk(found, value.result, (*path, "result"), depth + 1)
    else:
        _walk_all(found, _fields(shape, value), path, depth)


def _walk_all(found: list[Raw], items: Iterable[tuple[str | int, Any]], path: Path, depth: int) -> None:
    for name, each in items:
        if not _walk(found, each, (*path, name), depth + 1):
            return


def _of_response(value: Any, path: Path) -> list[Raw]:
    text = value.response
    return [Raw(text if isinstance(text, str) else other_text(text), (*path, "response"))]


def _of_agent(value: Any, path: Path) -> list[Raw]:
    structured = getattr(value, "structured_response", None)
    more = [Raw(other_text(structured), (*path, "structured_response"))] if structured else []
    return [message(value.response, (*path, "response")), *more]


_TEXTS: dict[str, Callable[[Any, Path], list[Raw]]] = {
    "text": lambda value, path: [Raw(text, path)] if (text := str.__str__(value)) and not text.isspace() else [],
    "number": lambda value, path: [Raw(exact_text(value), path)],
    "node": lambda value, path: [snapshot(value, path, path[-1] if path and isinstance(path[-1], int) else 0)],
    "message": lambda value, path: [message(value, path)],
    "query": lambda value, path: [Raw(value.query_str, path or ("query",))],
    "response": _of_response,
    "tool_output": lambda value, path: [Raw(value.content, (*path, "content"))],
    "reply": lambda value, path: [raw._replace(path=(*path, *raw.path)) for raw in reply(value)],
    "agent_output": _of_agent,
}


def _fields(shape: str, value: Any) -> list[tuple[str | int, Any]]:
    """The items of a mapping, or the declared fields of an event, a dataclass or a pydantic model, none computed."""
    if shape == "mapping":
        return [(key if type(key) is int else exact_text(key), each) for key, each in list(value.items())]
    if shape == "data":
        if is_dataclass(value):
            return [(field.name, getattr(value, field.name, None)) for field in fields(value)]
        return list(vars(value).items())
    # an event, or a stop of an event class of the app: its fields are the result
    return [(name, each) for name, each in [*vars(value).items(), *value.items()] if name not in _SKIPPED]


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
    "EvaluationResult": "",  # said of an answer, with all of the answer
}


@by_class
def _shape(kind: type) -> str:
    """Which texts a class has; empty for none."""
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
