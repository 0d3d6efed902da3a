"""Evaluation records: a report in the form that observability and evaluation tools take (OpenInference).

One record is on the answer, one on each claim, and one on each step at which unsupported claims were introduced. OTLP,
the senders and the evaluators of other tools are all made of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid5

from trail_callbacks.claims import Claim
from trail_callbacks.report.report import Report
from trail_callbacks.report.verdict import AnnotatorKind, Evaluation, Verdict, weight
from trail_callbacks.text import encodable, encodable_parts

_NAMESPACE = UUID("6f1f5a0e-52ab-5c1f-9d5e-7e1d1f8a64c3")
_ENTRY = "hallucination.entry"
_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}  # the others are escaped in JSON anyway
_OF_CLAIM = (
    "claim_id", "claim", "quote", "start", "end", "path", "error_type", "detail", "evidence", "introduced_at", "step",
    "confidence", "judge",
)  # fmt: skip
_SHOWN = 3
"""Unsupported claims that the explanation of an answer quotes."""
_TRACE_ID = re.compile(r"[0-9a-fA-F]{32}|tr-.*")
"""Ids that OpenTelemetry and MLflow give to traces; elsewhere a trace has the id of its root run."""
_ASKS_A_MODEL = re.compile(r"(?:^|[/+])llm/")
_ASKS_NONE = re.compile(r"(?:local|encoder)/")


def evaluations(
    report: Report,
    *,
    trace_id: str | None = None,
    span_id: str | None = None,
    spans: Mapping[str, str] | None = None,
    higher_is_better: bool = False,
) -> list[Evaluation]:
    """Makes the evaluation records of a report, see `Report.to_evaluations`."""
    records = _Records(report, trace_id, span_id, spans or {}, higher_is_better=higher_is_better)
    found = [records.answer(), *(records.claim(claim) for claim in report.claims)]
    entries: dict[str, list[Claim]] = {}
    for claim in report.unsupported if report.hallucination_score is not None else ():
        if (node_id := report.verdict(claim.id).introduced_at) is not None:
            entries.setdefault(node_id, []).append(claim)
    found += [records.entry(node_id, claims) for node_id, claims in entries.items()]
    return encodable_parts(found)  # type: ignore[no-any-return]  # it keeps the form of what it is given


def claim_row(report: Report, claim: Claim) -> dict[str, Any]:
    """Returns all that a report says of a claim, flat: what tables, records and comparisons of claims are made of."""
    verdict, graph = report.verdict(claim.id), report.graph
    entry = graph.node(verdict.introduced_at) if verdict.introduced_at is not None else None
    return {
        "claim_id": claim.id,
        "claim": claim.text,
        **{name: getattr(claim, name) for name in ("quote", "start", "end")},
        "path": claim.path or None,
        "outcome": verdict.outcome,
        "support": verdict.support and verdict.support.value,
        "error_type": verdict.error_type and verdict.error_type.value,
        "second_type": verdict.second_type and verdict.second_type.value,
        **{name: getattr(verdict, name) for name in ("detail", "rationale", "confidence", "judge", "error")},
        "undecided": verdict.undecided,
        "evidence": [
            {"node_id": each.node_id, "relation": each.relation, "quote": each.quote} for each in verdict.evidence
        ],
        "introduced_at": verdict.introduced_at,
        "step": entry and (entry.step or entry.kind),
        "carried_through": list(verdict.carried_through),
    }


def to_evaluation_lines(report: Report, *, trace_id: str | None = None, span_id: str | None = None) -> str:
    """Writes the evaluation records of a report as JSON lines, see `Report.to_evaluations`."""
    return "".join(map(json_line, evaluations(report, trace_id=trace_id, span_id=span_id)))


def json_line(value: object) -> str:
    """Returns a value as one line of JSON with its line feed, for readers that split at any of Unicode's line ends."""
    return json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS) + "\n"


