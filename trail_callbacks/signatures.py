"""Signatures of functions that take settings as `**settings`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from inspect import Parameter, signature
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


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
