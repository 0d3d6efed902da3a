"""Judged runs as they are written, without what must not be kept, and as they are read back."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from difflib import SequenceMatcher
from functools import cache
from hashlib import sha256
from math import isfinite
from typing import Any
from weakref import ref

from trail_callbacks.capture.redaction import Redactor
from trail_callbacks.claims import Claim
from trail_callbacks.errors import StoreError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.monitor import DocumentUse, Observation, described, observe
from trail_callbacks.report import Report
from trail_callbacks.report.diagnosis import Figure
from trail_callbacks.report.withheld import FILLER, TEXTS, text_hash, with_texts, without_texts
from trail_callbacks.slices import current
from trail_callbacks.store.schema import FIGURES, OUTCOMES, plain
from trail_callbacks.trace import Trace, Versions

LARGEST = 16 * 1024 * 1024
"""Bytes of a body, before compression, that is kept unless somebody says otherwise."""

_ZLIB, _REFUSED = "zlib", "refused"
_LEVEL = 3  # of zlib, 1 to 9
_EXCERPT = 300  # characters of a question or an answer that lists show
_COLUMNS = {
    "run": "id",
    "user_id": "user",
    **{name: name for name in ("at", "key", "judge", "state", "release", "rate", "score", "claims")},
    **{name: name for name in ("broken", "diagnosed")},
}
"""Columns of `runs` that hold a field of an observation each."""

_MAPPINGS = ("outcomes", "versions", "fields")
_DOCUMENT = tuple(each.name for each in fields(DocumentUse))
_PATH = frozenset({"query_coverage", "evidence_overlap", "selection"})  # figures of a diagnosis
_WITHHELD = frozenset({"block", "raise", "strip"})  # what guards do with answers that nobody gets as they are
_UNJUDGED = frozenset({"error", "interrupted"})


@dataclass(frozen=True, slots=True)
class Body:
    """A report or a trace as it is stored."""

    kind: str  # `report` or `trace`
    codec: str  # how it is compressed; `refused` if it is not stored
    size: int  # bytes before compression
    data: bytes | None  # the bytes; None if it was refused
    why: str | None = None  # why it was refused


def packed(kind: str, text: str, most: int = LARGEST) -> Body:
    """Compresses JSON; one of more than `most` bytes is refused, and the body says so."""
    raw = text.encode("utf-8", "replace")
    if len(raw) > most:
        return Body(kind, _REFUSED, len(raw), None, f"the {kind} has {len(raw):,} bytes, more than {most:,}")
    return Body(kind, _ZLIB, len(raw), zlib.compress(raw, _LEVEL))


def unpacked(codec: str, data: bytes, most: int) -> str:
    """Reads what `packed` wrote."""
    if codec != _ZLIB:
        raise StoreError(f"a stored body is compressed by {codec!r}, which this release does not know")
    try:
        reader = zlib.decompressobj()
        raw = reader.decompress(data, most + 1)
        if len(raw) > most:
            raise StoreError(f"a stored body has more than {most:,} bytes and is not read")
        if not reader.eof:
            raise EOFError("it is truncated")  # noqa: TRY301 - as if it could not be read
        return raw.decode()
    except (zlib.error, ValueError, TypeError, EOFError) as error:
        raise StoreError(f"a stored body is damaged: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A run as it is written."""

    run: Observation
    claims: tuple[dict[str, Any], ...] = ()  # rows of its claims, without `n`
    bodies: tuple[Body, ...] = ()  # its report and its trace, as far as there are any
    question: str = ""
    answer: str = ""  # what the app returned
    session: str | None = None  # the thread that it was a turn of
    withheld: bool = False  # a guard's report on an answer that nobody got

    def met(self, other: Entry) -> Entry:
        """Returns one entry for a run of which there are two: this one, with what only the other knows."""
        kinds = {body.kind for body in self.bodies}
        more = tuple(body for body in other.bodies if body.kind not in kinds)
        session = self.session or other.session
        return replace(self, run=_joined(self.run, other.run), bodies=self.bodies + more, session=session)

    def run_row(self, added: float) -> dict[str, Any]:
        """The row of `runs`, without `n`."""
        run = self.run
        figures = {name: known.value for name, known in run.figures.items() if known.counts}
        return {
            **{column: getattr(run, name) for column, name in _COLUMNS.items()},
            "run": plain(run.id),
            "session": self.session,
            "added": added,
            "rank": self.rank,
            "digest": self.digest,
            "decided": run.decided,
            "unsupported": run.unsupported,
            **{name: run.outcomes.get(name, 0) for name in OUTCOMES},
            # what words say stays in `details`: what is counted goes by gold and judges
            **{f"f_{name}": figures.get(name) for name in FIGURES},
        }

    @property
    def rank(self) -> int:
        """How much it says; of two entries on one run the later one counts, unless it says less."""
        traced = any(body.kind == "trace" for body in self.bodies)
        return 4 * self.withheld + 2 * (self.run.state not in _UNJUDGED) + traced

    @property
    def digest(self) -> str:
        """Hash of its verdicts: the same ones again, which took another time, are not written twice."""
        claims = [{name: value for name, value in claim.items() if name != "at"} for claim in self.claims]
        bodies = [[body.kind, body.data is None] for body in self.bodies]
        stated = [self.run.judge, self.run.state, self._kept(), claims, bodies]
        return sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()[:32]

    def _kept(self) -> dict[str, Any]:
        """What of the figures has no column."""
        figures = {name: asdict(figure) for name, figure in self.run.figures.items()}
        return {**{name: dict(getattr(self.run, name)) for name in _MAPPINGS}, "figures": figures}

    def child_rows(self) -> dict[str, list[dict[str, Any]]]:
        """The rows of the tables about a run, without `n`, by the short name of the table; those of segments apart."""
        excerpts = {"question": self.question[:_EXCERPT], "answer": self.answer[:_EXCERPT]}
        data = json.dumps(self._kept(), separators=(",", ":"))  # ASCII: any text can be stored so
        uses = enumerate(self.run.documents)
        return {
            "details": [{**excerpts, "data": data}],
            "claims": list(self.claims),
            "documents": [{"position": place, "at": self.run.at, **asdict(use)} for place, use in uses],
            "bodies": [{**asdict(body), "stored": len(body.data or b"")} for body in self.bodies],
        }


