"""Rows of a user's table: under which names its columns are found, and the sources in a cell."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from trail_callbacks.errors import InputError

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "row_id"),
    "question": ("question", "query", "user_input", "input"),
    "answer": ("answer", "response", "output"),
    "sources": ("sources", "contexts", "retrieved_contexts", "documents", "context"),
}
"""Names under which columns of a row are found, best first."""

_TEXTS = ("text", "content", "page_content")


def column(role: str, row: Mapping[str, Any], columns: Mapping[str, str]) -> str | None:
    """The column of a row that has a role, by the names given or the usual ones; None if there is none."""
    names = (columns[role],) if role in columns else COLUMNS[role]
    return next((name for name in names if name in row), None)


def held(row: Mapping[str, Any], names: Mapping[str, str | None]) -> dict[str, Any]:
    """Returns question, answer and sources of a row, by the names of its columns.

    Raises:
        InputError: If one is not what it should be.
    """
    found = {role: None if name is None else row[name] for role, name in names.items()}
    for role, may in (("answer", str), ("question", str | None)):
        if not isinstance(found[role], may):
            kind = "missing" if found[role] is None else type(found[role]).__name__
            raise InputError(f"its {names[role]} is {kind}, expected a text")
    return {"question": found["question"], "answer": found["answer"], "sources": _sources(found["sources"])}


def cell(value: Any) -> Any:
    """A list that a cell of a table holds as JSON; anything else as it is."""
    try:
        return json.loads(value) if isinstance(value, str) and value.lstrip().startswith("[") else value
    except (ValueError, RecursionError):
        return value  # a text that begins with a bracket


def _sources(value: Any) -> list[dict[str, Any]]:
    """Sources as objects with a `text`, and the rest of each as its attributes.

    Raises:
        InputError: If one has no text.
    """
    value = cell(value)
    several = value if isinstance(value, list) else [] if value is None else [value]
    found = []
    for n, each in enumerate(several, 1):
        source = {"text": each} if isinstance(each, str) else each
        key = next((key for key in _TEXTS if isinstance(source, dict) and isinstance(source.get(key), str)), None)
        if key is None:
            raise InputError(f"its source {n} has no text: expected a text, or an object with {' or '.join(_TEXTS)}")
        found.append({"text": source[key], "attributes": {name: x for name, x in source.items() if name != key}})
    return found
