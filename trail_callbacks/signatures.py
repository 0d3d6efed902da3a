"""Settings as users meet them: shown in signatures, and refused by name where there is no such setting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Settings = TypeVar("Settings")


def refuses_unknown(settings: type[Settings]) -> type[Settings]:
    """Makes a dataclass of settings refuse a name that it does not have with the nearest that it has.

    Raises:
        TypeError: From its constructor, as Python does for any unknown keyword.
    """
    made = settings.__init__
    names = list(settings.__dataclass_fields__)  # type: ignore[attr-defined]  # it is a dataclass

    @wraps(made)
    def checked(self: object, *args: object, **given: object) -> None:
        for name in given:
            if name not in names:
                near = get_close_matches(name, names, n=1)
                meant = f": did you mean {near[0]!r}?" if near else ""
                known = f"see {settings.__module__}.{settings.__name__} for all: {', '.join(names)}"
                raise TypeError(f"there is no setting {name!r}{meant or ','} {known}")
        made(self, *args, **given)

    settings.__init__ = checked  # type: ignore[method-assign]  # one place for a check that all of them need
    return settings


def shows_settings(settings: type, keywords: type, **defaults: object) -> Callable[[Function], Function]:
    """Makes `inspect.signature` and `help()` show each setting, with its default, in place of `**settings`.

    Type checkers and editors read the same names from `Unpack[keywords]`.

    Args:
        settings: The dataclass that holds the settings and their defaults.
        keywords: The typed dictionary with those of them that the function takes.
        **defaults: Defaults of the function where they differ from those of the dataclass.
    """
    shown = [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=defaults.get(field.name, field.default),
            annotation=field.type,
        )
        for field in fields(settings)
        if field.name in keywords.__annotations__
    ]

    def decorate(function: Function) -> Function:
        written = signature(function)
        own = list(written.parameters.values())
        positional = [each for each in own if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
        keyword = [each for each in own if each.kind is Parameter.KEYWORD_ONLY]
        function.__signature__ = written.replace(parameters=[*positional, *shown, *keyword])  # type: ignore[attr-defined]  # read by inspect
        return function

    return decorate
