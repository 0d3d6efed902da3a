"""The provenance graph: which text went into which, from the sources to the answer. Frozen data, pure queries."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from trail_callbacks import display
from trail_callbacks.errors import GraphError
from trail_callbacks.node import (
    CUT_OFF,
    EVIDENCE_KINDS,
    EVIDENCE_ORIGINS,
    LOST,
    REQUEST_ORIGINS,
    Basis,
    Edge,
    Node,
    NodeKind,
    Origin,
    Source,
    Sources,
    as_node,
    content,
)
from trail_callbacks.text import encodable

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = [
    "CUT_OFF",
    "EVIDENCE_KINDS",
    "EVIDENCE_ORIGINS",
    "LOST",
    "REQUEST_ORIGINS",
    "Basis",
    "Edge",
    "Node",
    "NodeKind",
    "Origin",
    "ProvenanceGraph",
    "Source",
    "Sources",
]


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
        return display.fragment(self)

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
