"""The texts in a payload that a framework or tracer wrote as JSON: messages, documents, tool calls, plain texts.

What an adapter does for live objects (`langchain_trail.pieces`), for their many forms in files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from trail_callbacks.capture.events import REPLY, Piece
from trail_callbacks.capture.payloads import exact_text, scalars
from trail_callbacks.importing.messages import REDACTED, ROLES, Path, call_text, message, text_of, texts_in

__all__ = ["document", "is_repr", "pieces"]

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
