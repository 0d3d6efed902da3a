"""How graphs and reports display themselves.

Renderers import the report, so the report cannot import its renderers. Instead the functions of
`trail_callbacks.render` are registered here, by type, when the package is imported.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

__all__ = ["fragment", "page", "rich", "text"]


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
def page(value: object, *, title: str | None = None) -> str:  # noqa: ARG001 - renderers take it
    """Returns a value as one self-contained HTML page."""
    raise _unknown(value)


def _unknown(value: object) -> TypeError:
    return TypeError(f"no rendering is registered for {type(value).__name__}")
