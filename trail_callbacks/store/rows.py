"""Observations as rows of the tables, and back."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from io import BytesIO
from typing import Any

from trail_callbacks.errors import StoreError
from trail_callbacks.monitor import DocumentUse, Observation
from trail_callbacks.report import Report
from trail_callbacks.report.diagnosis import Figure
from trail_callbacks.store.schema import FIGURES, OUTCOMES, plain

__all__ = [
    "LARGEST",
    "Body",
    "Entry",
    "claim_key",
    "claim_rows",
    "detail_row",
    "observation",
    "packed",
    "run_row",
    "segments_of",
    "unpacked",
]

LARGEST = 16 * 1024 * 1024
"""Bytes of a body, before compression, that is kept unless somebody says otherwise."""

_ZSTD, _ZLIB, _REFUSED = "zstd", "zlib", "refused"
_LEVELS = {_ZSTD: 3, _ZLIB: 1}
_WINDOW = 1 << 27  # bytes that a reader will set aside


@dataclass(frozen=True, slots=True)
class Body:
    """A report or a trace as it is stored.

    Attributes:
        kind: `report` or `trace`.
        codec: How it is compressed; `refused` if it is not stored.
        size: Bytes before compression.
        data: The bytes; None if it was refused.
        why: Why it was refused.
    """

    kind: str
    codec: str
    size: int
    data: bytes | None
    why: str | None = None


def packed(kind: str, text: str, most: int = LARGEST) -> Body:
    """Compresses JSON; one of more than `most` bytes is refused, and the body says so."""
    raw = text.encode("utf-8", "replace")
    if len(raw) > most:
        return Body(kind, _REFUSED, len(raw), None, f"the {kind} has {len(raw):,} bytes, more than {most:,}")
    zstd = _zstandard()
    if zstd is None:
        return Body(kind, _ZLIB, len(raw), zlib.compress(raw, _LEVELS[_ZLIB]))
    return Body(kind, _ZSTD, len(raw), zstd.ZstdCompressor(level=_LEVELS[_ZSTD]).compress(raw))


def unpacked(codec: str, data: bytes, most: int) -> bytes:
    """Reads what `packed` wrote.

    Args:
        codec: How it is compressed.
        data: The bytes.
        most: Bytes it may have after decompression: what claims to have more is not read.

    Raises:
        StoreError: If it is damaged, too large, or compressed by what is not installed.
    """
    try:
        raw = _read(codec, data, most + 1)
    except (zlib.error, ValueError, EOFError) as error:
        raise StoreError(f"a stored body is damaged: {error}") from error
    if len(raw) > most:
        raise StoreError(f"a stored body has more than {most:,} bytes and is not read")
    return raw


def _read(codec: str, data: bytes, most: int) -> bytes:
    if codec == _ZLIB:
        reader = zlib.decompressobj()
        raw = reader.decompress(data, most)
        if not reader.eof and len(raw) < most:
            raise EOFError("it is truncated")
        return raw
    if codec != _ZSTD:
        raise StoreError(f"a stored body is compressed by {codec!r}, which this release does not know")
    zstd = _zstandard()
    if zstd is None:
        raise StoreError("a stored body is compressed by zstd: pip install zstandard")
    try:
        size = zstd.frame_content_size(data)
        read: bytes = zstd.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(BytesIO(data)).read(most)
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error
    if 0 <= size < most and len(read) != size:
        raise EOFError("it is truncated")
    return read


def _zstandard() -> Any:
    try:
        import zstandard  # noqa: PLC0415 - optional
    except ImportError:
        return None
    return zstandard


EXCERPT = 300
"""Characters of a question or an answer that lists show."""

_KEPT = ("outcomes", "error_types", "entry_steps", "versions", "fields")
_UNJUDGED = frozenset({"error", "interrupted"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A run as it is written.

    Attributes:
        run: Its figures.
        claims: Rows of its claims, without `n`.
        bodies: Its report and its trace, as far as there are any.
        question: What was asked.
        answer: What the app returned.
    """

    run: Observation
    claims: tuple[dict[str, Any], ...] = ()
    bodies: tuple[Body, ...] = ()
    question: str | None = None
    answer: str | None = None

    @property
    def rank(self) -> int:
        """How much it says; of two entries on one run the later one counts, unless it says less."""
        return 2 * (self.run.state not in _UNJUDGED) + any(body.kind == "trace" for body in self.bodies)

    @property
    def digest(self) -> str:
        """Hash of its verdicts: the same ones again, which took another time, are not written twice."""
        claims = [{name: value for name, value in claim.items() if name != "at"} for claim in self.claims]
        bodies = [[body.kind, body.data is None] for body in self.bodies]
        stated = [self.run.judge, self.run.state, _kept(self.run), claims, bodies]
        return sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()[:32]


