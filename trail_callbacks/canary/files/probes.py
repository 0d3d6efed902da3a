"""Probes in files: written as JSON lines, read from these or from a table that somebody made by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.files.corpora import unique
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.saved import of_data, to_data
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.reading import Broken, records
from trail_callbacks.text import encodable_parts

_COLUMNS: Final = frozenset(each.name for each in fields(Probe))
_LISTS: Final = frozenset({"real_forms", "fictive_forms", "documents"})


def write_probes(probes: Iterable[Probe], path: str | Path) -> None:
    """Writes probes as JSON lines, atomically; what is at its default is left out.

    Raises:
        InputError: If the file cannot be written.
    """
    rows = (json.dumps({**to_data(each), "origin": each.origin}, ensure_ascii=False) + "\n" for each in probes)
    write(str(path), rows)


def read_probes(path: str | Path) -> tuple[tuple[Probe, ...], tuple[Skipped, ...]]:
    """Reads probes of a CSV or TSV table, JSON lines, a JSON list or Parquet, gzip or not.

    Columns are the attributes of `Probe`; `question`, `real` and `fictive` are enough. In a table, several forms or
    documents stand in one cell with ` | ` between them. A probe without a fictive answer has to be of the kind
    `unanswerable`. An id that was given before gets `#2` behind it.

    Returns:
        The probes in the order of the file, and the lines that are none with the reason. Columns that are not read are
        named once.

    Raises:
        InputError: If the file cannot be read, or holds no probe at all; says what was expected.
        MissingExtraError: If it is Parquet, and nothing reads it.
    """
    probes: list[Probe] = []
    skipped: list[Skipped] = []
    ids: dict[str, int] = {}
    unread: dict[str, None] = {}
    for number, each in enumerate(records(path, expected="probes"), 1):
        if isinstance(each, Broken):
            skipped.append(Skipped(each.place, each.why))
            continue
        row = {str(key).strip().casefold(): value for key, value in each.value.items()}
        try:
            probe = _probe(row, f"q{number}")
        except ValidationError as error:
            wrong = error.errors()[0]
            skipped.append(Skipped(each.place, f"its {'.'.join(map(str, wrong['loc']))}: {wrong['msg']}"))
            continue
        if probe.fictive is None and probe.kind != "unanswerable":
            why = "has no fictive answer: give one, or the kind unanswerable if the fact was removed"
            skipped.append(Skipped(each.place, why))
            continue
        unread |= dict.fromkeys(name for name in row if name not in _COLUMNS)
        probes.append(replace(probe, id=unique(probe.id, ids)))
    if not probes:
        reasons = "; ".join(f"{each.place}: {each.why}" for each in skipped[:3])
        raise InputError(
            f"{path} holds no probe: expected a column question, the real and the fictive answer"
            + (f" ({reasons})" if reasons else "")
        )
    if unread:
        names = ", ".join(name[:40] for name in list(unread)[:8])
        skipped.append(Skipped(str(path), f"columns that mean nothing here were left out: {names}"))
    return tuple(probes), tuple(skipped)


def _probe(row: Mapping[str, Any], default: str) -> Probe:
    given = {name: _several(value) if name in _LISTS else _single(value) for name, value in row.items()}
    known = {name: value for name, value in given.items() if name in _COLUMNS and value}
    return of_data(Probe, encodable_parts({"id": default, "fictive": None, "origin": "given", **known}))


def _single(value: Any) -> Any:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value).strip() if number or isinstance(value, str) else value


def _several(value: Any) -> Any:
    """A list, or a cell with its items."""
    return [part for each in value.split("|") if (part := each.strip())] if isinstance(value, str) else value
