"""Saved traces on the command line: reading them, and what they show of the evidence path."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from trail_callbacks.cli.output import complain, display, emit
from trail_callbacks.errors import InputError
from trail_callbacks.render.provenance import graph_to_rich
from trail_callbacks.render.safe_text import line, plain
from trail_callbacks.trace import Packing, Trace
from trail_callbacks.trace.codec import FORMAT
from trail_callbacks.trace.stored import read_lines

__all__ = ["is_trace", "show_traces", "spooled", "traces_in"]

_HEAD = 4_096  # bytes in which a file says what it is
_OTHERS = re.compile(
    rb"\x1f\x8b|\x28\xb5\x2f\xfd|....\x28\xb5\x2f\xfd|"
    rb'.*"(?:resource_?spans|scope_?spans|span_?id|spans|run_type|parent_?observation_?id|trace_?metadata)"',
    re.DOTALL | re.IGNORECASE,
)
"""How compressed files begin, and what is near the start of other tools' traces and of no report."""


def is_trace(path: Path) -> bool:
    """True for a file of traces, by its start. What cannot be read is none; who reads it will say why."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return _is_own(head) or _OTHERS.match(head) is not None


def spooled(name: str) -> Path:
    """Returns the file that a name means: of standard input, a copy that lives as long as this process."""
    if name != "-":
        return Path(name)
    copy = tempfile.NamedTemporaryFile(prefix="trail-", suffix=".stdin")  # noqa: SIM115 - closed at the end
    _copies.append(copy)
    shutil.copyfileobj(sys.stdin.buffer, copy)
    copy.flush()
    return Path(copy.name)


_copies: list[Any] = []


def traces_in(name: str, path: Path | None = None) -> tuple[list[Trace], list[InputError]]:
    """Reads all traces of a file, of this library or of another tool, and what is wrong with lines that are none.

    Args:
        name: The file; `-` is standard input.
        path: Where its text is, if that is known.

    Raises:
        InputError: If the file holds no trace at all; names it.
    """
    from trail_callbacks.importing.read import named  # noqa: PLC0415 - other commands do not need it

    file, called = path or spooled(name), "standard input" if name == "-" else name
    errors: list[InputError] = []
    try:
        with file.open("rb") as stream:
            own = _is_own(stream.read(_HEAD))
            stream.seek(0)
            if own:
                traces = list(read_lines(stream, called, errors.append))
    except OSError:
        own = False  # said with the reason below
    if not own:
        traces = list(named(file, called, errors.append))
    if not traces:
        raise errors[0]
    return traces, errors


def _is_own(head: bytes) -> bool:
    return f'"{FORMAT}"'.encode() in head


def show_traces(name: str, path: Path, *, graph: bool, width: int | None, as_json: bool) -> None:
    """Prints the traces of a file. Lines that are no trace are skipped with a message, and the exit status is 2."""
    traces, errors = traces_in(name, path)
    if as_json:
        shown = [_as_json(trace) for trace in traces]
        emit(shown[0] if len(shown) == 1 and not errors else {"traces": shown, "errors": [str(e) for e in errors]})
    else:
        for trace in traces:
            display(*([graph_to_rich(trace.graph), ""] if graph else []), *_views(trace), width=width)
    for error in errors:
        complain(f"skipped: {error}")
    if errors:
        raise typer.Exit(2)


def _as_json(trace: Trace) -> dict[str, Any]:
    """Returns a trace's context and steps, without its events and texts, as JSON-safe values."""
    from pydantic_core import to_jsonable_python  # noqa: PLC0415 - takes longer to import than the command line

    shown: dict[str, Any] = to_jsonable_python(
        {
            "trace_id": trace.id,
            "question": trace.question,
            "answer": trace.answer,
            "context": trace.context,
            "versions": trace.versions,
            "retrievals": trace.retrievals,
            "rerankings": trace.rerankings,
            "packings": trace.packings,
            "calls": trace.calls,
            "warnings": trace.warnings,
        }
    )
    return shown


def _views(trace: Trace) -> Iterator[Text]:
    """Yields what to print of a trace."""
    yield Text(f"trace {plain(trace.id)}", style="bold")
    for name, value in (("question", trace.question), ("answer", trace.answer), *_about(trace)):
        if value:
            yield Text(f"{name + ':':<12}{line(str(value))}")
    for retrieval in trace.retrievals:
        late = ", after the answer" if retrieval.after_answer else ""
        ended = f", failed: {line(retrieval.error)}" if retrieval.error else ""
        query = line(retrieval.query)
        yield Text(f"{plain(retrieval.step)} retrieved {len(retrieval.candidates)} for: {query}{late}{ended}")
    for reranking in trace.rerankings:
        dropped = sum(each.rank_out is None for each in reranking.ranked)
        moved = sum(each.rank_out not in {None, each.rank_in} for each in reranking.ranked)
        yield Text(f"{plain(reranking.step)} was given {len(reranking.ranked)}, moved {moved}, dropped {dropped}")
    for packing in trace.packings:
        yield Text(_packed(packing))
    for call in trace.calls:
        seconds = f", {call.seconds:.2f} s" if call.seconds is not None else ""
        tokens = f", {call.prompt_tokens} + {call.completion_tokens or 0} tokens" if call.prompt_tokens else ""
        ended = f", failed: {line(call.error)}" if call.error else ""
        yield Text(f"{plain(call.step)} called {plain(call.model or 'a model')}{tokens}{seconds}{ended}")
    for warning in trace.warnings:
        yield Text(f"note: {line(warning)}", style="yellow")


def _about(trace: Trace) -> Iterator[tuple[str, str | None]]:
    context, versions = trace.context, trace.versions
    if context.started is not None:
        yield "started", datetime.fromtimestamp(context.started, UTC).isoformat(timespec="milliseconds")
    for name in ("request", "session", "user", "tenant", "query_class"):
        yield name, getattr(context, name)
    yield "tags", ", ".join(context.tags)
    known = {name: getattr(versions, name) for name in versions.__slots__}
    yield "versions", ", ".join(f"{name} {value}" for name, value in known.items() if value)


def _packed(packing: Packing) -> str:
    read = [piece for piece in packing.pieces if piece.order is not None]
    cut = sum(piece.arrived < 1.0 for piece in read)
    reasons = [piece.dropped for piece in packing.pieces if piece.dropped]
    missing = ", ".join(f"{reasons.count(reason)} {reason}" for reason in dict.fromkeys(reasons))
    return (
        f"{plain(packing.step)} read {len(read)} of {len(packing.pieces)} ({cut} in part)"
        f"{f', not: {missing}' if missing else ''}, about {packing.tokens} tokens"
    )
