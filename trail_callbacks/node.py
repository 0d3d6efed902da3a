"""The nouns of a provenance graph: a text with who wrote it, an edge, and what may be given as a source."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

NodeKind = Literal["question", "instruction", "document", "tool_result", "completion", "answer"]
Basis = Literal["declared", "matched", "scope"]
Origin = Literal["retrieved", "tool", "user", "template", "given", "model", "unknown"]
"""Who wrote a text: it was `retrieved`, or came from a `tool`; the `user` wrote it; it is the literal wording of a
prompt `template`; the app put it into a prompt (`given`); a `model` wrote it, in this run or in an earlier one of the
conversation; or nobody can tell (`unknown`)."""


EVIDENCE_KINDS: frozenset[str] = frozenset({"document", "tool_result", "question", "instruction"})
"""Kinds of nodes that a claim may rest on, if their origin allows it too."""

EVIDENCE_ORIGINS: frozenset[str] = frozenset({"retrieved", "tool", "user", "template", "given"})
"""Origins of text that a claim may rest on. What a model wrote, or may have written, is never evidence."""

REQUEST_ORIGINS: frozenset[str] = frozenset({"user", "template"})
"""Origins of text that asks rather than informs. It may contain facts; claims that rest on nothing else are marked."""

CUT_OFF = "cut"
"""Attribute of an answer, True: the app stopped it, or stopped reading it. Its text is what was read by then."""

LOST = "lost"
"""Attribute of an answer: what its graph lacks, a list of sentences. A report on such an answer is never complete."""

_ORIGINS: dict[str, Origin] = {
    "question": "user",
    "instruction": "template",
    "document": "given",
    "tool_result": "tool",
    "completion": "model",
    "answer": "model",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A span of text in a run: a source, an intermediate output or the answer.

    Attributes:
        id: Unique in its graph.
        kind: `question`, `instruction`, `document`, `tool_result`, `completion` or `answer`.
        text: The whole text; may be empty, never None. A graph replaces lone surrogates, which cannot be encoded, by
            U+FFFD.
        step: Name of the component that wrote or retrieved it.
        stage: Longest distance from a node without inputs, 0 or more. Computed by `ProvenanceGraph`.
        run_id: The framework run that wrote or retrieved it.
        origin: Who wrote it, see `Origin`; by default what its kind suggests.
        model_spans: Character ranges of the text that repeat what a model wrote, in order and without overlap, such as
            an argument that a tool echoes. They are not evidence; the rest of the text is, if `origin` allows it.
        attributes: JSON-safe details: model, source uri, score, rank, ...
    """

    id: str
    kind: NodeKind
    text: str
    step: str | None = None
    stage: int | None = None
    run_id: str | None = None
    origin: Origin | None = None
    model_spans: tuple[tuple[int, int], ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Fills in the origin."""
        if self.origin is None:
            object.__setattr__(self, "origin", _ORIGINS.get(self.kind, "unknown"))

    @property
    def is_evidence(self) -> bool:
        """True if a claim may rest on this text, `model_spans` aside."""
        return self.kind in EVIDENCE_KINDS and self.origin in EVIDENCE_ORIGINS

    @property
    def has_model_text(self) -> bool:
        """True if the text came as a source or instruction, but a model wrote it, or may have, in whole or in part."""
        return self.kind in EVIDENCE_KINDS and (bool(self.model_spans) or self.origin not in EVIDENCE_ORIGINS)

    @property
    def is_request(self) -> bool:
        """True if the text asks rather than informs: the user's request, the wording of a prompt."""
        return self.origin in REQUEST_ORIGINS


class _Document(Protocol):
    """A LangChain `Document`."""

    @property
    def page_content(self) -> str: ...


class _TextNode(Protocol):
    """A LlamaIndex `TextNode`, `Document` or `NodeWithScore`."""

    def get_content(self) -> str: ...


Source: TypeAlias = str | Node | _Document | _TextNode
"""What an answer is checked against: a text, a node of any evidence kind, or a document of LangChain or LlamaIndex."""

Sources: TypeAlias = Source | Iterable[Source]
"""One source, or several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """The text of `source` was an input of the step that wrote `target`.

    Attributes:
        source: Node id.
        target: Node id.
        basis: `declared` by ids or structure, `matched` by text, or `scope`: only known to have been in reach.
        coverage: Share of the source text that arrived, 0.0 to 1.0.
        ambiguous: Number of other nodes that contain the same words; this source is the most likely one.
    """

    source: str
    target: str
    basis: Basis = "declared"
    coverage: float = 1.0
    ambiguous: int = 0


def content(source: Any) -> str | None:
    """The text of a framework's document; None for anything else."""
    content = getattr(source, "page_content", None)
    if content is None and callable(read := getattr(source, "get_content", None)):
        content = read()
    return content if isinstance(content, str) else None


def as_node(source: Any, id_: str, taken: Collection[str]) -> Node:
    """A text, or a framework's document with its metadata, as a node; `id_` is for what has no id that is free."""
    text = content(source)
    if text is None:
        return Node(id=id_, kind="document", text=source, step="source")
    inner = getattr(source, "node", source)  # a `NodeWithScore` has one
    own = getattr(inner, "node_id", None) or getattr(inner, "id", None)
    metadata = getattr(inner, "metadata", None)
    attributes = dict(metadata) if isinstance(metadata, Mapping) else {}
    score = getattr(source, "score", None)
    if isinstance(score, (int, float)):
        attributes.setdefault("score", score)
    return Node(
        id=own if isinstance(own, str) and own and own not in taken else id_,
        kind="document",
        text=text,
        step="source",
        origin="given",
        attributes=json.loads(json.dumps(attributes, default=str, skipkeys=True)),
    )
