"""What an audit found: its files, an answer a row and a claim a row, and its summary, in numbers and by segment."""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from trail_callbacks.audit.journal import AuditEntry, AuditJournal
from trail_callbacks.errors import InputError, MissingExtraError
from trail_callbacks.files import write
from trail_callbacks.models.call import Usage
from trail_callbacks.reading import arrow

_WORST = 20
_PLACES = 10
_SEGMENTS = 1_000  # values of a field that are told apart
_MISSING, _OTHER = "(none)", "(other)"
_BAD = ("contradicted", "absent", "partially_supported")
_ROWS = 1_000  # of a row group
_ANSWER = {
    "n": "int64", "id": "string", "place": "string", "first": "int64", "question": "string", "answer": "string",
    "state": "string", "score": "double", "low": "double", "high": "double", "claims": "int64", "judge": "string",
    "fields": "string", "outcomes": "string", "error_types": "string", "entry_steps": "string", "citations": "string",
    "signature": "string", "broken": "string", "figures": "string", "warnings": "string",
}  # fmt: skip
_CLAIM = {
    "n": "int64", "id": "string", "claim_id": "string", "claim": "string", "quote": "string", "start": "int64",
    "end": "int64", "path": "string", "outcome": "string", "error_type": "string", "second_type": "string",
    "detail": "string", "entry_step": "string", "confidence": "double", "rationale": "string", "why": "string",
    "evidence": "string", "judge": "string",
}  # fmt: skip
"""Columns and their types; in Parquet, what is an object or a list is JSON."""
_BROKEN = dict.fromkeys(("n", "place", "id", "why"), "")


@dataclass(slots=True)
class AuditTally:
    """Counts over answers."""

    answers: int = 0  # number of answers
    flawed: int = 0  # answers with an unsupported claim
    claims: int = 0
    states: Counter[str] = field(default_factory=Counter)  # number of answers in each state of a report
    outcomes: Counter[str] = field(default_factory=Counter)  # number of claims for each outcome, see `Verdict.outcome`
    error_types: Counter[str] = field(default_factory=Counter)  # number of claims of each error type
    # number of unsupported claims that were introduced at each step
    entry_steps: Counter[str] = field(default_factory=Counter)
    signatures: Counter[str] = field(default_factory=Counter)  # number of answers with each signature of a diagnosis
    # number of answers whose evidence path broke first at each stage
    breaks: Counter[str] = field(default_factory=Counter)

    def add(self, result: Mapping[str, Any]) -> None:
        """Counts one answer."""
        self.answers += 1
        self.flawed += any(result["outcomes"].get(each) for each in _BAD)
        self.claims += result["claims"]
        for name in ("outcomes", "error_types", "entry_steps"):
            getattr(self, name).update(result[name])
        for counts, name in ((self.states, "state"), (self.signatures, "signature"), (self.breaks, "broken")):
            if result.get(name):
                counts[result[name]] += 1

    @property
    def unsupported(self) -> int:
        """Claims that are contradicted, absent or partially supported."""
        return sum(self.outcomes[each] for each in _BAD)

    @property
    def share(self) -> float | None:
        """Share of unsupported claims among those that were decided and can be; None if there are none."""
        decided = self.unsupported + self.outcomes["supported"]
        return self.unsupported / decided if decided else None

    def as_data(self) -> dict[str, Any]:
        """Returns the counts as JSON-safe values, the most frequent first."""
        names = ("states", "outcomes", "error_types", "entry_steps", "signatures", "breaks")
        return {
            **{name: getattr(self, name) for name in ("answers", "flawed", "claims", "unsupported")},
            "share_unsupported": self.share,
            **{n: dict(sorted(getattr(self, n).items(), key=lambda pair: (-pair[1], pair[0]))) for n in names},
        }


