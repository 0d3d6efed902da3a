"""Redaction of finished reports and traces, before they are written.

A report points into its texts by offsets. So a word that `redact` changes is masked by fillers of its length there;
what nothing points into, and traces, which are flat events, hold what `redact` makes of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from difflib import SequenceMatcher
from functools import cache
from typing import TypeVar

from trail_callbacks.capture.redaction import Redactor
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.observations import Observation
from trail_callbacks.report import Layer, Report, Selected, Verdict
from trail_callbacks.report.diagnosis import Diagnosis
from trail_callbacks.report.withheld import FILLER
from trail_callbacks.trace import Trace

__all__ = ["redacted_report", "redacted_run", "redacted_trace"]

_NAMED = ("request", "session", "user", "tenant", "query_class")
_WORD = re.compile(r"\S+")

Quoting = TypeVar("Quoting", Evidence, Selected)


class _Report:
    """The redaction of one report."""

    def __init__(self, report: Report, redactor: Redactor) -> None:
        self._report, self._redactor = report, redactor
        self.text = cache(redactor.text)
        self._masked = {node.id: self.mask(node.text) for node in report.graph.nodes}

    def mask(self, text: str) -> str:
        """Returns a text of the same length in which the words that `redact` changes are fillers."""
        redacted = self.text(text)
        if redacted == text:
            return text
        words = list(_WORD.finditer(text))
        kept = SequenceMatcher(None, [each[0] for each in words], _WORD.findall(redacted), autojunk=False)
        same = {n for block in kept.get_matching_blocks() for n in range(block.a, block.a + block.size)}
        parts, end = [], 0
        for n, word in enumerate(words):
            parts += [text[end : word.start()], word[0] if n in same else FILLER * len(word[0])]
            end = word.end()
        return "".join([*parts, text[end:]])

    def result(self) -> Report:
        report, graph, text = self._report, self._report.graph, self.text
        nodes = tuple(
            replace(
                node,
                text=self._masked[node.id],
                step=None if node.step is None else text(node.step),
                attributes=self._redactor.metadata(node.attributes),
            )
            for node in graph.nodes
        )
        answer = self._masked[graph.answer.id] if graph.answer else ""
        claims = tuple(
            replace(
                claim,
                text=text(claim.text),
                quote=answer[claim.start : claim.end],
                citations=tuple(replace(each, target=text(each.target)) for each in claim.citations),
                path=text(claim.path),
            )
            for claim in report.claims
        )
        return replace(
            report,
            graph=ProvenanceGraph(nodes=nodes, edges=graph.edges),
            claims=claims,
            verdicts=tuple(map(self._verdict, report.verdicts)),
            warnings=tuple(map(text, report.warnings)),
            claims_error=self._perhaps(report.claims_error),
            diagnosis=self._diagnosis(report.diagnosis) if report.diagnosis else None,
        )

    def _perhaps(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def _quoted(self, quoting: Quoting) -> Quoting:
        return replace(quoting, quote=self._masked[quoting.node_id][quoting.start : quoting.end])

    def _verdict(self, verdict: Verdict) -> Verdict:
        return replace(
            verdict,
            detail=self._perhaps(verdict.detail),
            rationale=self.text(verdict.rationale),
            evidence=tuple(map(self._quoted, verdict.evidence)),
            history=tuple(map(self._layer, verdict.history)),
            undecided=self._perhaps(verdict.undecided),
            error=self._perhaps(verdict.error),
        )

    def _layer(self, layer: Layer) -> Layer:
        return replace(
            layer,
            note=self.text(layer.note),
            statement=self.text(layer.statement),
            selected=tuple(map(self._quoted, layer.selected)),
            summaries=tuple(replace(each, text=self.text(each.text)) for each in layer.summaries),
        )

    def _diagnosis(self, found: Diagnosis) -> Diagnosis:
        text = self.text
        breaks = tuple(replace(each, reasons=tuple(map(text, each.reasons))) for each in found.breaks)
        return replace(
            found,
            first_break=breaks[0] if found.first_break and breaks else None,
            breaks=breaks,
            reasons=tuple(map(text, found.reasons)),
            coverage=replace(found.coverage, missing=text(found.coverage.missing)),
            facets=tuple(replace(each, facet=replace(each.facet, text=text(each.facet.text))) for each in found.facets),
            claims=tuple(replace(each, evidence=tuple(map(self._evidence, each.evidence))) for each in found.claims),
            retrievals=tuple(replace(each, query=text(each.query), note=text(each.note)) for each in found.retrievals),
            stages=tuple(replace(each, lost=tuple(map(text, each.lost))) for each in found.stages),
            warnings=tuple(map(text, found.warnings)),
        )

    def _evidence(self, evidence: Evidence) -> Evidence:
        """Of a diagnosis: it may be from a text that is not in the graph."""
        known = evidence.node_id in self._masked
        return self._quoted(evidence) if known else replace(evidence, quote=self.mask(evidence.quote))


def redacted_report(report: Report, redactor: Redactor) -> Report:
    """Returns a report without what must not be stored; offsets stay what they are."""
    return _Report(report, redactor).result()


def redacted_trace(trace: Trace, redactor: Redactor) -> Trace:
    """Returns a trace as if it had been recorded with this redaction."""
    earlier, context = trace.earlier, trace.context
    known = {name: _perhaps(getattr(context, name), redactor) for name in _NAMED}
    return replace(
        trace,
        events=tuple(map(redactor.event, trace.events)),
        earlier=replace(earlier, graph=redactor.graph(earlier.graph)) if earlier else None,
        context=replace(
            context,
            request=known["request"],
            session=known["session"],
            user=known["user"],
            tenant=known["tenant"],
            query_class=known["query_class"],
            tags=tuple(map(redactor.text, context.tags)),
            metadata=redactor.metadata(context.metadata),
        ),
        versions=replace(
            trace.versions,
            **{each.name: _perhaps(getattr(trace.versions, each.name), redactor) for each in fields(trace.versions)},
        ),
        warnings=tuple(map(redactor.text, trace.warnings)),
        lost=tuple(map(redactor.text, trace.lost)),
    )


def redacted_run(run: Observation, redactor: Redactor) -> Observation:
    """Returns the figures of a run, with names and values redacted."""
    return replace(
        run,
        release=_perhaps(run.release, redactor),
        user=_perhaps(run.user, redactor),
        versions=_texts(run.versions, redactor),
        fields=_texts(run.fields, redactor),
        entry_steps={redactor.text(step): n for step, n in run.entry_steps.items()},
        documents=tuple(replace(each, name=redactor.text(each.name)) for each in run.documents),
    )


def _texts(values: Mapping[str, str], redactor: Redactor) -> dict[str, str]:
    return {redactor.text(name): redactor.text(value) for name, value in values.items()}


def _perhaps(text: str | None, redactor: Redactor) -> str | None:
    return None if text is None else redactor.text(text)
