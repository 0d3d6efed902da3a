"""Phrases that all renderings share: the headline, counts, names of nodes, entry steps, error types."""

from __future__ import annotations

from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.render.marks import NOT_JUDGED, mark
from trail_callbacks.render.safe_text import plain, shorten
from trail_callbacks.report import Layer, Report, Verdict

__all__ = ["carriers", "counted", "entered", "error_words", "headline", "named"]

_STATES = {
    "abstained": "no score: the answer declines to answer",
    "no_checkable_claims": "no score: the answer makes no checkable claim",
    "no_evidence": "no score: no source reached the answer",
    "interrupted": "no score: the run was interrupted and has not answered yet",
    "error": "no score: the verification failed",
}
_NAME = 80  # characters of a step's name, an id or an error's detail; models choose some of these
_CARRIERS = 12
_TITLES = ("source", "file_name", "title")  # as loaders of both frameworks name them


def headline(report: Report) -> str:
    """The score with its interval, or why there is none."""
    value, interval = report.hallucination_score, report.interval
    if value is None and report.graph.answer is None:
        return "no score: the app gave no answer"
    if value is None:
        return _STATES.get(report.state, f"no score: nothing could be checked ({report.state})")
    spread = f" (95 % interval {interval[0]:.2f} to {interval[1]:.2f})" if interval else ""
    part = ", over the claims that were judged" if report.state == "partial" else ""
    return f"hallucination score {value:.2f}{spread}{part}"


def counted(report: Report) -> str:
    """The number of claims of each class, in words."""
    n = len(report.claims)
    parts = [f"{count} {mark(support).word}" for support, count in report.class_counts.items() if count]
    failed = sum(verdict.support is None for verdict in report.verdicts)
    parts += [f"{failed} {NOT_JUDGED.word}"] if failed else []
    return f"{n} claim{'' if n == 1 else 's'}" + (": " + ", ".join(parts) if parts else "")


def named(node_id: str, graph: ProvenanceGraph) -> str:
    """Names a node for a reader: `history.md (d1)` for a document, `summarise (m2)` for the output of a step.

    A document is named by its source, file name or title, another node by its step, and a node without these by its
    kind.
    """
    node = graph.node(node_id)
    titles = (node.attributes.get(key) for key in _TITLES) if node.kind == "document" else ()
    title = next((value for value in titles if isinstance(value, str) and value.strip()), None)
    step = (title or node.step or node.kind.replace("_", " ")).strip()
    id_ = shorten(node_id, _NAME)
    return id_ if step == node_id else f"{shorten(step, _NAME)} ({id_})"


def entered(verdict: Verdict, graph: ProvenanceGraph) -> list[str]:
    """The entry step of a claim: one line, or one for each part of the claim that was traced separately."""
    if not verdict.history:
        return [named(verdict.introduced_at, graph)] if verdict.introduced_at else []
    followed: dict[str, list[Layer]] = {}
    for layer in verdict.history:
        followed.setdefault(layer.statement, []).append(layer)
    if len(followed) == 1 and verdict.introduced_at:
        return [named(verdict.introduced_at, graph)]
    lines = []
    for statement, layers in followed.items():
        stating = [graph.node(id_) for layer in layers for id_ in layer.stated_by]
        first = min(stating, key=lambda node: node.stage or 0, default=graph.answer)
        where = named(first.id, graph) if first else "the answer"
        if verdict.introduced_at is None or layers[-1].note.startswith("undetermined"):
            where = layers[-1].note if layers[-1].note.startswith("undetermined") else "undetermined"
        lines.append(f'{where}: "{statement}"' if statement else where)
    return lines if verdict.error_type else []


def carriers(verdict: Verdict, graph: ProvenanceGraph) -> str:
    """Names the nodes that repeat a claim, in order; only the first if there are very many."""
    names = [named(node, graph) for node in verdict.carried_through[:_CARRIERS]]
    more = len(verdict.carried_through) - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more else "")


def error_words(verdict: Verdict) -> str:
    """The error type of a verdict with its detail: `number`, `other: fabricated addition`; empty if there is none."""
    if verdict.conflicting:
        return "sources disagree"
    if verdict.error_type is None:
        return ""
    words = verdict.error_type.value.replace("_", " ")
    words += f" or {verdict.second_type.value.replace('_', ' ')}" if verdict.second_type else ""
    return f"{words}: {plain(shorten(verdict.detail, _NAME))}" if verdict.detail else words
