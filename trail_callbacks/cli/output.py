"""What the command line prints and writes: one JSON object or text on stdout, messages and progress on stderr."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import webbrowser
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from trail_callbacks.errors import InputError
from trail_callbacks.render.safe_text import plain
from trail_callbacks.render.terminal import plain_text

__all__ = ["browse", "complain", "display", "dumped", "emit", "folder", "pour", "progress", "quiet", "write"]

_WIDEST = 120


def display(*views: Any, width: int | None = None) -> None:
    """Prints what rich can render: in colour on a terminal, as plain text into files and pipes.

    Args:
        views: Renderables, one below the other. Strings are taken as they are, not as markup.
        width: Columns; None takes the terminal's, up to 120, and 80 without one.
    """
    page = Group(*(Text(view) if isinstance(view, str) else view for view in views))
    screen = Console(highlight=False, markup=False, emoji=False)
    if not screen.is_terminal:
        sys.stdout.write(plain_text(page, width) + "\n")
        sys.stdout.flush()
        return
    screen.width = width or min(screen.width, _WIDEST)
    screen.print(page)


def complain(message: str) -> None:
    """Says something on stderr; the message may quote hostile text."""
    sys.stderr.write(f"trail: {plain(message, ascii=False)}\n")


def dumped(value: Any) -> str:
    """JSON text, indented for people."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def emit(value: Any) -> None:
    """Prints one JSON object. ASCII where stdout is not Unicode, so that it stays valid JSON."""
    unicode = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    text = json.dumps(value, ensure_ascii=not unicode, indent=2)
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode() + "\n")
    sys.stdout.flush()


def pour(text: str) -> None:
    """Prints a document of another program's format: UTF-8 whatever the terminal speaks, line ends as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def write(path: str, text: str) -> None:
    """Writes a file so that no reader ever sees half of it; in UTF-8, line ends as they are.

    Raises:
        InputError: If it cannot be written; names the file.
    """
    target = Path(path)
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            stream.write(text)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except OSError as error:
        if temporary:
            with suppress(OSError):
                Path(temporary).unlink()
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error


def folder(path: str) -> Path:
    """Makes a folder, if it is not there.

    Raises:
        InputError: If it cannot be made; names it.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path} cannot be made a folder: {error.strerror or error}") from error
    return Path(path)


def browse(path: str) -> bool:
    """Opens a file in the browser; False where there is none."""
    return webbrowser.open(Path(path).resolve().as_uri())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def progress(what: str, total: int | None = None) -> Generator[Progress]:
    """Shows on stderr that something is going on; nothing where stderr is not a terminal.

    Args:
        what: The first task.
        total: Its steps; None if unknown.
    """
    shown = Console(stderr=True, highlight=False, markup=False, emoji=False)
    bar = Progress(
        SpinnerColumn("line"),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        console=shown,
        transient=True,
        disable=not shown.is_terminal,
    )
    with bar:
        bar.add_task(what, total=total)
        yield bar


def quiet() -> None:
    """Nobody reads stdout any more (`| head`): lets the interpreter close it without complaint."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
