"""Retrieved nodes, as a prompt shows them: with the metadata that LlamaIndex renders for models.

A postprocessor may change a node in place, so it is copied when a span shows it; it is rendered when somebody reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

from llama_index_trail.raw import Path, Raw
from trail_callbacks.graph import Origin

__all__ = ["documents", "snapshot"]

_CLASSES = 4_096
_SOURCE = "1"  # the key of a node's document: an enum of strings, which need not be imported
_SUB_ANSWER = re.compile(r"\s*Sub question: .*?\nResponse: ", re.DOTALL)
_RENDERED = ("text", "metadata_template", "metadata_separator", "text_template")  # texts that rendering needs
_plain: dict[type, bool] = {}


class _Copy(NamedTuple):
    """What is known of a node besides its text.

    Attributes:
        rank: Its position among the retrieved nodes, from 0.
        score: Its score, or None.
        kind: Its class.
        document: Id of the document that it was cut from, or None.
        node: A copy that renders itself; None if there is nothing to render.
    """

    rank: int
    score: object
    kind: type
    document: str | None = None
    node: Any = None

    def read(self, raw: Raw) -> Raw:
        """Returns the node as a model sees it."""
        text, metadata = raw.text, {}
        if self.node is not None:
            metadata = self.node.metadata
            text = str(self.node.get_content(metadata_mode="llm"))  # an enum of strings, which need not be imported
        attributes = {
            **_attributes(self.rank, self.score, self.kind, self.document, metadata),
            **(raw.attributes or {}),
        }
        origin = raw.origin or _origin(text, raw.text, metadata)
        return raw._replace(text=text, origin=origin, attributes=attributes, late=None)


def documents(nodes: Sequence[Any], path: Path) -> list[Raw]:
    """Lists retrieved nodes; the rank is their position."""
    return [snapshot(node, (*path, i), i) for i, node in enumerate(nodes)]


def snapshot(value: Any, path: Path, rank: int) -> Raw:
    """Copies what a node, with or without a score, shows now."""
    fields = value.__dict__  # asking pydantic for what it lacks is slow
    node, score = fields.get("node", value), fields.get("score")
    own = node.__dict__
    text, metadata = own.get("text"), own.get("metadata")
    if not isinstance(text, str) or not _is_plain(type(node)) or not all(map(_is_fixed, metadata.values())):
        return _rendered(node, path, rank, score)
    copy = _copied(node, own) if metadata else None
    return Raw(text, path, "document", own["id_"], late=_Copy(rank, score, type(node), _document(own), copy))


def _copied(node: Any, fields: Mapping[str, Any]) -> Any:
    """A node with what rendering needs and nothing else: relationships and embeddings would be kept alive for long."""
    copy = object.__new__(type(node))
    kept: dict[str, Any] = {name: fields[name] for name in _RENDERED}
    kept["metadata"] = dict(fields["metadata"])
    kept["excluded_llm_metadata_keys"] = list(fields["excluded_llm_metadata_keys"])
    object.__setattr__(copy, "__dict__", kept)
    return copy


def _is_fixed(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)


def _rendered(node: Any, path: Path, rank: int, score: object) -> Raw:
    """A node of another class, or with other metadata: it may render itself from anything, which may change."""
    metadata = getattr(node, "metadata", None) or {}
    body = getattr(node, "text", None)
    text = str(node.get_content(metadata_mode="llm"))
    attributes = _attributes(rank, score, type(node), _document(getattr(node, "__dict__", {})), metadata)
    return Raw(text, path, "document", node.node_id, origin=_origin(text, body, metadata), attributes=attributes)


def _document(fields: Mapping[str, Any]) -> str | None:
    """The document that a node was cut from, from its fields: its own property is slower."""
    related = fields.get("relationships")
    source = related.get(_SOURCE) if related else None
    known = getattr(source, "node_id", None)
    return known if isinstance(known, str) else None


def _attributes(
    rank: int, score: object, kind: type, document: str | None, metadata: Mapping[Any, Any]
) -> dict[str, Any]:
    attributes: dict[str, Any] = {"rank": rank}
    if isinstance(score, Real):
        attributes["score"] = float(score)
    if document is not None:
        attributes["ref_doc_id"] = document
    if kind.__name__.startswith("Image"):
        attributes["modality"] = "image"
    attributes.update((k, v) for k, v in metadata.items() if isinstance(v, str | int | float))
    return attributes


def _is_plain(kind: type) -> bool:
    """True for a class of LlamaIndex that renders its text and metadata in LlamaIndex's own way; remembered."""
    known = _plain.get(kind)
    if known is None:
        if len(_plain) >= _CLASSES:
            _plain.clear()
        own = next((base for base in kind.__mro__ if base.__name__ == "TextNode"), None)
        methods = ("get_content", "get_metadata_str", "__getattribute__")
        known = own is not None and own.__module__ == "llama_index.core.schema"
        known = known and all(getattr(kind, name) is getattr(own, name) for name in methods)
        _plain[kind] = known
    return known


def _origin(text: str, body: object, metadata: Mapping[Any, Any]) -> Origin | None:
    """Who wrote a node, if it tells: a model an answer to a sub-question; a window was indexed with its sentence."""
    if _SUB_ANSWER.match(text):
        return "model"
    return "retrieved" if any(isinstance(value, str) and value == body for value in metadata.values()) else None
