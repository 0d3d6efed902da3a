"""One judged run in figures; signals, which say what makes a run bad at one stage, and who owns that stage."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias

from trail_callbacks.capture.payloads import CONTEXT
from trail_callbacks.report import Report
from trail_callbacks.report.diagnosis import Diagnosis, Figure, StageName
from trail_callbacks.report.report import State
from trail_callbacks.statistics.intervals import wilson
from trail_callbacks.taxonomy import UNSUPPORTED
from trail_callbacks.trace import Context, Trace, Versions
from trail_callbacks.trace.context import context_of, versions_of

FigureName: TypeAlias = Literal[
    "query_coverage",
    "evidence_overlap",
    "selection",
    "answer_coverage",
    "contradicted",
    "citation_presence",
    "citation_recall",
]
"""The figures of a run.

- `query_coverage`: share of the question's facets that a retrieved passage meets; where gold passages are known, the
  share of these that were retrieved.
- `evidence_overlap`: share of the gold passages that were retrieved that are in the prompt.
- `selection`: share of the facets met by what was retrieved that what was selected meets, too: how much ranking and
  packing keep. It stands in for the overlap where nobody says which passages ought to be there.
- `answer_coverage`: share of the decided claims that are supported.
- `contradicted`: share of the decided claims that are contradicted.
- `citation_presence`, `citation_recall`: see `report.diagnosis.Coverage`. 0.0 for an answer that cites nothing: nobody
  needs a judge to see that.
"""

BrokenAt: TypeAlias = Literal[StageName, "undetermined"]
"""The stage at which an evidence path broke first; `undetermined` if something may be wrong and nobody could tell
where, or shared words alone suggest it."""

_UPDATED = ("updated_at", "last_modified", "modified", "last_modified_date", "modified_at", "lastmod")
_INGESTED = ("ingested_at", "indexed_at", "created_in_index", "ingestion_time")
_BAD = tuple(support.value for support in UNSUPPORTED)
_IDS = frozenset(name for field in ("user", "request", "session") for name in CONTEXT[field])
_SEGMENT = 200  # characters of a value: what is longer is a text, no segment
_MILLISECONDS = 1e11  # a time above is no number of seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentUse:
    """A document of which passages were retrieved."""

    name: str  # the document, as its metadata name it
    passages: int = 0  # passages of it that were retrieved
    selected: int = 0  # those that were in the prompt of the answer
    updated: float | None = None  # when it changed last, seconds since the epoch; None if its metadata do not say
    ingested: float | None = None  # when it was put into the index; likewise


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One judged run in figures."""

    id: str  # the run; unique
    at: float  # when it began, seconds since the epoch
    # what pairs it with runs of other releases: a hash of the question, see `question_key`. Empty without one.
    key: str = ""
    judge: str = ""  # name of the judge. Runs judged by different judges are never compared.
    state: State = "error"  # state of the report
    score: float | None = None  # its hallucination score; None without one
    claims: int = 0  # number of claims
    outcomes: Mapping[str, int] = field(default_factory=dict)  # number of claims by outcome, see `Verdict.outcome`
    # the known figures of the evidence path; without a diagnosis only those of claims and citations
    figures: Mapping[FigureName, Figure] = field(default_factory=dict)
    # the stage at which the evidence path broke first; None if at none, or if nobody looked
    broken: BrokenAt | None = None
    diagnosed: bool = False  # whether somebody looked
    release: str | None = None  # version of the app
    versions: Mapping[str, str] = field(default_factory=dict)  # all versions that are known, by the name of the part
    # segments: metadata of the run by name, as texts. No ids of users or requests.
    fields: Mapping[str, str] = field(default_factory=dict)
    user: str | None = None  # the user, for deletion; None if unknown
    documents: tuple[DocumentUse, ...] = ()  # the documents that it retrieved
    rate: float = 1.0  # share of such runs that are judged, above 0.0 to 1.0: one run stands for 1 / rate

    @property
    def unsupported(self) -> int:
        """Claims that are contradicted, absent or partially supported."""
        return sum(self.outcomes.get(name, 0) for name in _BAD)

    @property
    def decided(self) -> int:
        """Claims that were decided and can be: supported or unsupported."""
        return self.unsupported + self.outcomes.get("supported", 0)

    @property
    def segments(self) -> dict[str, str]:
        """What runs are told apart by: fields, `release`, and versions by the name of their part."""
        found = {**self.versions, **self.fields, "release": self.release}
        return {name: value for name, value in found.items() if value is not None}

    def segment(self, name: str) -> str | None:
        """Value of a segment, by its name or a key of metadata that it is read from; None if it has none."""
        known = self.segments
        return known.get(name) or next((known.get(field) for field, keys in CONTEXT.items() if name in keys), None)