@dataclass(slots=True)
class AuditSummary:
    """What an audit found."""

    by: Sequence[str] = ()  # fields to break down by
    total: AuditTally = field(default_factory=AuditTally)  # counts over all answers
    # for each field, the counts for each of its values
    segments: dict[str, dict[str, AuditTally]] = field(default_factory=dict)
    duplicates: int = 0  # answers whose verdicts are those of an equal one before them
    unfinished: int = 0  # answers on which the judge failed
    missing: int = 0  # answers that were not judged, because the budget was used up
    broken: int = 0  # places that cannot be audited
    broken_places: list[tuple[str, str]] = field(default_factory=list)  # the first of them, and why
    left_out: int = 0  # rows that `where` or `sample` leave out
    repeated_ids: Sequence[str] = ()  # ids under which the input has different answers
    stopped: str | None = None  # why judging ended before the input did; None if it did not
    usage: Usage = field(default_factory=Usage)  # what the audit cost, earlier runs too
    money: float | None = None  # the same in the currency of the prices; None without prices
    judge: str = ""  # name of the judge
    files: tuple[str, ...] = ()  # what was written
    _worst: list[tuple[float, int, int, dict[str, Any]]] = field(default_factory=list)

    def add(self, entry: AuditEntry) -> dict[str, Any] | None:
        """Counts a place of the input; returns its result, or None if it has none."""
        if entry.why is not None:
            self.broken += 1
            if len(self.broken_places) < _PLACES:
                self.broken_places.append((entry.place, entry.why))
            return None
        if entry.data is None:
            self.missing += 1
            return None
        result: dict[str, Any] = json.loads(entry.data)
        self.unfinished += entry.status == "unfinished"
        self.duplicates += entry.first != entry.n
        self.total.add(result)
        for name in self.by:
            values = self.segments.setdefault(name, {})
            value = entry.fields.get(name, _MISSING)
            value = value if value in values or len(values) < _SEGMENTS else _OTHER
            values.setdefault(value, AuditTally()).add(result)
        if result["score"]:
            bad = sum(result["outcomes"].get(each, 0) for each in _BAD)
            named = {name: result[name] for name in ("question", "score", "claims", "entry_steps", "error_types")}
            row = {"n": entry.n, "id": entry.id, "place": entry.place, "unsupported": bad, **named}
            heapq.heappush(self._worst, (result["score"], bad, -entry.n, row))
            if len(self._worst) > _WORST:
                heapq.heappop(self._worst)
        return result

    @property
    def worst(self) -> list[dict[str, Any]]:
        """The answers with the highest scores, and among equals with the most unsupported claims."""
        return [row for *_, row in sorted(self._worst, key=lambda each: each[:3], reverse=True)]

    def as_data(self) -> dict[str, Any]:
        """Returns it as JSON-safe values: what `summary.json` holds."""
        counts = ("duplicates", "unfinished", "missing", "broken", "left_out")
        return {
            "judge": self.judge,
            **self.total.as_data(),
            **{name: getattr(self, name) for name in counts},
            "repeated_ids": list(self.repeated_ids[:_WORST]),
            "stopped": self.stopped,
            "usage": {name: getattr(self.usage, name) for name in ("calls", "prompt_tokens", "completion_tokens")},
            "money": self.money,
            "segments": {
                name: {value: tally.as_data() for value, tally in sorted(values.items())}
                for name, values in self.segments.items()
            },
            "worst": self.worst,
        }


def written(journal: AuditJournal, folder: Path, summary: AuditSummary) -> None:
    """Writes the files, each at once or not at all, the summary last, into which it counts what is in the others.

    Raises:
        InputError: If they cannot be written.
    """
    files = [folder / f"{name}.jsonl" for name in ("answers", "claims", "broken")]
    try:
        for path, lines in zip(files, (_answers(journal, summary), _claims(journal), _broken(journal)), strict=True):
            write(str(path), lines)
        for name, columns in {"answers": _ANSWER, "claims": _CLAIM}.items():
            with suppress(MissingExtraError):
                files.append(_parquet(folder / f"{name}.jsonl", columns))
        files = [*sorted(files), folder / "summary.json"]
        summary.files = tuple(map(str, files))
        write(str(files[-1]), json.dumps(summary.as_data(), ensure_ascii=False, indent=2) + "\n")
    except (OSError, InputError) as error:
        raise InputError(
            f"the results cannot be written to {folder}: {getattr(error, 'strerror', None) or error}; what was judged "
            "is kept, and the same command writes them"
        ) from error


def _answers(journal: AuditJournal, summary: AuditSummary) -> Iterator[str]:
    for entry in journal.entries():
        result = summary.add(entry)
        if result is not None:
            low, high = result["interval"] or (None, None)
            more = {"place": entry.place, "first": entry.first, "fields": entry.fields, "low": low, "high": high}
            yield _line({**result, "n": entry.n, "id": entry.id, **more}, _ANSWER)


def _claims(journal: AuditJournal) -> Iterator[str]:
    for entry in journal.entries():
        if entry.why is None and entry.data is not None:
            for verdict in json.loads(entry.data)["verdicts"]:
                yield _line({**verdict, "n": entry.n, "id": entry.id}, _CLAIM)


def _broken(journal: AuditJournal) -> Iterator[str]:
    return (_line(entry._asdict(), _BROKEN) for entry in journal.entries() if entry.why is not None)


def _line(row: dict[str, Any], columns: dict[str, str]) -> str:
    kept = {name: row.get(name) for name in columns}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")) + "\n"


def _parquet(lines: Path, columns: dict[str, str]) -> Path:
    """Writes the rows of a file of JSON lines as Parquet beside it, and returns its path."""
    pa = arrow()
    kinds = {"int64": pa.int64(), "double": pa.float64(), "string": pa.string()}
    schema = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
    path = lines.with_suffix(".parquet")
    temporary = path.with_name(f".{path.name}")
    try:
        temporary.touch(mode=0o600)
        with (
            lines.open(encoding="utf-8") as stream,
            import_module("pyarrow.parquet").ParquetWriter(temporary, schema) as writer,
        ):
            while several := list(islice(stream, _ROWS)):
                rows = [{name: _cell(value) for name, value in json.loads(each).items()} for each in several]
                writer.write_table(pa.Table.from_pylist(rows, schema))
        return temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _cell(value: Any) -> Any:
    """A value as Parquet holds it: objects and lists as JSON, no lone surrogates."""
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
