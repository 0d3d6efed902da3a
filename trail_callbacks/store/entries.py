"""Judged runs as they are written: figures, claims and compressed bodies, without what must not be kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from difflib import SequenceMatcher
from functools import cache
from typing import Any, Final

from trail_callbacks.capture.redaction import Redactor
from trail_callbacks.claims import Citation, Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.monitor import Observation, observe
from trail_callbacks.report import Layer, Report, Selected, Summary, Verdict
from trail_callbacks.report.diagnosis import Break, Coverage, Diagnosis, Facet, RetrievalFinding, Stage
from trail_callbacks.report.withheld import FILLER, text_hash, without_texts
from trail_callbacks.slices import current
from trail_callbacks.store.rows import LARGEST, Entry, claim_rows, packed
from trail_callbacks.trace import Context, Trace, Versions


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """What becomes of a run before it is written."""

    redactor: Redactor | None = None  # what is applied to all texts; None for nothing
    texts: bool = True  # False: no text is kept, see `CaptureSettings.texts`, and no trace
    text_key: bytes | None = field(default=None, repr=False)  # of `texts=False`
    most: int = LARGEST  # bytes of a body before compression

    def entry(
        self,
        report: Report,
        trace: Trace | None,
        *,
        at: float,
        rate: float = 1.0,
        run: Observation | None = None,
        segments: Mapping[str, str] | None = None,
    ) -> Entry:
        """Returns a run as it is written."""
        if self.redactor is not None:
            report = redacted_report(report, self.redactor)
            trace = trace and redacted_trace(trace, self.redactor)
            run = run and redacted_run(run, self.redactor)
            _pause()
        run = run or observe(report, trace, at=at, rate=rate)
        run = replace(run, fields={**run.fields, **(segments or {})})
        if not self.texts:  # the plain hash of a question would show whoever can guess it that it was asked
            key = text_hash(run.key, self.text_key)[: len(run.key)] if run.key else ""
            run = replace(run, key=key)
            report, trace = without_texts(report, self.text_key), None
        bodies = []
        for kind, value in (("report", report), ("trace", trace)):
            _pause()
            if value is not None:
                bodies.append(packed(kind, value.to_json(), self.most))
        question, answer = report.graph.question, report.graph.answer
        return Entry(
            run=run,
            claims=claim_rows(report, run.at),
            bodies=tuple(bodies),
            question=question.text if question else "",
            answer=answer.text if answer else "",
        )


def _pause() -> None:
    slices = current.get()
    if slices is not None:
        slices.pause()


_TEXTS: Final[Mapping[type, tuple[str, ...]]] = {
    Break: ("reasons",),
    Citation: ("target",),
    Claim: ("text", "path"),
    Context: ("request", "session", "user", "tenant", "query_class", "tags"),
    Coverage: ("missing",),
    Diagnosis: ("reasons", "warnings"),
    Facet: ("text",),
    Layer: ("note", "statement"),
    Node: ("step",),
    Observation: ("release", "user"),
    Report: ("warnings", "claims_error"),
    RetrievalFinding: ("query", "note"),
    Stage: ("lost", "note"),
    Summary: ("text",),
    Trace: ("warnings", "lost"),
    Verdict: ("detail", "rationale", "undecided", "error"),
    Versions: tuple(each.name for each in fields(Versions)),
}
"""What of reports, traces and figures is text that may hold what must not be stored, and nothing points into."""

_WORD = re.compile(r"\S+")


class _Redaction:
    """The redaction of one report or trace; `nodes` are those that evidence points into."""

    def __init__(self, redactor: Redactor, nodes: tuple[Node, ...] = ()) -> None:
        self._redactor = redactor
        self.text = cache(redactor.text)
        self.masked = {node.id: self._mask(node.text) for node in nodes}

    def _mask(self, text: str) -> str:
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

    def texts(self, value: Any) -> Any:
        """A text, or texts, redacted."""
        if isinstance(value, str):
            return self.text(value)
        return tuple(map(self.text, value)) if isinstance(value, tuple) else value

    def value(self, value: Any) -> Any:
        """A value whose texts, and those of all that it holds, are redacted, as `_TEXTS` names them."""
        if isinstance(value, tuple):
            return tuple(map(self.value, value))
        if isinstance(value, Evidence | Selected):
            known = self.masked.get(value.node_id)  # None: evidence of a diagnosis may be of a text beside the graph
            return replace(value, quote=self._mask(value.quote) if known is None else known[value.start : value.end])
        if isinstance(value, ProvenanceGraph) or not is_dataclass(value) or isinstance(value, type):
            return value
        names = _TEXTS.get(type(value), ())
        held = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        made = {name: (self.texts if name in names else self.value)(each) for name, each in held.items()}
        changed = {name: each for name, each in made.items() if each is not held[name]}
        return replace(value, **changed) if changed else value


def redacted_report(report: Report, redactor: Redactor) -> Report:
    """Returns a report without what must not be stored; offsets stay what they are."""
    graph = report.graph
    redaction = _Redaction(redactor, graph.nodes)
    nodes = (replace(redaction.value(each), text=redaction.masked[each.id]) for each in graph.nodes)
    kept = tuple(replace(each, attributes=redactor.metadata(each.attributes)) for each in nodes)
    answer = redaction.masked[graph.answer.id] if graph.answer else ""
    found: Report = redaction.value(report)
    claims = tuple(replace(each, quote=answer[each.start : each.end]) for each in found.claims)
    return replace(found, graph=ProvenanceGraph(nodes=kept, edges=graph.edges), claims=claims)


def redacted_trace(trace: Trace, redactor: Redactor) -> Trace:
    """Returns a trace as if it had been recorded with this redaction."""
    earlier = trace.earlier
    found: Trace = _Redaction(redactor).value(replace(trace, events=(), earlier=None))
    return replace(
        found,
        events=tuple(map(redactor.event, trace.events)),
        earlier=replace(earlier, graph=redactor.graph(earlier.graph)) if earlier else None,
        context=replace(found.context, metadata=redactor.metadata(trace.context.metadata)),
    )


def redacted_run(run: Observation, redactor: Redactor) -> Observation:
    """Returns the figures of a run, with names and values redacted."""
    found: Observation = _Redaction(redactor).value(run)
    return replace(
        found,
        versions=_named(run.versions, redactor),
        fields=_named(run.fields, redactor),
        entry_steps={redactor.text(step): n for step, n in run.entry_steps.items()},
        documents=tuple(replace(each, name=redactor.text(each.name)) for each in run.documents),
    )


def _named(values: Mapping[str, str], redactor: Redactor) -> dict[str, str]:
    return {redactor.text(name): redactor.text(value) for name, value in values.items()}
