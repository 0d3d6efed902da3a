"""Output of the command line: text or one JSON object on stdout, messages and progress on stderr, files."""

from __future__ import annotations

import json
import os
import sys
import webbrowser
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import typer
from rich.console import Console, Group
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from trail_callbacks.files import write
from trail_callbacks.models.call import Usage
from trail_callbacks.render.excerpt import plain
from trail_callbacks.render.terminal import plain_text
from trail_callbacks.report import Report

_WIDEST = 120


def display(*views: Any, width: int | None = None) -> None:
    """Prints rich renderables: in colour on a terminal, as plain text into files and pipes."""
    page = Group(*(Text(view) if isinstance(view, str) else view for view in views))
    screen = Console(highlight=False, markup=False, emoji=False)
    if not screen.is_terminal:
        sys.stdout.write(plain_text(page, width) + "\n")
        sys.stdout.flush()
        return
    screen.width = width or min(screen.width, _WIDEST)
    screen.print(page)


def complain(message: str) -> None:
    """Prints a message on stderr; it may quote hostile text."""
    sys.stderr.write(f"trail: {plain(message, ascii=False)}\n")


def dumped(value: Any) -> str:
    """Indented JSON."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def emit(value: Any) -> None:
    """Prints one JSON object; in ASCII if stdout is not Unicode, so that it stays valid JSON."""
    unicode = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    text = json.dumps(value, ensure_ascii=not unicode, indent=2)
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode() + "\n")
    sys.stdout.flush()


def deliver(value: Any, views: Iterable[Any], *, as_json: bool) -> None:
    """Gives the result of a command on stdout: one JSON object with `--json`, or what people read."""
    views = list(views)  # they may do something: write a page
    if as_json:
        emit(value)
    else:
        display(*views)


def handed_out(text: str, output: str | None, *, public: bool = False) -> None:
    """Gives a document: into a file, see `write`, or on stdout, always in UTF-8 and with its own line ends."""
    if output:
        write(output, text, public=public)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def skipped(errors: Sequence[Exception]) -> None:
    """Says what was left out; then the exit status is 2."""
    for error in errors:
        complain(f"skipped: {error}")
    if errors:
        raise typer.Exit(2)


def write_page(report: Report, html: str | None, *, opened: bool) -> Iterator[str]:
    """Writes a report as a page, if one is wanted, opens it, and yields where it is."""
    if html or opened:
        path = html or "trail.html"
        write(path, report.to_html())
        if opened and not webbrowser.open(Path(path).resolve().as_uri()):
            complain(f"could not start a browser: open {path} yourself")
        yield f"written to {plain(path)}"


class Meter(Progress):
    """A bar with words beside it."""

    def show(self, words: str, done: int, share: float | None, usage: Usage, money: float | None) -> None:
        """Shows how far the work is."""
        seconds = self.tasks[0].elapsed or 0.0
        rate = f", {done / seconds:.1f} a second" if seconds else ""
        tokens = usage.prompt_tokens + usage.completion_tokens
        cost = f", {usage.calls} calls, {tokens:,} tokens" if usage.calls else ""
        cost += "" if money is None else f", {money:.2f} spent"
        total = None if share is None else 1.0
        self.update(self.task_ids[0], description=f"{words}{rate}{cost}", completed=share or 0.0, total=total)


@contextmanager
def progress(what: str, total: int | None = None) -> Generator[Meter]:
    """Shows progress on stderr if stderr is a terminal."""
    shown = Console(stderr=True, highlight=False, markup=False, emoji=False)
    bar = Meter(
        SpinnerColumn("line"),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=shown,
        transient=True,
        disable=not shown.is_terminal,
    )
    with bar:
        bar.add_task(plain(what), total=total)
        yield bar


def quiet() -> None:
    """Redirects a closed stdout (`| head`), so that the interpreter exits without an error message."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