def segments_of(run: Observation) -> dict[str, str]:
    """The segments of a run, as `Observation.segment` finds them."""
    found = {**run.versions, **run.fields}
    found.pop("release", None)
    return found if run.release is None else {**found, "release": run.release}


def claim_key(text: str, quote: str) -> str:
    """Hash of what a claim says."""
    return sha256(f"{quote}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def claim_rows(report: Report, at: float) -> tuple[dict[str, Any], ...]:
    """The claims of a report."""
    found = []
    for position, (claim, verdict) in enumerate(zip(report.claims, report.verdicts, strict=True)):
        introduced = verdict.introduced_at
        found.append(
            {
                "position": position,
                "claim": claim.id,
                "key": claim_key(claim.text, claim.quote),
                "at": at,
                "outcome": verdict.outcome,
                "error_type": verdict.error_type.value if verdict.error_type else None,
                "step": (report.graph.node(introduced).step or "") if introduced is not None else None,
            }
        )
    return tuple(found)


def run_row(entry: Entry, added: float) -> dict[str, Any]:
    """The row of `runs`, without `n`."""
    run = entry.run
    return {
        "run": plain(run.id),
        "at": run.at,
        "added": added,
        "rank": entry.rank,
        "digest": entry.digest,
        "key": run.key,
        "judge": run.judge,
        "state": run.state,
        "release": run.release,
        "user_id": run.user,
        "rate": run.rate,
        "score": run.score,
        "claims": run.claims,
        "decided": run.decided,
        "unsupported": run.unsupported,
        **{name: run.outcomes.get(name, 0) for name in OUTCOMES},
        "broken": run.broken,
        "diagnosed": run.diagnosed,
        **{f"f_{name}": run.figures[name].value if name in run.figures else None for name in FIGURES},
    }


def detail_row(entry: Entry) -> dict[str, Any]:
    """The row of `details`, without `n`."""
    return {
        "question": (entry.question or "")[:EXCERPT],
        "answer": (entry.answer or "")[:EXCERPT],
        "data": json.dumps(_kept(entry.run), separators=(",", ":")),  # ASCII: any text can be stored so
    }


def _kept(run: Observation) -> dict[str, Any]:
    figures = {name: asdict(figure) for name, figure in run.figures.items()}
    return {**{name: dict(getattr(run, name)) for name in _KEPT}, "figures": figures}


def observation(row: Mapping[str, Any], documents: Iterable[Mapping[str, Any]]) -> Observation:
    """Reads a row of `runs` with its `data`, and the documents of the run."""
    data = json.loads(row["data"])
    return Observation(
        id=row["run"],
        at=row["at"],
        key=row["key"],
        judge=row["judge"],
        state=row["state"],
        score=row["score"],
        claims=row["claims"],
        figures={name: _figure(each) for name, each in data["figures"].items()},
        broken=row["broken"],
        diagnosed=bool(row["diagnosed"]),
        release=row["release"],
        user=row["user_id"],
        documents=tuple(
            DocumentUse(**{name: each[name] for name in ("name", "passages", "selected", "updated", "ingested")})
            for each in documents
        ),
        rate=row["rate"],
        **{name: data[name] for name in _KEPT},
    )


def _figure(stored: Mapping[str, Any]) -> Figure:
    interval = stored["interval"]
    return Figure(
        value=stored["value"], n=stored["n"], interval=tuple(interval) if interval else None, why=stored["why"]
    )
