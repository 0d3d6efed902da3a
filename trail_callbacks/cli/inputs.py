"""What commands read: texts from files, standard input and the command line, saved reports and traces, a store."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trail_callbacks.errors import InputError, ReportError
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.report import Report

if TYPE_CHECKING:
    from trail_callbacks.store import Store
    from trail_callbacks.trace import Trace

_STDIN = "-"
_NAME = re.compile(r"[!-~]+|.*\.[A-Za-z]\w{0,4}")  # names a file: no blank in it, or an ending
_AGE = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def texts(answer: str | None, sources: Sequence[str], question: str | None) -> ProvenanceGraph:
    """Builds a graph from the command line; a source that is a file keeps its name."""
    if answer is None:
        raise InputError("give the answer: --answer FILE (- is standard input) or --answer TEXT")
    if not sources:
        raise InputError("give at least one source: --source FILE (- is standard input) or --source TEXT")
    read_once([answer, *sources])
    nodes = []
    for n, each in enumerate(sources, 1):
        text, about = (each, {}) if _is_text(each) else (read(each), {"source": _named(each)})
        nodes.append(Node(id=f"source-{n}", kind="document", text=text, step="source", attributes=about))
    return ProvenanceGraph.from_texts(answer if _is_text(answer) else read(answer), nodes, question)


def _is_text(given: str) -> bool:
    """Whether it is a text rather than the name of a file: none has that name, and it does not look like one."""
    there = os.path.exists(given)  # noqa: PTH110 - that of Path raises on long texts
    return given != _STDIN and not there and not _NAME.fullmatch(given)


def read_once(names: Sequence[str]) -> None:
    """Refuses to read standard input twice."""
    if names.count(_STDIN) > 1:
        raise InputError("standard input (-) can be read only once: put the other text into a file")


def read(name: str, called: str | None = None) -> str:
    """Reads a UTF-8 text file; `-` is standard input."""
    where = _named(called or name)
    try:
        data = sys.stdin.buffer.read() if name == _STDIN else Path(name).read_bytes()
    except IsADirectoryError as error:
        raise InputError(f"{where} is a folder: name the files in it") from error
    except FileNotFoundError as error:
        raise InputError(f"{where} does not exist") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{where} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if b"\0" in data:
        raise InputError(f"{where} is a binary file: expected text in UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{where} is not UTF-8 (byte {error.start} is {data[error.start]:#04x}): convert it, "
            "for example with iconv -t UTF-8"
        ) from error


def saved(name: str, path: Path | None = None, *, lenient: bool = False) -> Report:
    """Reads a saved report; `-` is standard input."""
    try:
        return Report.from_json(read(name if path is None else str(path), called=name), lenient=lenient)
    except ReportError as error:
        raise ReportError(f"{_named(name)}: {error}") from error


def only_report(name: str) -> Report | None:
    """Reads a file that holds one report and nothing else; None for anything else that runs are read from."""
    if name != _STDIN and not Path(name).is_file():
        return None
    try:
        return saved(name)
    except ReportError:
        if name == _STDIN:
            raise
        return None


def existing(where: str) -> Store:
    """Opens a store that is there, by its file or the URL of its database; neither is made or given tables."""
    from trail_callbacks.store import Store  # noqa: PLC0415 - SQLAlchemy is needed by few

    return Store(where, make=False)


def seconds(age: str) -> float | None:
    """Seconds of an age such as `30d`, `12h` or `90m`; None if it is none."""
    found = _AGE.fullmatch(age.strip())
    return float(found[1]) * _SECONDS[found[2]] if found else None


def time_of(text: str) -> float | None:
    """Seconds since the epoch of a time, ISO 8601 (UTC if it names no zone) or an age; None if it is none."""
    ago = seconds(text)
    if ago is not None:
        return time.time() - ago
    try:
        read = datetime.fromisoformat(text.strip())
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def spooled(name: str) -> Path:
    """Returns the file that a name means: of standard input, a copy that lives as long as this process."""
    if name != _STDIN:
        return Path(name)
    copy = tempfile.NamedTemporaryFile(prefix="trail-", suffix=".stdin")  # noqa: SIM115 - closed at the end
    _copies.append(copy)
    shutil.copyfileobj(sys.stdin.buffer, copy)
    copy.flush()
    return Path(copy.name)


_copies: list[Any] = []


def traces_in(name: str, path: Path | None = None) -> tuple[list[Trace], list[InputError]]:
    """Reads all traces of a file, of this library or of another tool, and what is wrong with lines that are none."""
    from trail_callbacks.importing.read import named  # noqa: PLC0415 - other commands do not need it

    errors: list[InputError] = []
    traces = list(named(path or spooled(name), _named(name), errors.append))
    if not traces:
        raise errors[0]
    return traces, errors


def _named(name: str) -> str:
    return "standard input" if name == _STDIN else name
