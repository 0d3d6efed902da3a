"""The forms that a report, a graph and a diagnosis can take: for people, for other tools, and as advice.

What makes a form imports the report, so the report cannot import it. Instead each maker is registered here, by type,
when the package is imported: those for people by `trail_callbacks.render`, the others by `trail_callbacks.report`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any


@singledispatch
def text(value: object) -> str:
    """Returns a value as plain text for a terminal, without colour."""
    raise _unknown(value)


@singledispatch
def rich(value: object) -> Any:
    """Returns a value as a rich renderable."""
    raise _unknown(value)


@singledispatch
def fragment(value: object) -> str:
    """Returns a value as one HTML element for a notebook: no script, all text escaped."""
    raise _unknown(value)


@singledispatch
def page(value: object, *, title: str | None = None) -> str:  # noqa: ARG001 - makers take it
    """Returns a value as one self-contained HTML page."""
    raise _unknown(value)


@singledispatch
def next_step(value: object) -> str | None:
    """Returns what to do about the first fault of a value; None if there is none."""
    raise _unknown(value)


@singledispatch
def evaluations(
    value: object,
    *,
    trace_id: str | None = None,  # noqa: ARG001 - makers take it, and the next three
    span_id: str | None = None,  # noqa: ARG001
    spans: Mapping[str, str] | None = None,  # noqa: ARG001
    higher_is_better: bool = False,  # noqa: ARG001
) -> list[Any]:
    """Returns a value as evaluation records, as tools exchange them."""
    raise _unknown(value)


@singledispatch
def pytest_file(value: object) -> str:
    """Returns a value as the source of a pytest file."""
    raise _unknown(value)


def _unknown(value: object) -> TypeError:
    return TypeError(f"there is no such form of {type(value).__name__}")