def question_key(question: str | None) -> str:
    """Hash of a question, by which the same question in two releases is found; empty for none.

    Case, spacing and compatible forms of characters do not matter (Unicode NFKC).
    """
    words = unicodedata.normalize("NFKC", question or "").casefold().split()
    return sha256(" ".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:32] if words else ""


def observe(report: Report, trace: Trace | None = None, *, at: float | None = None, rate: float = 1.0) -> Observation:
    """Reads a judged run.

    Args:
        report: The verification of its answer, with its diagnosis if there is one.
        trace: The recorded run; without it there are no segments, versions and documents.
        at: When it began, seconds since the epoch, if the trace does not say; by default now.
        rate: Share of such runs that are judged, above 0.0 to 1.0.
    """
    question = report.graph.question.text if report.graph.question else None
    outcomes = Counter(verdict.outcome for verdict in report.verdicts)
    found = report.diagnosis
    run = Observation(
        id=report.trace_id or (trace.id if trace else "") or _content(report),
        at=at if at is not None else datetime.now(UTC).timestamp(),
        key=question_key(question),
        judge=report.judge,
        state=report.state,
        score=report.hallucination_score,
        claims=len(report.claims),
        outcomes=dict(outcomes),
        figures=figures_of(report),
        broken=_broken(found) if found else None,
        diagnosed=found is not None,
        rate=rate,
    )
    return recorded(run, trace) if trace else run


def _broken(found: Diagnosis) -> BrokenAt | None:
    if found.first_break is not None and found.first_break.certainty != "low":
        return found.first_break.stage
    return None if found.signature == "none" else "undetermined"


def recorded(run: Observation, trace: Trace) -> Observation:
    """Returns an observation with what its recorded run says: when it was, segments, versions and documents."""
    started = trace.context.started
    run = replace(run, at=run.at if started is None else started, documents=_documents(trace))
    return _said(run, trace.context, trace.versions)


def described(run: Observation, metadata: Mapping[str, Any]) -> Observation:
    """Returns an observation with what metadata say of its run, by the names that a trace's context is read by.

    Names of columns may be longer, as `meta.user_id`, or capital: nobody's id is to become a segment.
    """
    read = {name: name.rpartition(".")[2].casefold() for name in metadata}
    given = {short if short in _IDS else name: metadata[name] for name, short in read.items()}
    return _said(run, context_of(given), versions_of(given))


def _said(run: Observation, context: Context, versions: Versions) -> Observation:
    named = {each.name: value for each in fields(versions) if (value := getattr(versions, each.name)) is not None}
    return replace(
        run,
        release=versions.app or run.release,
        versions={**run.versions, **named},
        fields={**run.fields, **_segments(context)},
        user=context.user or run.user,
    )


def _content(report: Report) -> str:
    """An id for a report that was not recorded: the same report has the same."""
    texts = [node.text for node in report.graph.nodes]
    return sha256("\0".join([report.judge, *texts]).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def figures_of(report: Report) -> dict[FigureName, Figure]:
    """The figures of a report that are known; see `FigureName`."""
    coverage = report.diagnosis.coverage if report.diagnosis else None
    counts = Counter(verdict.outcome for verdict in report.verdicts)
    decided = counts["supported"] + sum(counts[support.value] for support in UNSUPPORTED)
    cites = report.citations
    claims = sum(claim.checkable for claim in report.claims) if report.state in _ANSWERED else 0
    found: dict[FigureName, Figure] = {
        "answer_coverage": _share(counts["supported"], decided),
        "contradicted": _share(counts["contradicted"], decided),
    }
    if cites is not None:
        found["citation_presence"] = _share(cites.cited, cites.claims)
        found["citation_recall"] = Figure(value=cites.recall, n=cites.claims, decided_by="judge")
    else:
        found["citation_presence"] = found["citation_recall"] = _share(0, claims)
    if coverage is not None:
        retrieved, selected = coverage.query.get("retrieved"), coverage.query.get("selected")
        gold = {depth: each.recall for depth, each in coverage.overlap.items()}
        found["query_coverage"] = gold.get("retrieved") or retrieved or Figure()
        found["evidence_overlap"] = _kept(gold.get("retrieved"), gold.get("selected"))
        found["selection"] = _kept(retrieved, selected)
    return {name: figure for name, figure in found.items() if figure.value is not None}


def _share(part: int, whole: int) -> Figure:
    return Figure(value=part / whole, n=whole, decided_by="judge") if whole else Figure(why="no claim was decided")


def _kept(retrieved: Figure | None, selected: Figure | None) -> Figure:
    """What selection kept of what retrieval brought: what was not there is no fault of ranking."""
    if retrieved is None or selected is None or not retrieved.value or selected.value is None:
        return Figure()
    return replace(retrieved, value=min(1.0, selected.value / retrieved.value), interval=None)


def _segments(context: Context) -> dict[str, str]:
    """What runs are told apart by: short plain metadata, and the kind of question; not whose run it was."""
    found = {name: value for name, each in context.metadata.items() if (value := _plain(each)) is not None}
    found |= {name: each for name in ("tenant", "query_class") if (each := getattr(context, name)) is not None}
    return {name: value for name, value in found.items() if len(value) <= _SEGMENT and len(name) <= _SEGMENT}


def _plain(value: Any) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int) and value != "" else None


