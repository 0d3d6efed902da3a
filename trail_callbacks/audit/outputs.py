"""The files of an audit: an answer a row, a claim a row, as JSON lines and as Parquet; broken rows; the summary."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

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
    try:
        with ExitStack() as stack:
            answers, claims = (_Table(folder, *each, stack) for each in (("answers", _ANSWER), ("claims", _CLAIM)))
            broken = _File(folder / "broken.jsonl", stack)
            for entry in journal.entries():
                result = summary.add(entry)
                if entry.why is not None:
                    broken.put({"n": entry.n, "place": entry.place, "id": entry.id, "why": entry.why})
                if result is None:
                    continue
                low, high = result["interval"] or (None, None)
                head = {"n": entry.n, "id": entry.id}
                more = {"place": entry.place, "first": entry.first, "fields": entry.fields, "low": low, "high": high}
                answers.put({**result, **head, **more})
                for verdict in result["verdicts"]:
                    claims.put({**verdict, **head})
            files = [*answers.done(), *claims.done(), *broken.done()]
    except OSError as error:
        raise InputError(
            f"the results cannot be written to {folder}: {error.strerror or error}; what was judged is kept, and the "
            "same command writes them"
        ) from error
    summary.files = tuple(map(str, [*files, folder / "summary.json"]))


def save_summary(folder: Path, summary: Summary) -> None:
    """Writes `summary.json`."""
    write(str(folder / "summary.json"), json.dumps(summary.as_data(), ensure_ascii=False, indent=2) + "\n")


class _File:
    """JSON lines that take their place when they are done."""

    def __init__(self, path: Path, stack: ExitStack) -> None:
        self._path = path
        handle, self._temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        self._stream: IO[str] = os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="")
        stack.callback(self._drop)

    def put(self, row: dict[str, Any]) -> None:
        self._stream.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")

    def done(self) -> list[Path]:
        self._stream.close()
        Path(self._temporary).replace(self._path)
        return [self._path]

    def _drop(self) -> None:
        with suppress(OSError):
            self._stream.close()
        with suppress(OSError):
            Path(self._temporary).unlink()


class _Table:
    """The same rows as JSON lines and, where pyarrow is installed, as Parquet."""

    def __init__(self, folder: Path, name: str, columns: dict[str, str], stack: ExitStack) -> None:
        self._columns = columns
        self._lines = _File(folder / f"{name}.jsonl", stack)
        self._parquet = _parquet(folder / f"{name}.parquet", columns, stack)
        self._rows: list[dict[str, Any]] = []

    def put(self, row: dict[str, Any]) -> None:
        kept = {name: row.get(name) for name in self._columns}
        self._lines.put(kept)
        if self._parquet is not None:
            self._rows.append(kept)
            if len(self._rows) >= _ROWS:
                self._flush()

    def done(self) -> Iterable[Path]:
        yield from self._lines.done()
        if self._parquet is not None:
            self._flush()
            yield self._parquet.done()

    def _flush(self) -> None:
        if self._parquet is not None and self._rows:
            self._parquet.put(self._rows)
            self._rows = []


def _parquet(path: Path, columns: dict[str, str], stack: ExitStack) -> Any:
    try:
        return _Parquet(arrow(), path, columns, stack)
    except MissingExtraError:
        return None


class _Parquet:
    def __init__(self, pa: Any, path: Path, columns: dict[str, str], stack: ExitStack) -> None:
        kinds = {"int64": pa.int64(), "double": pa.float64(), "string": pa.string()}
        self._schema = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
        self._pa, self._path = pa, path
        handle, self._temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        self._writer = import_module("pyarrow.parquet").ParquetWriter(self._temporary, self._schema)
        stack.callback(self._drop)

    def put(self, rows: list[dict[str, Any]]) -> None:
        plain = [{name: _cell(value) for name, value in row.items()} for row in rows]
        self._writer.write_table(self._pa.Table.from_pylist(plain, self._schema))

    def done(self) -> Path:
        self._writer.close()
        Path(self._temporary).replace(self._path)
        return self._path

    def _drop(self) -> None:
        self._writer.close()
        with suppress(OSError):
            Path(self._temporary).unlink()


def _cell(value: Any) -> Any:
    """A value as Parquet holds it: objects and lists as JSON, no lone surrogates."""
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
