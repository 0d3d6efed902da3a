"""The texts in a payload that a framework or tracer wrote as JSON: messages, documents, tool calls, plain texts.

What an adapter does for live objects (`langchain_trail.pieces`), for their many forms in files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from trail_callbacks.capture.events import REPLY, Hints, Piece, RunKind, Status
from trail_callbacks.capture.payloads import exact_text, scalars
from trail_callbacks.importing.messages import REDACTED, ROLES, Path, call_text, message, text_of, texts_in
from trail_callbacks.importing.otlp import OtlpSpan

__all__ = ["ImportedRun", "Step", "detailed", "document", "is_repr", "kind_named", "pieces", "said_of", "step_of"]


_DEPTH = 32
_PIECES = 10_000
_VECTOR = 32
"""A list of this many numbers or more is an embedding, not text."""
_SKIPPED = frozenset({"callback_manager", "additional_kwargs", "response_metadata", "invocation_params", "embedding"})
_REPR = re.compile(r"<(?:generator object|[\w.]+ object|[\w.]+\(|_\w+ at 0x).*>", re.DOTALL)


def is_repr(text: str) -> bool:
    """True for what Python prints of an object without a text, such as `<generator object>`."""
    return text[:1] == "<" and _REPR.fullmatch(text.strip()) is not None


def pieces(value: object, path: Path = (), *, model: bool = False) -> tuple[Piece, ...]:
    """Lists the texts of a payload.

    Args:
        value: A JSON value.
        path: Where it is.
        model: It is what a model reads: then tool calls are not pieces of their own.

    Returns:
        One piece for each message, document, tool call or other text, in the order of the payload. What is hidden, is
        the print of a Python object, or is reasoning, is left out.
    """
    walk = _Walk(model)
    walk.visit(value, path, 0)
    return tuple(walk.found)


def document(
    text: object, metadata: object = None, path: Path = (), *, id_: object = None, score: object = None
) -> Piece:
    """Makes the piece of a document."""
    known = text_of(metadata)
    attributes = scalars(known) if isinstance(known, Mapping) else {}
    if isinstance(score, int | float) and not isinstance(score, bool):
        attributes |= scalars({"score": score})
    return Piece(
        text="" if text is None or text == REDACTED else exact_text(text),
        path=path,
        form="document",
        id=str(id_) if id_ not in (None, "") else None,
        attributes=attributes,
    )


def _short(kind: str) -> str:
    """A message's type without what classes add: `AIMessageChunk` is `ai`."""
    return kind.removesuffix("Chunk").removesuffix("Message").lower()


class _Walk:
    """One walk through one payload."""

    def __init__(self, model: bool) -> None:
        self.model = model
        self.found: list[Piece] = []

    def visit(self, item: object, path: Path, depth: int) -> None:
        if item is None or depth > _DEPTH or len(self.found) >= _PIECES:
            return
        if isinstance(item, str):
            self._text(item, path)
        elif isinstance(item, bool | int | float):
            self.found.append(Piece(text=str(item), path=path))
        elif isinstance(item, Mapping):
            self._mapping(item, path, depth)
        elif isinstance(item, Sequence):
            self._sequence(item, path, depth)

    def _text(self, item: str, path: Path) -> None:
        if item and item != REDACTED and not is_repr(item):
            self.found.append(Piece(text=exact_text(item), path=path, origin="given" if self.model else None))

    def _mapping(self, item: Mapping[str, Any], path: Path, depth: int) -> None:
        if not (self._langchain(item, path, depth) or self._shape(item, path, depth)):
            for key, value in item.items():
                if not key.startswith("__") and key not in _SKIPPED:
                    self.visit(value, (*path, key), depth + 1)

    def _langchain(self, item: Mapping[str, Any], path: Path, depth: int) -> bool:
        """Reads an object as LangChain serialises it."""
        kind, content = item.get("type"), item
        if item.get("lc") is not None and isinstance(item.get("id"), list) and item["id"]:
            name, content = str(item["id"][-1]), item.get("kwargs") or {}
            if name.endswith(("Message", "MessageChunk")):
                kind = name
            elif name == "Document":
                self.found.append(
                    document(content.get("page_content"), content.get("metadata"), path, id_=content.get("id"))
                )
                return True
            else:
                self.visit(content.get("messages", content), path, depth + 1)
                return True
        elif isinstance(item.get("data"), Mapping) and "content" in item["data"]:
            content = item["data"]
        elif "content" not in item:
            return False
        role = ROLES.get(_short(kind)) if isinstance(kind, str) else None
        if role is None or not isinstance(content, Mapping):
            return False
        self.found += message(content, role, path, model=self.model)
        if role == "tool" and not self.model:
            self.visit(content.get("artifact"), (*path, "artifact"), depth + 1)
        return True

    def _shape(self, item: Mapping[str, Any], path: Path, depth: int) -> bool:
        """Reads what is known by its keys."""
        role = ROLES.get(str(item["role"]).lower()) if isinstance(item.get("role"), str) else None
        if role is not None and any(key in item for key in ("content", "parts", "blocks", "tool_calls")):
            self.found += message(item, role, path, model=self.model)
        elif item.get("type") == "tool_call" and "name" in item and "args" in item:
            text = call_text(item["name"], item["args"])
            self.found.append(Piece(text=text, path=path, form="tool_call", call_id=item.get("id")))
        elif isinstance(item.get("page_content"), str):
            self.found.append(document(item["page_content"], item.get("metadata"), path, id_=item.get("id")))
        elif isinstance(item.get("generations"), list):
            self._generations(item["generations"], path, depth)
        elif isinstance(item.get("query_str"), str):
            self._text(item["query_str"], path or ("query",))
        elif "update" in item and "goto" in item:  # a command of LangGraph
            self.visit(item["update"], path, depth + 1)
            self._reply(item.get("resume"), path, depth)
        elif "raw_output" in item and "tool_name" in item:  # what a tool of LlamaIndex returned
            content = "\n".join(texts_in(item.get("blocks"))) or item["raw_output"]
            self.visit(content, (*path, "content"), depth + 1)
        elif "source_nodes" in item and ("response" in item or "response_gen" in item):  # a response of LlamaIndex
            self.visit(item.get("response"), (*path, "response"), depth + 1)
        else:
            return False
        return True

    def _reply(self, item: object, path: Path, depth: int) -> None:
        before = len(self.found)
        self.visit(item, (*path, "resume"), depth + 1)
        self.found[before:] = [
            Piece(text=each.text, path=each.path, origin="user", attributes={REPLY: True})
            for each in self.found[before:]
        ]

    def _generations(self, item: Sequence[Any], path: Path, depth: int) -> None:
        for i, several in enumerate(item):
            for j, each in enumerate(several if isinstance(several, list) else [several]):
                inside = path if i == j == 0 else (*path, "generations", i, j)
                if isinstance(each, Mapping):
                    self.visit(each.get("message") or each.get("text"), inside, depth + 1)

    def _sequence(self, item: Sequence[Any], path: Path, depth: int) -> None:
        if len(item) == 2 and all(isinstance(each, str) for each in item) and item[0].lower() in ROLES:  # noqa: PLR2004 - ("user", "Hi")
            self.found += message({"content": item[1]}, ROLES[item[0].lower()], path, model=self.model)
            return
        if len(item) >= _VECTOR and all(isinstance(each, int | float) for each in item):
            return
        for i, each in enumerate(item):
            command = isinstance(each, Mapping) and "update" in each and "goto" in each  # its place is no channel
            self.visit(each, path if command else (*path, i), depth + 1)


