"""Under which numbers a model was shown its sources: without them nobody can tell what its `[2]` means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from trail_callbacks.capture.runs import Run
from trail_callbacks.evidence.labels import Labelled, labelled
from trail_callbacks.graph import Node, ProvenanceGraph

__all__ = ["SOURCE_LABELS", "with_source_labels"]

SOURCE_LABELS = "source_labels"
"""Attribute of a model's output: for each number `[node id, start, end]` of each part of a source that it stood for."""

_MOST = 400  # labels in a prompt that are looked up
_HEAD = 80  # characters by which a part of a source is found in it
_TELLING = 16  # characters; fewer may stand anywhere


def with_source_labels(graph: ProvenanceGraph, runs: Iterable[Run]) -> ProvenanceGraph:
    """Adds the attribute to the outputs of models whose prompts number their sources.

    Args:
        graph: The graph.
        runs: The runs that it was made of.
    """
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


def _prompt(run: Run) -> str:
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
    return None if at < 0 else (at, at + _alike(shown, source[at : at + len(shown)]))


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