def _documents(trace: Trace) -> tuple[DocumentUse, ...]:
    selected = {each.node_id for packing in trace.packings for each in packing.pieces if each.order is not None}
    found: dict[str, DocumentUse] = {}
    for retrieval in trace.retrievals:
        for each in retrieval.candidates:
            name = each.document_id or each.id or each.hash
            known = found.get(name) or DocumentUse(name=name)
            found[name] = DocumentUse(
                name=name,
                passages=known.passages + 1,
                selected=known.selected + (each.node_id in selected),
                updated=_latest(known.updated, _time(each.attributes, _UPDATED)),
                ingested=_latest(known.ingested, _time(each.attributes, _INGESTED)),
            )
    return tuple(found.values())


def _latest(*times: float | None) -> float | None:
    return max((each for each in times if each is not None), default=None)


def _time(metadata: Mapping[str, Any], names: Iterable[str]) -> float | None:
    """A time in metadata, as seconds since the epoch: a number of seconds or milliseconds, or ISO 8601."""
    for name in names:
        value = metadata.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return float(value) / (1_000 if value > _MILLISECONDS else 1)
        if isinstance(value, str):
            try:
                read = datetime.fromisoformat(value.strip())
            except ValueError:
                continue
            return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    return None


SignalName: TypeAlias = Literal[
    "query_coverage",
    "evidence_overlap",
    "answer_coverage",
    "contradiction",
    "unsupported",
    "citation_presence",
    "citation_coverage",
    "abstention",
    "undecided",
]

Owner: TypeAlias = Literal["retrieval", "ranking", "generation", "release_guard", "evaluator"]