def _joined(run: Observation, other: Observation) -> Observation:
    """The figures of a run as one entry has them, with what only the other knows."""
    looked = run if run.diagnosed or not other.diagnosed else other
    path = {name: figure for name, figure in looked.figures.items() if name in _PATH}
    return replace(
        run,
        figures={**path, **run.figures},
        broken=looked.broken,
        diagnosed=looked.diagnosed,
        release=run.release or other.release,
        versions={**other.versions, **run.versions},
        fields={**other.fields, **run.fields},
        user=run.user or other.user,
        documents=run.documents or other.documents,
        rate=max(run.rate, other.rate),  # a guard judges each run, whatever share is drawn beside it
    )


def claim_rows(report: Report, at: float) -> tuple[dict[str, Any], ...]:
    """The claims of a report; `key` is a hash of what a claim says."""
    found = []
    for position, (claim, verdict) in enumerate(zip(report.claims, report.verdicts, strict=True)):
        said = f"{claim.quote}\0{claim.text}".encode("utf-8", "surrogatepass")
        introduced = verdict.introduced_at
        found.append(
            {
                "position": position,
                "claim": claim.id,
                "key": sha256(said).hexdigest()[:16],
                "at": at,
                "outcome": verdict.outcome,
                "error_type": verdict.error_type.value if verdict.error_type else None,
                "step": (report.graph.node(introduced).step or "") if introduced is not None else None,
            }
        )
    return tuple(found)


def observation(row: Mapping[str, Any], documents: Iterable[Mapping[str, Any]]) -> Observation:
    """Reads a row of `runs` with its `data`, and the documents of the run."""
    try:
        data = json.loads(row["data"])
        if not all(isfinite(row[name]) for name in ("at", "rate", "claims", "score") if row[name] is not None):
            raise ValueError("a number is none")  # noqa: TRY301 - as if it could not be read
        if not all(isinstance(data[name], dict) for name in _MAPPINGS):
            raise TypeError("a mapping is none")  # noqa: TRY301 - as above
        return Observation(
            **{name: row[column] for column, name in _COLUMNS.items()},
            **{name: data[name] for name in _MAPPINGS},
            figures={name: _figure(name, **each) for name, each in data["figures"].items() if name in FIGURES},
            documents=tuple(DocumentUse(**{name: each[name] for name in _DOCUMENT}) for each in documents),
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(f"the row of run {row['run']!r} is damaged: {error!r}") from error


def _figure(name: str, *, interval: Iterable[float] | None, **values: Any) -> Figure:
    low_and_high = None if interval is None else tuple(interval)
    said = {"decided_by": None if name in _PATH else "judge", **values}  # older rows do not say, see `schema`
    return Figure(interval=low_and_high, **said)  # type: ignore[arg-type]  # two of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """What becomes of a run before it is written."""

    redactor: Redactor | None = None  # what is applied to all texts; None for nothing
    others: tuple[ref[Redactor], ...] = ()  # those of handlers, for runs that none of them recorded
    texts: bool = True  # False: no text is kept, see `CaptureSettings.texts`, and no trace
    text_key: bytes | None = field(default=None, repr=False)  # of `texts=False`
    most: int = LARGEST  # bytes of a body before compression

    def redacted(self, text: str) -> str:
        """Returns a text as it is stored."""
        return text if self.redactor is None else self.redactor.text(text)

    def entry(
        self,
        report: Report,
        trace: Trace | None,
        *,
        at: float,
        rate: float = 1.0,
        run: Observation | None = None,
        segments: Mapping[str, str] | None = None,
        guard: str | None = None,
        redacted: bool = False,
        bare: bool = False,
    ) -> Entry:
        """Returns a run as it is written. See `Store.add`."""
        said = dict(segments or {})
        for redactor in self.redactors(redacted=redacted):
            report = redacted_report(report, redactor)
            trace = trace and redacted_trace(trace, redactor)
            run = run and redacted_run(run, redactor)
            said = redactor.metadata(said)
            _pause()
        run = run or observe(report, trace, at=at, rate=rate)
        run = described(run, said) if said else run
        if guard is not None:
            run = replace(run, fields={**run.fields, "guard": guard})
        if (
            not self.texts and not bare
        ):  # the plain hash of a question would show whoever can guess it that it was asked
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
            session=trace.context.session if trace is not None else None,
            withheld=guard in _WITHHELD,
        )

    def redactors(self, *, redacted: bool = False) -> Iterator[Redactor]:
        """What is applied to a run, each once; what was recorded with a redaction is spared those of others."""
        seen = []
        for each in (*(() if redacted else (other() for other in self.others)), self.redactor):
            if each is not None and each.functions not in seen:
                seen.append(each.functions)
                yield each


