"""Probes in files: written as JSON lines, read from these or from a table that somebody made by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, fields, replace
from pathlib import Path
from typing import Any, Final, get_args

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.edit import EditKind, Size
from trail_callbacks.canary.files.records import unique
from trail_callbacks.canary.probe import Origin, Probe
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.reading import Broken, records
from trail_callbacks.text import encodable

__all__ = ["COLUMNS", "read_probes", "write_probes"]

COLUMNS: Final[Mapping[str, Sequence[str]]] = {
    "id": ("id",),
    "question": ("question", "query", "user_input", "input"),
    "real": ("real", "real_answer", "answer", "expected", "expected_answer", "ground_truth", "reference"),
    "fictive": ("fictive", "fictive_answer", "fake", "fake_answer", "counterfactual", "expected_fictive"),
    "also": ("also",),
    "real_forms": ("real_forms", "aliases"),
    "fictive_forms": ("fictive_forms",),
    "documents": ("documents", "document", "source"),
    "real_quote": ("real_quote", "quote", "passage"),
    "fictive_quote": ("fictive_quote",),
    "kind": ("kind",),
    "size": ("size",),
    "subject": ("subject", "topic", "category"),
    "edit": ("edit",),
    "origin": ("origin",),
}
"""Names of columns, best first, by the attribute of a probe; case does not count."""

_LISTS: Final = ("real_forms", "fictive_forms", "documents")
_DEFAULTS: Final = {each.name: each.default for each in fields(Probe) if each.default is not MISSING}
_CLOSED: Final = {"kind": get_args(EditKind), "size": get_args(Size), "origin": get_args(Origin)}


def write_probes(probes: Iterable[Probe], path: str | Path) -> None:
    """Writes probes as JSON lines, atomically; what is at its default is left out.

    Raises:
        InputError: If the file cannot be written.
    """
    write(str(path), (json.dumps(_data(each), ensure_ascii=False) + "\n" for each in probes))


def read_probes(path: str | Path) -> tuple[tuple[Probe, ...], tuple[Skipped, ...]]:
    """Reads probes of a CSV or TSV table, JSON lines, a JSON list or Parquet, gzip or not.

    See `COLUMNS` for names. In a table, several forms or documents stand in one cell with ` | ` between them. A probe
    without a fictive answer has to be of the kind `unanswerable`. An id that was given before gets `#2` behind it.

    Returns:
        The probes in the order of the file, and the lines that are none with the reason. Columns that are not read are
        named once.

    Raises:
        InputError: If the file cannot be read, or holds no probe at all; says what was expected.
        MissingExtraError: If it is Parquet, and nothing reads it.
    """
    name = str(path)
    probes: list[Probe] = []
    skipped: list[Skipped] = []
    ids: dict[str, int] = {}
    unread: dict[str, None] = {}
    for number, each in enumerate(records(path, expected="probes"), 1):
        if isinstance(each, Broken):
            skipped.append(Skipped(each.place, each.why))
            continue
        try:
            probe, left = _probe(each.value, f"q{number}")
        except InputError as error:
            skipped.append(Skipped(each.place, str(error)))
            continue
        unread |= dict.fromkeys(left)
        probes.append(replace(probe, id=unique(probe.id, ids)))
    if not probes:
        reasons = "; ".join(f"{each.place}: {each.why}" for each in skipped[:3])
        raise InputError(
            f"{name} holds no probe: expected a column question, the real and the fictive answer"
            + (f" ({reasons})" if reasons else "")
        )
    if unread:
        names = ", ".join(list(unread)[:8]) + (", ..." if len(unread) > 8 else "")  # noqa: PLR2004 - enough to recognise
        skipped.append(Skipped(name, f"columns that mean nothing here were left out: {names}"))
    return tuple(probes), tuple(skipped)


def _data(probe: Probe) -> dict[str, Any]:
    data = asdict(probe)
    for name in _LISTS:
        data[name] = list(data[name])
    kept = {key: value for key, value in data.items() if key == "origin" or value != _plain_default(key)}
    return {**kept, "fictive": probe.fictive}


def _plain_default(name: str) -> Any:
    return [] if name in _LISTS else _DEFAULTS.get(name, MISSING)


def _probe(row: Mapping[str, Any], default: str) -> tuple[Probe, list[str]]:
    """The probe of a row, and the columns that are none of its."""
    columns = {str(key).strip().casefold(): key for key in row}
    named = {role: next((columns[each] for each in names if each in columns), None) for role, names in COLUMNS.items()}
    given: dict[str, Any] = {}
    for role, column in named.items():
        value = row[column] if column is not None else None
        given[role] = _several(value, role) if role in _LISTS else _single(value, role)
    for role in ("question", "real"):
        if not given[role]:
            raise InputError(f"has no {role} ({', '.join(COLUMNS[role])})")
    for role, known in _CLOSED.items():
        if given[role] is not None and given[role] not in known:
            raise InputError(f"its {role} is {given[role]!r:.40}, expected one of {', '.join(known)}")
    if given["fictive"] is None and given["kind"] != "unanswerable":
        raise InputError("has no fictive answer: give one, or the kind unanswerable if the fact was removed")
    used = set(named.values())
    return (
        Probe(
            **{
                **given,
                "id": given["id"] or default,
                "origin": given["origin"] or "given",
                "real_quote": given["real_quote"] or "",
                "fictive_quote": given["fictive_quote"] or "",
            }
        ),
        [str(key)[:40] for key in row if key not in used],
    )


def _single(value: Any, role: str) -> str | None:
    """A cell as a text; None if it is blank."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"its {role} is no text")
    return encodable(str(value)).strip() or None


def _several(value: Any, role: str) -> tuple[str, ...]:
    """A list, or a cell with its items."""
    if isinstance(value, list):
        return tuple(text for each in value if (text := _single(each, role)))
    text = _single(value, role) or ""
    if text.startswith("["):
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            read = None
        if isinstance(read, list):
            return _several(read, role)
    return tuple(part for each in text.split("|") if (part := each.strip()))
