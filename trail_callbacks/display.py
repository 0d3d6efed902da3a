"""The forms that a report, a graph and a diagnosis can take: for people, for other tools, and as advice.

What makes a form imports the report, so the report cannot import it. Instead makers are named here when the package is
imported: those for people by `trail_callbacks.render`, the others by `trail_callbacks.report`. A maker's module is
imported when the first value is drawn: most programs never draw one, and rich takes longer to import than all of this.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal, TypeAlias, overload

Form: TypeAlias = Literal["text", "rich", "fragment", "page", "next_step", "evaluations", "pytest_file"]
"""Plain text for a terminal, a rich renderable, one HTML element without script, a self-contained HTML page; what to do
about the first fault; evaluation records; the source of a test."""

MAKERS: dict[tuple[Form, str], str] = {}
"""Where a form of a class is made, by the class's name: `module:function`."""


@overload
def made(form: Literal["text", "fragment", "page", "pytest_file"], value: object, **settings: Any) -> str: ...
@overload
def made(form: Literal["next_step"], value: object) -> str | None: ...
@overload
def made(form: Literal["evaluations"], value: object, **settings: Any) -> list[Any]: ...
@overload
def made(form: Literal["rich"], value: object) -> Any: ...
def made(form: Form, value: object, **settings: Any) -> Any:
    """Returns a form of a value.

    Args:
        form: The form.
        value: A value of a class that has it.
        settings: What the maker takes.

    Raises:
        TypeError: If its class has no such form.
    """
    maker = next((MAKERS[form, kind.__name__] for kind in type(value).__mro__ if (form, kind.__name__) in MAKERS), None)
    if maker is None:
        raise TypeError(f"there is no such form of {type(value).__name__}")
    module, _, name = maker.partition(":")
    return getattr(import_module(module), name)(value, **settings)