def _pause() -> None:
    slices = current.get()
    if slices is not None:
        slices.pause()


_TEXTS: Mapping[str, Sequence[str]] = {
    **TEXTS,
    "Context": ("request", "session", "user", "tenant", "query_class", "tags"),
    "Node": ("step",),
    "Observation": ("release", "user"),
    "Report": ("warnings", "claims_error"),
    "Stage": ("lost", "note"),
    "Trace": ("warnings", "lost"),
    "Versions": tuple(each.name for each in fields(Versions)),
}
"""What of reports, traces and figures is text that may hold what must not be stored."""

_WORD = re.compile(r"\S+")


class _Redaction:
    """The redaction of one report or trace, whose `graph` is what evidence and claims point into."""

    def __init__(self, redactor: Redactor, graph: ProvenanceGraph | None = None) -> None:
        self._text = cache(redactor.text)
        self._answer = graph.answer.id if graph and graph.answer else ""
        self.masked = {node.id: self._mask(node.text) for node in (graph.nodes if graph else ())}

    def _mask(self, text: str) -> str:
        """Returns a text of the same length in which the words that `redact` changes are fillers."""
        redacted = self._text(text)
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

    def of(self, value: Any) -> Any:
        """A value whose texts, and those of all that it holds, are redacted."""
        return with_texts(value, self._changed, _TEXTS)

    def _changed(self, owner: Any, field: str, text: str) -> str:
        if field != "quote":
            return self._text(text)
        # None: evidence of a diagnosis may be of a text beside the graph.
        whole = self.masked.get(self._answer if isinstance(owner, Claim) else owner.node_id)
        return self._mask(text) if whole is None else whole[owner.start : owner.end]


def redacted_report(report: Report, redactor: Redactor) -> Report:
    """Returns a report without what must not be stored; offsets stay what they are."""
    graph = report.graph
    redaction = _Redaction(redactor, graph)
    nodes = tuple(
        replace(redaction.of(each), text=redaction.masked[each.id], attributes=redactor.metadata(each.attributes))
        for each in graph.nodes
    )
    found: Report = redaction.of(report)
    return replace(found, graph=ProvenanceGraph(nodes=nodes, edges=graph.edges))


def redacted_trace(trace: Trace, redactor: Redactor) -> Trace:
    """Returns a trace as if it had been recorded with this redaction."""
    earlier = trace.earlier
    found: Trace = _Redaction(redactor).of(replace(trace, events=(), earlier=None))
    return replace(
        found,
        events=tuple(map(redactor.event, trace.events)),
        earlier=replace(earlier, graph=redactor.graph(earlier.graph)) if earlier else None,
        context=replace(found.context, metadata=redactor.metadata(trace.context.metadata)),
    )


def redacted_run(run: Observation, redactor: Redactor) -> Observation:
    """Returns the figures of a run, with names and values redacted."""
    found: Observation = _Redaction(redactor).of(run)
    return replace(
        found,
        versions=_named(run.versions, redactor),
        fields=_named(run.fields, redactor),
        documents=tuple(replace(each, name=redactor.text(each.name)) for each in run.documents),
    )


def _named(values: Mapping[str, str], redactor: Redactor) -> dict[str, str]:
    return {redactor.text(name): redactor.text(value) for name, value in values.items()}
