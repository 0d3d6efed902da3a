"""The file of accepted findings: what a suite knows and lives with, so that only what is new fails a test."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

__all__ = ["Finding", "read", "written"]

_VERSION = 1


class Finding(NamedTuple):
    """A claim that is not supported, or not decided, in a test. Two checks of one test may share one.

    Attributes:
        test: Node id of the test.
        quote: The words of the answer, verbatim.
        outcome: `contradicted`, `absent`, `partially_supported`, `undecided`, or `unevaluatable` if that counts.
    """

    test: str
    quote: str
    outcome: str


def read(path: Path) -> frozenset[Finding]:
    """Reads the file.

    Raises:
        ValueError: If it is missing, or is no such file; says what is wrong.
    """
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist; --trail-update-baseline writes it") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    entries = stored.get("findings") if isinstance(stored, dict) and stored.get("version") == _VERSION else None
    if not isinstance(entries, list):
        raise ValueError(f"{path} is no baseline of version {_VERSION}")  # noqa: TRY004 - of a file, not of an argument
    for entry in entries:
        if (
            not isinstance(entry, dict)
            or set(entry) != set(Finding._fields)
            or not all(isinstance(value, str) for value in entry.values())
        ):
            raise ValueError(f"{path} has a finding that is not one: {str(entry)[:200]!r}")
    return frozenset(Finding(**entry) for entry in entries)


def written(findings: Iterable[Finding]) -> str:
    """Returns the content of the file: sorted, a finding a line, so that a review shows what is accepted now.

    Characters that do not show, or change how others show, are escaped: who reviews the file sees all there is.
    """
    lines = [json.dumps(each._asdict(), ensure_ascii=False) for each in sorted(set(findings))]
    text = ",\n".join("".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line) for line in lines)
    return f'{{"version": {_VERSION}, "findings": [\n{text}\n]}}\n'
