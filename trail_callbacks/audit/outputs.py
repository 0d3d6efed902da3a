"""The files of an audit: an answer a row, a claim a row, as JSON lines and as Parquet; broken rows; the summary."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from trail_callbacks.audit.journal import AuditJournal
from trail_callbacks.audit.summary import Summary
from trail_callbacks.errors import InputError, MissingExtraError
from trail_callbacks.files import write
from trail_callbacks.reading import arrow

__all__ = ["save_summary", "written"]

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


def written(journal: AuditJournal, folder: Path, summary: Summary) -> None:
    """Writes the files, each at once or not at all, and counts what is in them into the summary.

    Raises:
        InputError: If they cannot be written.
    """
    tables = {"answers": _ANSWER, "claims": _CLAIM}
    files = [folder / f"{name}.jsonl" for name in (*tables, "broken")]
    try:
        for path, lines in zip(files, (_answers(journal, summary), _claims(journal), _broken(journal)), strict=True):
            write(str(path), lines)
        for name, columns in tables.items():
            with suppress(MissingExtraError):
                files.append(_parquet(folder / f"{name}.jsonl", columns))
    except (OSError, InputError) as error:
        raise InputError(
            f"the results cannot be written to {folder}: {getattr(error, 'strerror', None) or error}; what was judged "
            "is kept, and the same command writes them"
        ) from error
    summary.files = tuple(map(str, [*sorted(files), folder / "summary.json"]))


def save_summary(folder: Path, summary: Summary) -> None:
    """Writes `summary.json`."""
    write(str(folder / "summary.json"), json.dumps(summary.as_data(), ensure_ascii=False, indent=2) + "\n")


def _answers(journal: AuditJournal, summary: Summary) -> Iterator[str]:
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
    for entry in journal.entries():
        if entry.why is not None:
            row = {"n": entry.n, "place": entry.place, "id": entry.id, "why": entry.why}
            yield _line(row, dict.fromkeys(row, ""))


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
