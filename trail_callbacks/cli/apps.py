"""The app under test as a user names it: `module:attribute`."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from pkgutil import resolve_name
from traceback import extract_tb
from typing import TYPE_CHECKING, Any, cast

from trail_callbacks.errors import InputError

if TYPE_CHECKING:
    from trail_callbacks.canary import App


def load_app(name: str) -> App:
    """Imports an app and checks how it is called."""
    found = imported(name, "--app")
    try:
        inspect.signature(found).bind(object())
    except (TypeError, ValueError) as error:
        raise InputError(
            f"--app {name} is not called with one Ask ({error}); if it makes an app, name what it returns"
        ) from error
    return cast("App", found)


def imported(name: str, option: str) -> Any:
    """Imports what an option names, also from the current folder."""
    if ":" not in name:
        raise InputError(f"{option} is {name!r}, expected MODULE:ATTRIBUTE as in an import, such as my_app:ask")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        found = resolve_name(name)
    except (Exception, SystemExit) as error:
        theirs = [each for each in extract_tb(error.__traceback__)[1:] if "importlib" not in each.filename]
        where = [f" ({each.filename}, line {each.lineno})" for each in theirs if "pkgutil" not in each.filename][-1:]
        raise InputError(
            f"{option} {name}: importing it failed: {type(error).__name__}: {error}{''.join(where)}"
        ) from error
    if inspect.isclass(found):
        raise InputError(f"{option} {name} is a class: name an object of it, made in that module")
    return found
