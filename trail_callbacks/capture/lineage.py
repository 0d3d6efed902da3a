"""Which nodes contributed text to a piece: links composed, hop by hop, back to nodes; and the graph of them all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from trail_callbacks.capture.events import FILTER
from trail_callbacks.capture.link import Link, Linker
from trail_callbacks.capture.match import Text, arrived, overlap
from trail_callbacks.capture.runs import CapturedRun, Slot
from trail_callbacks.evidence.labels import Labelled, labelled
from trail_callbacks.graph import Basis, Edge, Node, NodeKind, Origin, ProvenanceGraph

_RANK: dict[Basis, int] = {"declared": 0, "matched": 1, "scope": 2}


@dataclass(frozen=True, slots=True)
class Contribution:
    """How a node's text reached a piece."""

    basis: Basis
    coverage: float
    opaque: bool = False
    alternatives: frozenset[NodeDraft] = frozenset()


@dataclass(slots=True, eq=False)
class NodeDraft:
    """A node under construction. Edges lead from a smaller `order` to a larger one, so no cycle can arise."""

    kind: NodeKind
    text: Text
    run: CapturedRun
    order: float
    attributes: dict[str, Any] = field(default_factory=dict)
    inputs: dict[NodeDraft, Contribution] = field(default_factory=dict)
    from_code: bool = False  # the output of plain code, not of a model, retriever or tool
    origin: Origin | None = None  # None: what the kind suggests
    declared: bool = False  # the app says that it is a source: as a document, or by the name of its input
    model_spans: tuple[tuple[int, int], ...] = ()
    slot: Slot | None = None  # of a message that was there before the run: its place in the history
    step: str | None = None  # None: the run's name


Contributions = dict[NodeDraft, Contribution]
_ITSELF = Contribution("declared", 1.0)


def merge(into: Contributions, more: Contributions) -> None:
    """Adds contributions; of two by the same node, keeps the one with the stronger basis, then the higher coverage."""
    for node, contribution in more.items():
        known = into.get(node)
        if known is None or (_RANK[contribution.basis], -contribution.coverage) < (_RANK[known.basis], -known.coverage):
            into[node] = contribution


class LineageResolver:
    """Finds the nodes behind a piece."""

    def __init__(self, linker: Linker, anchor: Callable[[Slot], NodeDraft | None]) -> None:
        self._linker = linker
        self._anchor = anchor
        self._known: dict[Slot, Contributions] = {}

    def of(self, slot: Slot) -> Contributions:
        """Returns the nodes whose text a piece contains. Iterative: chains of a thousand steps are common."""
        todo, begun = [slot], set[Slot]()
        while todo:
            here = todo[-1]
            if here in self._known:
                todo.pop()
                continue
            node = self._anchor(here)
            if node is not None:
                self._known[here] = {node: _ITSELF}
                continue
            links = [link for link in self._linker.of(here) if not link.undecided]
            begun.add(here)  # a piece that waits for itself goes without; one that is yet to come is taken first
            waiting = [link.source for link in links if link.source not in self._known and link.source not in begun]
            if waiting:
                todo.extend(reversed(waiting))  # the first is taken first: turns keep their order
                continue
            contributions: Contributions = {}
            for link in links:
                for node, contribution in self._known.get(link.source, {}).items():
                    passed = self._hop(link, node, contribution, self._linker.text(here))
                    if passed is not None:
                        if link.alternatives:
                            passed = replace(passed, alternatives=passed.alternatives | self._nodes(link.alternatives))
                        merge(contributions, {node: passed})
            self._known[here] = contributions
        return self._known[slot]

    def forget(self, slot: Slot) -> None:
        """Drops the cached result for a piece that has since become a node of its own."""
        self._known.pop(slot, None)

    def _nodes(self, slots: Iterable[Slot]) -> frozenset[NodeDraft]:
        """The nodes behind pieces, as far as they are known so far."""
        found: set[NodeDraft] = set()
        for slot in slots:
            node = self._anchor(slot)
            found.update(self._known.get(slot, ()) if node is None else (node,))
        return frozenset(found)

    @staticmethod
    def _hop(link: Link, node: NodeDraft, contribution: Contribution, target: Text) -> Contribution | None:
        basis = max(link.basis, contribution.basis, key=_RANK.__getitem__)
        if link.whole and not contribution.opaque:
            return contribution if basis == contribution.basis else replace(contribution, basis=basis)
        if link.opaque or contribution.opaque:
            return Contribution(basis, arrived(node.text, target), opaque=True, alternatives=contribution.alternatives)
        match = overlap(node.text, target)
        return (
            None if match is None else Contribution(basis, match.coverage, alternatives=contribution.alternatives)
        )  # None: this node's part was cut out


_LETTER = {"question": "q", "instruction": "i", "document": "d", "tool_result": "t", "completion": "m", "answer": "a"}


def assemble(
    drafts: Iterable[NodeDraft], first: NodeDraft | None, decisions: FilterDecisions, other_outputs: Sequence[str]
) -> ProvenanceGraph:
    """Makes the graph of finished drafts."""
    ordered = sorted(drafts, key=lambda draft: (draft is not first, draft.order))
    ids: dict[NodeDraft, str] = {}
    numbers: dict[str, int] = defaultdict(int)
    for draft in ordered:
        numbers[draft.kind] += 1
        ids[draft] = "answer" if draft.kind == "answer" else f"{_LETTER[draft.kind]}{numbers[draft.kind]}"
    decisions.write(ids)
    nodes = tuple(
        Node(
            id=ids[draft], kind=draft.kind, text=draft.text.text, step=_step(draft), run_id=draft.run.id,
            origin=draft.origin, model_spans=draft.model_spans, attributes=draft.attributes,
        )
        for draft in ordered
    )  # fmt: skip
    edges = tuple(
        Edge(
            source=ids[source], target=ids[draft], basis=part.basis, coverage=min(1.0, part.coverage),
            ambiguous=len(part.alternatives.difference(draft.inputs, (draft,))) if part.alternatives else 0,
        )
        for draft in ordered
        for source, part in sorted(draft.inputs.items(), key=lambda item: item[0].order)
    )  # fmt: skip
    return _with_other_outputs(ProvenanceGraph(nodes=nodes, edges=edges), other_outputs)


