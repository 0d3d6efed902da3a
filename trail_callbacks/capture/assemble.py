"""Node drafts to graph: ids, order, edges."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from trail_callbacks.capture.filter_decisions import FilterDecisions
from trail_callbacks.capture.lineage import NodeDraft
from trail_callbacks.graph import Edge, Node, ProvenanceGraph

__all__ = ["assemble"]

_LETTER = {"question": "q", "instruction": "i", "document": "d", "tool_result": "t", "completion": "m", "answer": "a"}


def assemble(
    drafts: Iterable[NodeDraft], first: NodeDraft | None, decisions: FilterDecisions, other_outputs: Sequence[str]
) -> ProvenanceGraph:
    """Makes the graph of finished drafts.

    Args:
        drafts: All nodes with their inputs.
        first: The question that the run was asked; it becomes the first node.
        decisions: Written into the attributes of the nodes they are about.
        other_outputs: Texts that the app returned besides its answer.
    """
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
