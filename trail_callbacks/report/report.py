"""The report: a verdict with evidence for each claim, where unsupported claims were introduced, and one score."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from trail_callbacks import display
from trail_callbacks.claims import Claim
from trail_callbacks.errors import ReportError
from trail_callbacks.graph import CUT_OFF, ProvenanceGraph
from trail_callbacks.models.call import Kind, Usage
from trail_callbacks.report.compatibility import salvage
from trail_callbacks.report.verdict import Layer, Scoring, Verdict, score
from trail_callbacks.statistics.intervals import wilson
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass
from trail_callbacks.text import encodable, encodable_parts

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from trail_callbacks.report.diagnosis import Diagnosis
    from trail_callbacks.report.verdict import CitationFigures, Evaluation

__all__ = ["WITHOUT_TEXTS", "Layer", "Report", "State", "Verdict"]

State = Literal[
    "assessed", "partial", "abstained", "no_checkable_claims", "unverified", "no_evidence", "interrupted", "error"
]

WITHOUT_TEXTS = "texts were not kept (texts=False): fillers of their length stand in their place"
"""The warning of a report from which the texts were taken, see `withheld`."""

_VERSION = 1
_SCORED: frozenset[State] = frozenset({"assessed", "partial"})


@dataclass(frozen=True, kw_only=True)
class Report:
    """The verification of one answer.

    Attributes:
        state: `assessed`; `partial` (some claims were not judged, or the judge abstained from them); or why there is no
            score: `abstained`, `no_checkable_claims` (it states nothing: a greeting, a question), `unverified` (it
            states something, but nothing of it was decided: no claim was found in it, or the judge abstained, see
            `undecided`), `no_evidence`, `interrupted` (the app waits for its user and has not answered yet), `error`.
        claims: The statements of the answer, in order.
        verdicts: One for each claim, in the same order.
        graph: The provenance graph that was verified.
        usage: Calls, tokens and seconds used.
        warnings: What a reader should know before relying on the report.
        scoring: How the score is computed.
        judge: Name of the judge.
        run_id: The framework's root run that returned the answer, if there was one.
        claims_error: Why claims are missing, if the judge could not find all.
        diagnosis: Where the evidence path of the run broke first, if `VerifyOptions.diagnose` asks for it.
        coverage: How much of what the answer states the judge's claims cover: a share of its content words, 0.0 to 1.0.
            None if it states nothing, or was not read. What is not covered is in `uncovered`.
    """

    state: State
    graph: ProvenanceGraph
    claims: tuple[Claim, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    usage: Usage = field(default_factory=Usage)
    warnings: tuple[str, ...] = ()
    scoring: Scoring = field(default_factory=Scoring)
    judge: str = ""
    run_id: str | None = None
    claims_error: str | None = None
    coverage: float | None = None
    diagnosis: Diagnosis | None = None

    @property
    def trace_id(self) -> str | None:
        """Id of the trace that was verified, `Trace.id`; None if the graph was not recorded."""
        return self.run_id

    @property
    def has_texts(self) -> bool:
        """False if the app's texts were not kept (`texts=False`): fillers of their length stand in their place."""
        return WITHOUT_TEXTS not in self.warnings

    @property
    def cut(self) -> bool:
        """True if the app stopped the answer, or stopped reading it: what was read by then is what was verified."""
        return self.graph.answer is not None and self.graph.answer.attributes.get(CUT_OFF) is True

    @cached_property
    def _by_claim(self) -> dict[str, Verdict]:
        return {verdict.claim_id: verdict for verdict in self.verdicts}

    @property
    def _classes(self) -> list[SupportClass]:
        return [verdict.support for verdict in self.verdicts if verdict.support is not None]

    @property
    def hallucination_score(self) -> float | None:
        """Share of unsupported claims, 0.0 to 1.0, higher is worse; None unless assessed or partial."""
        return score(self._classes, self.scoring) if self.state in _SCORED else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson 95 % interval of the score; None without a score, or if `gate` set it (it is not a share then)."""
        value = self.hallucination_score
        if value is None or (self.scoring.gate and SupportClass.CONTRADICTED in self._classes):
            return None
        counted = [c for c in self._classes if self.scoring.strict or c is not SupportClass.UNEVALUATABLE]
        return wilson(value, len(counted))

    @property
    def class_counts(self) -> dict[SupportClass, int]:
        """Number of claims of each class; all five are present."""
        counts = Counter(self._classes)
        return {support: counts[support] for support in SupportClass}

    @property
    def error_counts(self) -> dict[ErrorType, int]:
        """Number of claims of each error type; all ten are present."""
        counts = Counter(verdict.error_type for verdict in self.verdicts)
        return {error: counts[error] for error in ErrorType}

    def verdict(self, claim_id: str) -> Verdict:
        """Returns the verdict on a claim.

        Raises:
            KeyError: If the report has no such claim.
        """
        return self._by_claim[claim_id]

    @property
    def failure(self) -> Kind | None:
        """How the judge failed, on all of the answer or on a part of it, see `models.call.Kind`; None if it did not."""
        errors = (self.claims_error, *(verdict.error for verdict in self.verdicts))
        why = next(filter(None, errors), "failed" if self.state == "error" and self.graph.answer else None)
        kind = why and why.partition(":")[0]
        return next((each for each in get_args(Kind) if each == kind), "failed") if kind else None

    @property
    def unsupported(self) -> tuple[Claim, ...]:
        """The claims that are contradicted, absent or partially supported."""
        return tuple(claim for claim in self.claims if self.verdict(claim.id).support in UNSUPPORTED)

    @property
    def undetermined(self) -> tuple[Claim, ...]:
        """Unsupported claims for which the search for where they were introduced found no node."""
        return tuple(
            claim
            for claim in self.unsupported
            if self.verdict(claim.id).introduced_at is None and self.verdict(claim.id).history
        )

    @property
    def undecided(self) -> tuple[Claim, ...]:
        """The claims from which the judge abstained or that it left out; they are on neither side of the score."""
        return tuple(claim for claim in self.claims if self.verdict(claim.id).outcome == "undecided")

    @property
    def uncovered(self) -> tuple[Claim, ...]:
        """The statements of the answer that are in no claim of the judge: found by code, undecided, never judged."""
        return tuple(claim for claim in self.claims if claim.uncovered)

    @property
    def citations(self) -> CitationFigures | None:
        """How well the answer cites its sources; None if it cites none. Each citation is in its claim."""
        if not any(claim.citations for claim in self.claims):
            return None
        from trail_callbacks.report.verdict import citation_figures  # noqa: PLC0415 - most answers cite nothing

        return citation_figures(self.claims)

    @property
    def next_step(self) -> str | None:
        """What to do about the first fault, in a sentence; None if every claim was decided and is supported."""
        return display.made("next_step", self)

    def summary(self) -> dict[str, Any]:
        """Returns a small JSON-safe dictionary, as attached to responses."""
        return {
            "state": self.state,
            "hallucination_score": self.hallucination_score,
            "interval": list(self.interval) if self.interval else None,
            "claims": len(self.claims),
            "class_counts": {support.value: n for support, n in self.class_counts.items() if n},
            "error_counts": {error.value: n for error, n in self.error_counts.items() if n},
            "unsupported": [self._unsupported_entry(claim) for claim in self.unsupported],
            "undetermined": len(self.undetermined),
            "undecided": len(self.undecided),
            "coverage": self.coverage,
            "uncovered": len(self.uncovered),
            "citations": asdict(self.citations) if self.citations else None,
            "signature": self.diagnosis.signature if self.diagnosis else None,
            "judge": self.judge,
            "next_step": self.next_step,
            "warnings": list(self.warnings),
            "run_id": self.run_id,
            **({"cut": True} if self.cut else {}),
        }

    def _unsupported_entry(self, claim: Claim) -> dict[str, Any]:
        verdict = self.verdict(claim.id)
        step = self.graph.node(verdict.introduced_at).step if verdict.introduced_at else None
        return {
            "claim": claim.text,
            "quote": claim.quote,
            **({"path": claim.path} if claim.path else {}),
            "support": str(verdict.support),
            "error_type": verdict.error_type and str(verdict.error_type),
            "introduced_at": verdict.introduced_at,
            "step": step,
            "evidence": [item.quote for item in verdict.evidence if item.decides],
        }

    def to_json(self) -> str:
        """Serialises the report, with score and counts; `from_json` returns an equal one.

        A lone surrogate, which no file can hold, becomes U+FFFD, in keys of attributes too.

        Raises:
            ReportError: If an attribute of a node is not JSON-serialisable (text, number, list, dictionary).
        """
        from pydantic_core import PydanticSerializationError  # noqa: PLC0415 - see _adapter

        try:
            stored = json.loads(_dumped(self))
        except PydanticSerializationError as error:
            raise ReportError(f"an attribute of a node cannot be written as JSON: {error}") from error
        shown = self.summary()
        written = json.dumps(
            {
                "version": _VERSION,
                "hallucination_score": shown["hallucination_score"],
                "interval": shown["interval"],
                "class_counts": shown["class_counts"],
                "error_counts": shown["error_counts"],
                "undecided": shown["undecided"],
                "uncovered": shown["uncovered"],
                **stored,
            },
            ensure_ascii=False,
        )
        return encodable(written)

    @classmethod
    def from_json(cls, data: str | bytes, *, lenient: bool = False) -> Report:
        """Reads a report written by `to_json`.

        Args:
            data: The JSON.
            lenient: Read what is readable of a report that a newer release wrote or that lacks parts; a warning in the
                report says what is missing. Suitable for display, not for decisions.

        Raises:
            ReportError: If the text is not JSON, is truncated, is not a report, or has an unsupported version.
        """
        from pydantic import ValidationError  # noqa: PLC0415 - see _adapter

        try:
            stored = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ReportError(f"not a report: the JSON is broken or truncated ({error})") from error
        version = stored.get("version") if isinstance(stored, dict) else None
        if version is None:
            raise ReportError('not a report: the key "version" is missing')
        newer = isinstance(version, int) and version > _VERSION
        if version != _VERSION and not (lenient and newer):
            raise ReportError(
                f"this report has version {version!r}, this release reads version {_VERSION}: "
                "read it with the release of trail-callbacks that wrote it"
            )
        if lenient:
            return _salvaged(stored)
        try:
            report = _adapter().validate_python({name: stored[name] for name in _FIELDS if name in stored})
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise ReportError(f"not a report: {first['msg']} (at {'.'.join(map(str, first['loc']))})") from error
        _check(report)
        return report

    def to_evaluations(
        self,
        *,
        trace_id: str | None = None,
        span_id: str | None = None,
        spans: Mapping[str, str] | None = None,
        higher_is_better: bool = False,
    ) -> list[Evaluation]:
        """Returns the report as evaluation records, as OpenInference and the tools that follow it exchange them.

        - `hallucination`: the answer. The score is the hallucination score; the label `hallucinated`, `grounded`,
          `partial` (no claim is unsupported, but not all were decided), or the state of a report without a score.
        - `hallucination.claim`: one for each claim. The score is 1.0 for an unsupported claim, 0.0 for a supported one,
          None for one that is not counted; the label is `Verdict.outcome`.
        - `hallucination.entry`: one for each step at which unsupported claims were introduced. It has no score.

        What has no score (no evidence, an undecided claim, a failed judge) has the score None, never 0; no claim of a
        report without a score has one.

        Args:
            trace_id: The trace in the tool that the records go to; by default `Report.trace_id`.
            span_id: The span there that returned the answer. By default the root run; of a trace with an id of its own
                the run that wrote the answer. Ids of runs are those of spans if the trace was imported from the tool.
                In another trace than the report's they mean nothing, and are left out.
            spans: Spans there of runs, by the run's id, `Node.run_id`.
            higher_is_better: Give 1 - score, under the names `groundedness` and `groundedness.claim`.
        """
        return display.made(
            "evaluations", self, trace_id=trace_id, span_id=span_id, spans=spans, higher_is_better=higher_is_better
        )

    def to_test(self) -> str:
        """Returns the source of a pytest file that fails until the answer no longer makes its unsupported claims.

        Fill in its function `app`. It has the question, the texts that the answer was checked against, and for each
        unsupported claim what these say instead; its fixtures come with the package.

        Raises:
            InputError: If no claim is unsupported, nothing was there to check against, or texts were not kept.
        """
        return display.made("pytest_file", self)

    def __str__(self) -> str:
        """Renders for a terminal, without colour."""
        return display.made("text", self)

    def to_html(self, *, title: str | None = None) -> str:
        """Renders as one self-contained HTML page: the answer coloured by claim, with the graph beside it.

        Args:
            title: Title of the page; the question by default.
        """
        return display.made("page", self, title=title)

    def __rich__(self) -> Any:
        """Renders for a rich console."""
        return display.made("rich", self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002 - IPython's protocol
        """Renders for IPython; notebooks store this text beside the HTML, and the whole graph would bloat them."""
        printer.text(str(self))

    def _repr_html_(self) -> str:
        """Renders for a notebook: compact, no script, all text escaped."""
        return display.made("fragment", self)


def _salvaged(stored: dict[str, Any]) -> Report:
    report, lost = salvage(stored, _FIELDS, _adapter().validate_python)
    _check(report)
    notes = [f"not read: {', '.join(lost)}"] if lost else []
    if stored["version"] != _VERSION:
        notes.insert(0, f"written by a newer release (version {stored['version']}, this one reads version {_VERSION})")
        if stored.get("hallucination_score") != report.hallucination_score:
            notes.append(f"the score in the file is {stored.get('hallucination_score')}")
    return replace(report, warnings=(*report.warnings, "; ".join(notes))) if notes else report


def _dumped(report: Report) -> bytes:
    """The report as JSON; a report that no encoding can write is copied first, without its lone surrogates."""
    from pydantic_core import PydanticSerializationError, to_json  # noqa: PLC0415 - see _adapter

    try:
        return _adapter().dump_json(report)
    except PydanticSerializationError:
        return to_json(encodable_parts(_adapter().dump_python(report)))


def _check(report: Report) -> None:
    """Checks the references between the parts of a report."""
    if [claim.id for claim in report.claims] != [verdict.claim_id for verdict in report.verdicts]:
        raise ReportError("not a report: each claim has one verdict, in the same order (at verdicts)")
    known = {node.id for node in report.graph.nodes}
    for claim in report.claims:
        for lost in {source for citation in claim.citations for source in citation.sources} - known:
            raise ReportError(f"not a report: the graph has no node {lost!r} (at claims, claim {claim.id!r})")
    for verdict in report.verdicts:
        named = {*verdict.carried_through, *(item.node_id for item in verdict.evidence)}
        named |= {verdict.introduced_at} if verdict.introduced_at is not None else set()
        for lost in named.union(*(layer.names for layer in verdict.history)) - known:
            raise ReportError(f"not a report: the graph has no node {lost!r} (at verdicts, claim {verdict.claim_id!r})")


_FIELDS = (
    "state", "graph", "claims", "verdicts", "usage", "warnings", "scoring", "judge", "run_id", "claims_error",
    "coverage", "diagnosis",
)  # fmt: skip


@cache
def _adapter() -> TypeAdapter[Report]:
    """The codec, imported on first use: pydantic takes longer to import than all of this package."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - see above

    from trail_callbacks.report.diagnosis import Diagnosis  # noqa: F401, PLC0415 - the annotation is resolved by it

    return TypeAdapter(Report)