_JUDGED = frozenset({"assessed", "partial", "abstained", "no_checkable_claims"})
_ANSWERED = frozenset({"assessed", "partial", "unverified"})
_UNKNOWN = frozenset({"unverified", "error", "partial"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """What makes a run bad."""

    name: SignalName  # its name
    counted: str  # the bad runs, as pages call them
    owner: Owner  # who is called: the owner of the stage that it shows broken
    about: str  # what a bad run is, in words
    # figures that decide, the first that is known by gold or a judge. Empty for signals that are counted.
    figures: tuple[FigureName, ...] = ()
    # a run is bad if that figure is below it, 0.0 to 1.0; None for signals that are counted
    threshold: float | None = None

    def bad(self, run: Observation, threshold: float | None = None) -> bool | None:
        """Whether a run is bad; None if nobody knows, so that it counts neither way."""
        if self.figures:
            limit = self.threshold if threshold is None else threshold
            known = (run.figures[name] for name in self.figures if name in run.figures)
            value = next((each.value for each in known if each.counts), None)
            return None if value is None or limit is None else value < limit
        if self.name == "undecided":
            return run.state in _UNKNOWN and not (run.state == "partial" and run.decided)
        if run.state not in _JUDGED:
            return None
        if self.name == "abstention":
            return run.state == "abstained"
        if not run.decided:
            return None
        return bool(run.outcomes.get("contradicted") if self.name == "contradiction" else run.unsupported)


_ALL = (
    Signal(
        name="query_coverage",
        counted="runs with uncovered questions",
        owner="retrieval",
        about="what was retrieved meets too few facets of the question",
        figures=("query_coverage",),
        threshold=0.8,
    ),
    Signal(
        name="evidence_overlap",
        counted="runs with evidence left out",
        owner="ranking",
        about="too little of the evidence that was found reached the prompt",
        figures=("evidence_overlap", "selection"),
        threshold=0.8,
    ),
    Signal(
        name="answer_coverage",
        counted="runs with too few claims supported",
        owner="generation",
        about="too few of the answer's decided claims are supported",
        figures=("answer_coverage",),
        threshold=0.9,
    ),
    Signal(
        name="contradiction",
        counted="runs with a contradicted claim",
        owner="generation",
        about="the answer contradicts its sources",
    ),
    Signal(
        name="unsupported",
        counted="runs with an unsupported claim",
        owner="generation",
        about="the answer has an unsupported claim",
    ),
    Signal(
        name="citation_presence",
        counted="runs without a citation",
        owner="release_guard",
        about="the answer cites no source",
        figures=("citation_presence",),
        threshold=0.01,  # what cites too little is bad by the next one
    ),
    Signal(
        name="citation_coverage",
        counted="runs with too few claims borne out by what they cite",
        owner="release_guard",
        about="too few claims are borne out by a source they cite",
        figures=("citation_recall",),
        threshold=0.8,
    ),
    Signal(name="abstention", counted="runs without an answer", owner="generation", about="the app declined to answer"),
    Signal(
        name="undecided",
        counted="runs that the judge left open",
        owner="evaluator",
        about="the judge failed on the answer, or decided nothing of it",
    ),
)

SIGNALS: Mapping[SignalName, Signal] = MappingProxyType({each.name: each for each in _ALL})
"""All signals, by name, in the order of the evidence path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts over runs.

    A run that was judged as one of 1 / rate stands for that many. Where rates differ, `effective` is the number of
    runs judged at one rate that would say as much (Kish's effective sample size): intervals take it as their n.
    """

    runs: int = 0  # runs that were observed, whatever is known of them
    decided: int = 0  # those of which it is known whether they are bad
    bad: int = 0  # those that are
    weight: float = 0.0  # sum of 1 / rate over the decided
    bad_weight: float = 0.0  # the same over the bad
    squares: float = 0.0  # sum of the squares of 1 / rate over the decided

    @classmethod
    def of(cls, runs: Iterable[Observation], signal: Signal, threshold: float | None = None) -> Tally:
        """Counts runs, whenever they were."""
        judged = [(1.0 / run.rate, signal.bad(run, threshold)) for run in runs]
        known = [(weight, is_bad) for weight, is_bad in judged if is_bad is not None]
        bad = [weight for weight, is_bad in known if is_bad]
        return cls(
            runs=len(judged),
            decided=len(known),
            bad=len(bad),
            weight=sum(weight for weight, _ in known),
            bad_weight=sum(bad),
            squares=sum(weight**2 for weight, _ in known),
        )

    @property
    def share(self) -> float | None:
        """Weighted share of bad runs among the decided, 0.0 to 1.0; None if there are none."""
        return self.bad_weight / self.weight if self.weight else None

    @property
    def effective(self) -> float:
        """Effective number of decided runs, 0.0 or more, `decided` at most."""
        return self.weight**2 / self.squares if self.squares else 0.0

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson interval of the share, 95 %, on the effective number of runs; None without a share."""
        return None if self.share is None else wilson(min(1.0, self.share), self.effective)  # a sum may round up

    @property
    def at_least(self) -> float:
        """Lower end of the interval; 0.0 without a share."""
        return self.interval[0] if self.interval else 0.0

    def __sub__(self, part: Tally) -> Tally:
        """Counts of the runs that are not in a part of these; never below zero."""
        left = {each.name: max(0, getattr(self, each.name) - getattr(part, each.name)) for each in fields(self)}
        return Tally(**left) if left["decided"] else Tally(runs=left["runs"])  # what is left of weights is rounding


class Tallies(Protocol):
    """What counts runs: a store."""

    def tally(
        self,
        signal: Signal,
        since: float,
        until: float,
        segment: Mapping[str, str] | None = None,
        threshold: float | None = None,
    ) -> Tally:
        """Counts the runs that began in a window.

        Args:
            signal: What makes a run bad.
            since: Begin of the window, seconds since the epoch.
            until: Its end, itself outside.
            segment: Values that a run's segments have, by name, see `Observation.segment`; None or empty for all runs.
            threshold: Overrides the signal's.
        """
        ...
