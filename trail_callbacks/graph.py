"""The provenance graph: which text went into which, from the sources to the answer. Frozen data, pure queries."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from trail_callbacks import display
from trail_callbacks.errors import GraphError
from trail_callbacks.text import encodable, shorten

if TYPE_CHECKING:
    from pydantic import TypeAdapter


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

UNSEEN = "unseen"
"""Attribute of a text of unknown origin that was in a state before the run: its step, or else its channel."""

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


@dataclass(frozen=True, kw_only=True)
class ProvenanceGraph:
    """A directed acyclic graph of texts.

    Attributes:
        nodes: All nodes; if several are questions, the first is the one that the run was asked.
        edges: All edges, at most one between two nodes.

    Raises:
        GraphError: On a duplicate node id, an edge to an unknown node, a repeated edge, a cycle, two answers,
            a text that is not a string, or a coverage outside 0..1.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()

    def __post_init__(self) -> None:
        """Checks the rules above, makes texts encodable and fills in each node's stage."""
        object.__setattr__(self, "edges", tuple(self.edges))
        nodes = tuple(self.nodes)
        _check(nodes, self.edges)
        nodes = tuple(n if (text := encodable(n.text)) is n.text else replace(n, text=text) for n in nodes)
        stages = _stages(nodes, self.edges)
        object.__setattr__(
            self,
            "nodes",
            tuple(n if n.stage == stages[n.id] else replace(n, stage=stages[n.id]) for n in nodes),
        )

    @cached_property
    def _by_id(self) -> dict[str, Node]:
        return {node.id: node for node in self.nodes}

    @cached_property
    def _sources(self) -> dict[str, list[str]]:
        sources: dict[str, list[str]] = defaultdict(list)
        for edge in self.edges:
            sources[edge.target].append(edge.source)
        return dict(sources)

    @property
    def answer(self) -> Node | None:
        """What the app returned, or None if it returned nothing (it raised, or is still running)."""
        return next((node for node in self.nodes if node.kind == "answer"), None)

    @property
    def question(self) -> Node | None:
        """The user's request, or None."""
        return next((node for node in self.nodes if node.kind == "question"), None)

    def node(self, id: str) -> Node:  # noqa: A002 - the public contract names it so
        """Returns the node with this id.

        Raises:
            KeyError: If there is none.
        """
        return self._by_id[id]

    def inputs(self, id: str) -> tuple[Node, ...]:  # noqa: A002 - the public contract names it so
        """Returns the direct inputs of a node, in the order of the edges."""
        return tuple(self._by_id[source] for source in self._sources.get(self._by_id[id].id, ()))

    def upstream(self, id: str) -> tuple[Node, ...]:  # noqa: A002 - the public contract names it so
        """Returns every node from which a path leads to this one, except itself, sources first."""
        seen: set[str] = set()
        todo = [self._by_id[id].id]
        while todo:
            for source in self._sources.get(todo.pop(), ()):
                if source not in seen:
                    seen.add(source)
                    todo.append(source)
        found = (node for node in self.nodes if node.id in seen)
        return tuple(sorted(found, key=lambda node: node.stage or 0))

    def leaves(self, id: str | None = None) -> tuple[Node, ...]:  # noqa: A002 - the public contract names it so
        """Returns the evidence upstream of a node: documents, tool results, questions and instructions.

        A document stays a leaf although a query led to it.
        What a model wrote, or may have written, is not a leaf, whatever the kind of its node.

        Args:
            id: A node; by default the answer. Without an answer, all evidence of the graph.
        """
        if id is None:
            answer = self.answer
            if answer is None:
                return tuple(node for node in self.nodes if node.is_evidence)
            id = answer.id  # noqa: A001 - see the signature
        return tuple(node for node in self.upstream(id) if node.is_evidence)

    def path(self, a: str, b: str) -> tuple[Node, ...]:
        """Returns a shortest path from node a to node b, both included; empty if there is none."""
        before: dict[str, str] = {}
        todo = deque([self._by_id[b].id])
        while todo:
            here = todo.popleft()
            if here == self._by_id[a].id:
                steps = [here]
                while steps[-1] != b:
                    steps.append(before[steps[-1]])
                return tuple(self._by_id[step] for step in steps)
            for source in self._sources.get(here, ()):
                if source != b and source not in before:
                    before[source] = here
                    todo.append(source)
        return ()

    def to_json(self) -> str:
        """Serialises the graph; `from_json` returns an equal one.

        Raises:
            GraphError: If an attribute of a node is not JSON-serialisable (text, number, list, dictionary).
        """
        from pydantic_core import PydanticSerializationError  # noqa: PLC0415 - see _adapter

        try:
            return _adapter().dump_json(self).decode()
        except PydanticSerializationError as error:
            raise GraphError(f"an attribute of a node cannot be written as JSON: {error}") from error

    @classmethod
    def from_json(cls, data: str | bytes) -> ProvenanceGraph:
        """Reads a graph written by `to_json`.

        Raises:
            GraphError: If the text is not JSON, is truncated, or does not describe a valid graph; the message says
                where.
        """
        from pydantic import ValidationError  # noqa: PLC0415 - see _adapter

        try:
            return _adapter().validate_json(data)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "the top level"
            raise GraphError(f"not a provenance graph: {first['msg']} (at {where})") from error

    @classmethod
    def from_texts(cls, answer: str, sources: Sources, question: str | None = None) -> ProvenanceGraph:
        """Builds the graph of a single step with the sources and the question as inputs and the answer as output.

        Args:
            answer: The text to verify.
            sources: Texts, nodes of any evidence kind, LangChain `Document`s, or LlamaIndex `TextNode`s, `Document`s
                and `NodeWithScore`s; one alone is one source. Documents keep their metadata (what JSON cannot hold
                as text) and, unless it is taken or missing, their id.
            question: The user's request, if known.

        Raises:
            GraphError: If a text is not a string or two nodes share an id.
        """
        if isinstance(sources, (bytes, Mapping, type(None))):
            raise GraphError(f"sources is {type(sources).__name__}, expected texts or nodes ([] for none)")
        is_one = isinstance(sources, (str, Node)) or content(sources) is not None
        given: list[Any] = [sources] if is_one else list(sources)  # type: ignore[arg-type]  # else an iterable
        nodes = [Node(id="question", kind="question", text=question, step="user")] if question else []
        taken = {"question", "answer", *(source.id for source in given if isinstance(source, Node))}
        for i, source in enumerate(given, 1):
            node = source if isinstance(source, Node) else as_node(source, f"source-{i}", taken)
            taken.add(node.id)
            nodes.append(node)
        edges = [Edge(source=node.id, target="answer") for node in nodes]
        nodes.append(Node(id="answer", kind="answer", text=answer, step="answer"))
        return cls(nodes=tuple(nodes), edges=tuple(edges))

    def _repr_html_(self) -> str:
        """Renders for a notebook: a drawing of the stages, no script, all text escaped."""
        return display.made("fragment", self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002 - IPython's protocol
        """Prints only the counts; notebooks store this text beside the drawing, and all texts would bloat them."""
        printer.text(f"ProvenanceGraph of {len(self.nodes):,} nodes and {len(self.edges):,} edges")


def _check(nodes: Sequence[Node], edges: Sequence[Edge]) -> None:
    ids: set[str] = set()
    for node in nodes:
        _check_text(node)
        if node.id in ids:
            raise GraphError(f"two nodes have the id {node.id!r}: ids must be unique in a graph")
        ids.add(node.id)
    answers = [node.id for node in nodes if node.kind == "answer"]
    if len(answers) > 1:
        raise GraphError(f"a graph has one answer, this one has {len(answers)}: {', '.join(answers)}")
    pairs: set[tuple[str, str]] = set()
    for edge in edges:
        for end in (edge.source, edge.target):
            if end not in ids:
                raise GraphError(f"edge {edge.source!r} -> {edge.target!r}: no node has the id {end!r}")
        if not 0.0 <= edge.coverage <= 1.0:
            raise GraphError(f"edge {edge.source!r} -> {edge.target!r}: coverage {edge.coverage} is not in 0..1")
        if (edge.source, edge.target) in pairs:
            raise GraphError(f"edge {edge.source!r} -> {edge.target!r} is given twice")
        pairs.add((edge.source, edge.target))


def _check_text(node: Node) -> None:
    if not isinstance(node.text, str):
        raise GraphError(f"node {node.id!r}: text is {type(node.text).__name__}, expected str (use '' for none)")
    if any(not 0 <= start < end <= len(node.text) for start, end in node.model_spans):
        raise GraphError(f"node {node.id!r}: model_spans {node.model_spans} are not ranges of its text")


def _stages(nodes: Sequence[Node], edges: Sequence[Edge]) -> dict[str, int]:
    """Longest distance from a root for every node, by Kahn's topological sort."""
    targets: dict[str, list[str]] = defaultdict(list)
    waiting = dict.fromkeys((node.id for node in nodes), 0)
    for edge in edges:
        targets[edge.source].append(edge.target)
        waiting[edge.target] += 1
    stages = {id_: 0 for id_, count in waiting.items() if count == 0}
    todo = deque(stages)
    done = 0
    while todo:
        here = todo.popleft()
        done += 1
        for target in targets[here]:
            stages[target] = max(stages.get(target, 0), stages[here] + 1)
            waiting[target] -= 1
            if waiting[target] == 0:
                todo.append(target)
    if done < len(waiting):
        stuck = next(id_ for id_, count in waiting.items() if count)
        raise GraphError(f"the graph has a cycle through node {stuck!r}: a text cannot be its own input")
    return stages


@cache
def _adapter() -> TypeAdapter[ProvenanceGraph]:
    """The codec, imported on first use: pydantic takes longer to import than all of this package."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - see above

    return TypeAdapter(ProvenanceGraph)


_LONGEST_NAME = 80  # characters of a step's name or an id; models choose some of these
_TITLES = ("source", "file_name", "title")  # as loaders of both frameworks name them


def named(node_id: str, graph: ProvenanceGraph) -> str:
    """Names a node for a reader: `history.md (d1)` for a document, `summarise (m2)` for the output of a step.

    A document is named by its source, file name or title, another node by its step, and a node without these by its
    kind.
    """
    node = graph.node(node_id)
    titles = (node.attributes.get(key) for key in _TITLES) if node.kind == "document" else ()
    title = next((value for value in titles if isinstance(value, str) and value.strip()), None)
    step = (title or node.step or node.kind.replace("_", " ")).strip()
    id_ = shorten(node_id, _LONGEST_NAME)
    return id_ if step == node_id else f"{shorten(step, _LONGEST_NAME)} ({id_})"
