"""What is audited: a recorded run, a saved report, or a row with an answer and its sources."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

from trail_callbacks.errors import InputError
from trail_callbacks.trace.codec import FORMAT

__all__ = ["COLUMNS", "AuditItem", "Columns", "Kind", "item", "known"]

Kind = Literal["trace", "report", "kept", "row"]
"""A trace; a report whose graph is verified anew; a report that is taken as it is; a row."""

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "row_id"),
    "question": ("question", "query", "user_input", "input"),
    "answer": ("answer", "response", "output"),
    "sources": ("sources", "contexts", "retrieved_contexts", "documents", "context"),
}
"""Names under which columns of a row are found, best first."""

_TEXTS = ("text", "content", "page_content")
_IDS = ("run_id", "parent_id", "id", "call_id", "ref", "same_as")  # stand for one another, and mean nothing else
_VOLATILE = ("at", "seq", "tags", "metadata")


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of the columns of rows, where they are not the usual ones (see `COLUMNS`)."""

    given: Mapping[str, str] = field(default_factory=dict)

    def find(self, role: str, row: Mapping[str, Any]) -> str | None:
        """Returns the column of a row that has a role; None if there is none."""
        names = (self.given[role],) if role in self.given else COLUMNS[role]
        return next((name for name in names if name in row), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditItem:
    """One answer to be judged.

    Attributes:
        kind: What it was made of.
        id: As its maker calls it; None if it has none.
        data: All that is needed to judge it, as JSON.
        content: SHA-256 of the part of it on which a verdict can depend: no ids and times of runs.
        fields: Its metadata, by name: what segments and `where` go by.
    """

    kind: Kind
    id: str | None
    data: str
    content: str
    fields: Mapping[str, str]


def known(value: Mapping[str, Any], columns: Columns) -> bool:
    """Tells whether a record is a trace, a report or a row."""
    if value.get("format") == FORMAT or _is_report(value):
        return True
    return columns.find("answer", value) is not None and columns.find("sources", value) is not None


def _is_report(value: Mapping[str, Any]) -> bool:
    return "version" in value and "graph" in value and "verdicts" in value


def item(value: Mapping[str, Any], columns: Columns, *, keep_reports: bool) -> AuditItem:
    """Makes an item of a record.

    Args:
        value: The record.
        columns: Names of columns.
        keep_reports: Take the verdicts of saved reports as they are.

    Raises:
        InputError: If it is none; says what was looked for.
    """
    if value.get("format") == FORMAT:
        run = value.get("id")
        return _item("trace", run, value, [_plain(value.get("events"), {}), value.get("earlier")], _context(value))
    if _is_report(value):
        data = value if keep_reports else value["graph"]
        return _item("kept" if keep_reports else "report", value.get("run_id"), data, data, {})
    names = {role: columns.find(role, value) for role in COLUMNS}
    for role in ("answer", "sources"):
        if names[role] is None:
            wanted = columns.given.get(role) or " or ".join(COLUMNS[role])
            raise InputError(f'is no trace ("format": "{FORMAT}"), no report, and no row: it has no {wanted}')
    answer = value[str(names["answer"])]
    question = value[names["question"]] if names["question"] else None
    if not isinstance(answer, str):
        raise InputError(f"its {names['answer']} is {_json_type(answer)}, expected a text")
    if not isinstance(question, str | None):
        raise InputError(f"its {names['question']} is {_json_type(question)}, expected a text")
    data = {"question": question, "answer": answer, "sources": _sources(value[str(names["sources"])])}
    rest = {name: each for name, each in value.items() if name not in names.values()}
    return _item("row", value[names["id"]] if names["id"] else None, data, data, _flat(rest))


def _item(kind: Kind, id_: Any, data: Any, material: Any, fields: Mapping[str, str]) -> AuditItem:
    try:
        text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
        content = sha256(json.dumps([kind, material], sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    except (TypeError, ValueError, RecursionError) as error:  # Parquet holds dates and bytes
        raise InputError(f"cannot be written as JSON: {error}") from error
    return AuditItem(kind=kind, id=None if id_ is None else str(id_), data=text, content=content, fields=fields)


def _plain(value: Any, seen: dict[Any, int]) -> Any:
    """Events without times and metadata, and with numbers for ids: the same run made twice is the same."""
    if isinstance(value, list):
        return [_plain(each, seen) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: seen.setdefault(each, len(seen))
        if key in _IDS and isinstance(each, str | int)
        else (each if key == "attributes" else _plain(each, seen))
        for key, each in value.items()
        if key not in _VOLATILE
    }


def _sources(value: Any) -> list[dict[str, Any]]:
    """Sources as objects with a `text`, and the rest of each as its attributes.

    Raises:
        InputError: If one has no text.
    """
    if isinstance(value, str):
        try:
            read = json.loads(value) if value.lstrip().startswith("[") else value
        except (ValueError, RecursionError):
            read = value  # a text that begins with a bracket
        value = read
    several = value if isinstance(value, list) else [] if value is None else [value]
    found = []
    for n, each in enumerate(several, 1):
        source = {"text": each} if isinstance(each, str) else each
        key = next((key for key in _TEXTS if isinstance(source, dict) and isinstance(source.get(key), str)), None)
        if key is None:
            raise InputError(f"its source {n} has no text: expected a text, or an object with {' or '.join(_TEXTS)}")
        found.append({"text": source[key], "attributes": {name: x for name, x in source.items() if name != key}})
    return found


def _context(trace: Mapping[str, Any]) -> dict[str, str]:
    context, versions = trace.get("context"), trace.get("versions")
    context = context if isinstance(context, dict) else {}
    metadata = context.get("metadata")
    named = {name: each for name, each in context.items() if name not in {"metadata", "started", "ended"}}
    return {
        **_flat(metadata if isinstance(metadata, dict) else {}),
        **_flat(versions if isinstance(versions, dict) else {}),
        **_flat(named),
    }


def _flat(values: Mapping[str, Any]) -> dict[str, str]:
    """Metadata as texts; an object's own names are joined to its name by a dot, and `metadata` needs no naming."""
    found: dict[str, str] = {}
    for name, each in values.items():
        if isinstance(each, dict):
            found |= {(key if name == "metadata" else f"{name}.{key}"): x for key, x in _flat(each).items()}
        elif isinstance(each, list | tuple) and each:
            found[name] = ", ".join(map(str, each))
        elif isinstance(each, bool):
            found[name] = str(each).lower()
        elif isinstance(each, str | int | float) and each != "":
            found[name] = str(each)
    return found


def _json_type(value: object) -> str:
    return "missing" if value is None else type(value).__name__
