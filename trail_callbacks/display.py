"""How graphs and reports display themselves.

Renderers import the report, so the report cannot import its renderers. Instead the functions of
`trail_callbacks.render` are registered here, by type, when the package is imported.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

__all__ = ["fragment", "page", "rare", "rich", "text"]

rare: dict[str, str] = {}
"""Modules whose `to_text` renders a type that is not imported with the package, by the type's name."""


@singledispatch
def text(value: object) -> str:
    """Returns a value as plain text for a terminal, without colour."""
    renderer = rare.get(type(value).__name__)
    if renderer is None:
        raise _unknown(value)
    from importlib import import_module  # noqa: PLC0415 - as its name says

    shown: str = import_module(renderer).to_text(value)
    return shown


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