class _Records:
    """The records of one report, in one direction, about one trace."""

    def __init__(
        self,
        report: Report,
        trace_id: str | None,
        span_id: str | None,
        spans: Mapping[str, str],
        *,
        higher_is_better: bool,
    ) -> None:
        self._report, self._spans, self._up = report, spans, higher_is_better
        self._trace_id = trace_id or report.trace_id
        self._same_trace = self._trace_id == report.trace_id
        self._answer_span = span_id or self._span(_answering(report))
        self._score = report.hallucination_score
        self._name = "groundedness" if higher_is_better else "hallucination"
        texts = [(node.id, node.kind, node.text) for node in report.graph.nodes]
        self._key = json.dumps(encodable_parts([self._trace_id, span_id, report.judge, texts]))

    def answer(self) -> Evaluation:
        report = self._report
        score = self._score
        if score is None:
            label: str = report.state
        elif score == 0 and report.state == "partial":
            label = "partial"
        else:
            label = "hallucinated" if score > 0 else "grounded"
        about = {**report.summary(), "run_id": report.run_id, "span_id": self._answer_span}
        return self._record(self._name, score, label, self._why(), report.judge, about=about)

    def claim(self, claim: Claim) -> Evaluation:
        verdict, row = self._report.verdict(claim.id), claim_row(self._report, claim)
        about = {name: row[name] for name in _OF_CLAIM} | {"span_id": self._answer_span}
        score = None if self._score is None else weight(verdict.support, self._report.scoring)
        why, name = _reason(claim, verdict), f"{self._name}.claim"
        judge = verdict.judge or self._report.judge
        return self._record(name, score, verdict.outcome, why, judge, about=about)

    def entry(self, node_id: str, claims: list[Claim]) -> Evaluation:
        node = self._report.graph.node(node_id)
        step = node.step or node.kind
        about = {
            "node_id": node_id,
            "run_id": node.run_id,
            "step": step,
            "span_id": self._span(node.run_id),
            "claims": [
                {"claim_id": each.id, "claim": each.text, "support": self._report.verdict(each.id).outcome}
                for each in claims
            ],
        }
        why = f"introduced at {step}, which its inputs do not support: {_quoted(claims)}"
        judge = self._report.verdict(claims[0].id).judge or self._report.judge
        return self._record(_ENTRY, None, "introduced", why, judge, about=about)

    def _record(
        self, name: str, score: float | None, label: str, why: str, judge: str, *, about: dict[str, Any]
    ) -> Evaluation:
        part = about.get("claim_id") or about.get("node_id") or ""
        scored = {} if name == _ENTRY else {"direction": "maximize" if self._up else "minimize"}
        return {
            "name": name,
            "score": 1.0 - score if self._up and score is not None else score,
            "label": label,
            "explanation": why or None,
            "annotator_kind": self._kind(judge),
            "identifier": str(uuid5(_NAMESPACE, f"{self._key} {name} {encodable(part)}")),
            "metadata": {**about, **scored, "trace_id": self._trace_id},
        }

    def _span(self, run_id: str | None) -> str | None:
        """The span of a run: what the caller says, else its own id, which means something in its own trace only."""
        return self._spans.get(run_id or "", run_id if self._same_trace else None)

    def _kind(self, judge: str) -> AnnotatorKind:
        if _ASKS_A_MODEL.search(judge):
            return "LLM"
        usage = self._report.usage  # a judge of the user's own has any name
        return "LLM" if (usage.calls or usage.cache_hits) and not _ASKS_NONE.match(judge) else "CODE"

    def _why(self) -> str:
        report = self._report
        judged = sum(report.class_counts.values())
        parts = [] if self._score is not None else [f"no score: {report.state}"]
        if report.unsupported:
            parts.append(
                f"{len(report.unsupported)} of {judged} judged claims are unsupported: " + _quoted(report.unsupported)
            )
        elif judged:
            parts.append(f"none of {judged} judged claims is unsupported")
        if report.undecided:
            parts.append(f"{len(report.undecided)} of {len(report.claims)} claims could not be decided")
        return "; ".join([*parts, *report.warnings])


def _answering(report: Report) -> str | None:
    """The run that returned the answer: the root, unless the trace has an id of its own; else the run that wrote it."""
    if report.run_id is not None and not _TRACE_ID.fullmatch(report.run_id):
        return report.run_id
    return report.graph.answer.run_id if report.graph.answer else None


def _reason(claim: Claim, verdict: Verdict) -> str:
    evidence = [f'{each.relation}: "{each.quote}"' for each in verdict.evidence]
    why = verdict.rationale or verdict.undecided or verdict.error or ""
    return "; ".join(part for part in (f'"{claim.text}"', why, *evidence) if part)


def _quoted(claims: tuple[Claim, ...] | list[Claim]) -> str:
    more = f" and {len(claims) - _SHOWN} more" if len(claims) > _SHOWN else ""
    return "; ".join(f'"{claim.text}"' for claim in claims[:_SHOWN]) + more