_FRAMEWORK_KEYS = (
    *("ls_", "lc_", "langgraph_", "langfuse_", "checkpoint_", "thread_ts", "__"),
    *("LANGSMITH_", "LANGCHAIN_", "LANGFUSE_", "is_langchain_root", "runtime", "sdk", "platform"),
)


@dataclass(slots=True, kw_only=True, eq=False)
class Step:
    """One execution of one component.

    Attributes:
        id: Its id in the file: of a span, 16 hexadecimal digits.
        parent: Id of the step around it; None if there is none.
        kind: The kind of component; None if it only encloses others, such as the span of a web server.
        name: The component's name.
        inputs: What went in; documents and messages are pieces of those forms.
        outputs: What came out.
        model: The model, as it names itself; of a model call only.
        started: Seconds since the epoch; None if the file does not say.
        ended: Likewise; None also if it did not end.
        error: Type and message of its exception; None if it ended normally.
        status: What that exception means.
        hints: What else is known of its place.
        tags: Of a root: what the app tagged it with.
        metadata: What the app said of it, without what the framework did.
    """

    id: str
    parent: str | None
    kind: RunKind | None
    name: str
    inputs: tuple[Piece, ...] = ()
    outputs: tuple[Piece, ...] = ()
    model: str | None = None
    started: float | None = None
    ended: float | None = None
    error: str | None = None
    status: Status = "error"
    hints: Hints = field(default_factory=Hints)
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def documents(self) -> tuple[Piece, ...]:
        """The documents among its outputs."""
        return tuple(piece for piece in self.outputs if piece.form == "document")


@dataclass(slots=True, kw_only=True)
class ImportedRun:
    """The steps of one trace.

    Attributes:
        id: Id of the trace.
        steps: Its steps, in any order.
        lost: What the file is known to lack, a sentence each.
        metadata: What is said of the whole trace, such as its session.
        by_methods: True if the steps are the methods of classes, as LlamaIndex shows itself.
    """

    id: str
    steps: list[Step]
    lost: list[str] = field(default_factory=list)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    by_methods: bool = False


def step_of(span: OtlpSpan, kind: RunKind | None, name: str, model: object = None, **more: Any) -> Step:
    """Makes the step of a span; `model` counts for a model call only."""
    return Step(
        id=span.id,
        parent=span.parent,
        kind=kind,
        name=name,
        model=str(model) if model and kind == "model" else None,
        started=span.started,
        ended=span.ended,
        error=span.error,
        status=span.status,
        **more,
    )


def detailed(given: Iterable[Piece], details: Mapping[str, Any]) -> tuple[Piece, ...]:
    """Returns what a model wrote, with what else is known of it."""
    return tuple(replace(each, attributes={**details, **each.attributes}) for each in given)


def kind_named(kind: RunKind | None, name: str) -> RunKind | None:
    """Returns the kind of a step whose tool knows no prompts, and calls LangChain's a chain."""
    return "prompt" if kind == "chain" and name.endswith("PromptTemplate") else kind


def said_of(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what an app said in metadata: without what frameworks and tracers add, such as their environment."""
    return scalars({key: value for key, value in metadata.items() if not str(key).startswith(_FRAMEWORK_KEYS)})