def _with_other_outputs(graph: ProvenanceGraph, texts: Sequence[str]) -> ProvenanceGraph:
    """Lists on the answer the other model outputs that the app returned; those upstream of the answer do not count."""
    answer = graph.answer
    if answer is None or not texts:
        return graph
    before = {node.id for node in graph.upstream(answer.id)}
    found = [
        node.id
        for node in graph.nodes
        if node.kind == "completion" and node.id not in before and node.text.strip() in texts
    ]
    if not found:
        return graph
    noted = replace(answer, attributes={**answer.attributes, "beside": found})
    return replace(graph, nodes=tuple(noted if node is answer else node for node in graph.nodes))


def _step(draft: NodeDraft) -> str:
    if draft.kind == "question":
        return "user"
    if draft.step is not None:
        return draft.step
    return draft.run.step if draft.kind != "instruction" else f"prompt of {draft.run.step}"


class FilterDecisions:
    """The filter decisions found on the inputs of runs, assigned to the nodes they are about.

    A filter creates no documents; it only passes them on or drops them. So its decision belongs to the node of the step
    that returned the document, and the node of a dropped document has no outgoing edge.
    """

    def __init__(self, runs: Iterable[CapturedRun], resolver: LineageResolver) -> None:
        self._decisions: list[tuple[NodeDraft, Mapping[str, Any], Mapping[object, NodeDraft]]] = []
        for run in runs:
            marked = [slot for slot in run.inputs if isinstance(slot.piece.attributes.get(FILTER), Mapping)]
            if not marked:
                continue
            nodes: dict[object, NodeDraft] = {}
            for slot in run.inputs:
                if slot.piece.form == "document" and slot.piece.path:
                    text = slot.piece.text.strip()
                    same = [node for node in resolver.of(slot) if node.text.text.strip() == text]
                    if same:
                        nodes[slot.piece.path[-1]] = max(same, key=lambda node: node.order)
            for slot in marked:
                node = nodes.get(slot.piece.path[-1]) if slot.piece.path else None
                if node is not None:
                    self._decisions.append((node, slot.piece.attributes[FILTER], nodes))

    def write(self, ids: Mapping[NodeDraft, str]) -> None:
        """Writes the decisions into the attributes of their nodes; positions in the filter's input become node ids."""
        for node, decision, nodes in self._decisions:
            reasons = []
            for reason in filter(_is_reason, decision.get("reasons") or ()):
                against = [ids[nodes[i]] for i in reason.get("against", ()) if i in nodes and nodes[i] in ids]
                reasons.append({**reason, "against": against} if "against" in reason else dict(reason))
            node.attributes[FILTER] = {"kept": bool(decision.get("kept", True)), "reasons": reasons}


def _is_reason(given: object) -> bool:
    """False for what a saved trace may hold and no filter writes."""
    return isinstance(given, Mapping)


SOURCE_LABELS = "source_labels"
"""Attribute of a model's output: for each number `[node id, start, end]` of each part of a source that it stood for."""

_MOST = 400  # labels in a prompt that are looked up
_HEAD = 80  # characters by which a part of a source is found in it
_TELLING = 16  # characters; fewer may stand anywhere


def with_source_labels(graph: ProvenanceGraph, runs: Iterable[CapturedRun]) -> ProvenanceGraph:
    """Adds the attribute to the outputs of models whose prompts number their sources."""
    prompts = {run.id: _prompt(run) for run in runs if run.kind == "model"}
    parts = {run_id: (text, found) for run_id, text in prompts.items() if (found := list(labelled(text))[:_MOST])}
    if not parts:
        return graph
    nodes = []
    for node in graph.nodes:
        known: Mapping[str, list[list[object]]] = {}
        if node.kind in {"completion", "answer"} and node.run_id in parts:
            sources = [source for source in graph.inputs(node.id) if source.is_evidence and not source.is_request]
            known = _known(*parts[node.run_id], sources)
        nodes.append(replace(node, attributes={**node.attributes, SOURCE_LABELS: known}) if known else node)
    return replace(graph, nodes=tuple(nodes))


def _prompt(run: CapturedRun) -> str:
    return "\n".join(slot.piece.text for slot in run.inputs if slot.piece.form != "tool_call")


def _known(prompt: str, parts: Sequence[Labelled], sources: Sequence[Node]) -> dict[str, list[list[object]]]:
    known: dict[str, list[list[object]]] = {}
    for part in parts:
        body = prompt[part.body : part.end]
        for source in sources:
            at = _place(body, source.text)
            if at is not None:
                known.setdefault(part.label, []).append([source.id, *at])
    return known


def _place(body: str, source: str) -> tuple[int, int] | None:
    """Which part of a source a labelled part of a prompt shows; None for none."""
    whole = source.strip()
    if whole and whole in body:
        return 0, len(source)
    shown = body.strip()
    head = shown[:_HEAD]
    at = source.find(head) if len(head) >= _TELLING else -1
    if at < 0:
        return None
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(shown, source[at:], strict=False))
    return at, at + sum(1 for _ in alike)
