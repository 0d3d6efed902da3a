"""Texts from files, standard input and the command line, and options that several commands take."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from trail_callbacks.errors import InputError, ReportError
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.report import Report

__all__ = ["OnUndecidedClaims", "read", "saved", "texts"]

_STDIN = "-"

OnUndecidedClaims = Annotated[
    Literal["pass", "fail"],
    typer.Option(
        "--on-undecided",
        help="What claims left undecided beside decided ones do: pass, or count as unsupported (fail).",
    ),
]
"""Typer reads the name of the option and its values from here."""


def texts(
    answer: str | None,
    answer_text: str | None,
    sources: Sequence[str],
    source_texts: Sequence[str],
    question: str | None,
) -> ProvenanceGraph:
    """Builds a graph from the command-line options; each source keeps its file name.

    Raises:
        InputError: If the answer or all sources are missing, the answer is given twice, standard input is used twice,
            or a file cannot be read.
    """
    if (answer is None) == (answer_text is None):
        raise InputError("give the answer once: --answer FILE (- is standard input) or --answer-text TEXT")
    if not sources and not source_texts:
        raise InputError("give at least one source: --source FILE (- is standard input) or --source-text TEXT")
    if [answer, *sources].count(_STDIN) > 1:
        raise InputError("standard input (-) can be read only once: put the other text into a file")
    text = answer_text if answer_text is not None else read(str(answer), " (to give the text itself use --answer-text)")
    nodes = [
        Node(
            id=f"source-{n}",
            kind="document",
            text=read(name, " (to give the text itself use --source-text)"),
            step="source",
            attributes={"source": _named(name)},
        )
        for n, name in enumerate(sources, 1)
    ]
    nodes += [
        Node(id=f"source-{n}", kind="document", text=source, step="source")
        for n, source in enumerate(source_texts, len(nodes) + 1)
    ]
    return ProvenanceGraph.from_texts(text, nodes, question)


def read(name: str, hint: str = "", called: str | None = None) -> str:
    """Reads a UTF-8 text file; `-` is standard input.

    Args:
        name: The file.
        hint: Appended to the message if the file does not exist.
        called: What it is called in messages; None: its name.

    Raises:
        InputError: If it does not exist, cannot be opened, or is not UTF-8 text; names the file.
    """
    where = _named(called or name)
    try:
        data = sys.stdin.buffer.read() if name == _STDIN else Path(name).read_bytes()
    except IsADirectoryError as error:
        raise InputError(f"{where} is a folder: name the files in it") from error
    except FileNotFoundError as error:
        raise InputError(f"{where} does not exist{hint}") from error
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


def saved(name: str) -> Report:
    """Reads a saved report; `-` is standard input.

    Raises:
        InputError: If the file cannot be read or is not a report; names the file.
    """
    try:
        return Report.from_json(read(name))
    except ReportError as error:
        raise ReportError(f"{_named(name)}: {error}") from error


def _named(name: str) -> str:
    return "standard input" if name == _STDIN else name
