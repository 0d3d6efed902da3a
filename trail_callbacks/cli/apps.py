"""The app under test as a user names it: `module:attribute`."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Any, cast

from trail_callbacks.errors import InputError

if TYPE_CHECKING:
    from trail_callbacks.canary import App


def load_app(name: str) -> App:
    """Imports an app, also from the current folder.

    Args:
        name: `module:attribute`; the attribute may be one of an object, `my_app:bot.answer`.

    Raises:
        InputError: If it cannot be imported, or takes no `Ask`.
    """
    module, _, path = name.partition(":")
    if not module or not path or module.endswith(".py") or "/" in module:
        raise InputError(f"--app is {name!r}, expected MODULE:ATTRIBUTE as in an import, such as my_app:ask")
    found: Any = _imported(module, name)
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError as error:
            raise InputError(f"--app {name}: {module} has no {path}") from error
    _check(name, found)
    return cast("App", found)


def _imported(module: str, name: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(f"{error.name}.")):
            raise InputError(
                f"--app {name}: there is no module {error.name} in {here} or on the Python path"
            ) from error
        raise InputError(f"--app {name}: importing it failed: {error}{_where(error)}") from error
    except (Exception, SystemExit) as error:
        raise InputError(
            f"--app {name}: importing it failed: {type(error).__name__}: {error}{_where(error)}"
        ) from error


def _where(error: BaseException) -> str:
    """Place in the user's code that raised."""
    last = [each for each in extract_tb(error.__traceback__) if "importlib" not in each.filename]
    return f" ({last[-1].filename}, line {last[-1].lineno})" if last else ""


def _check(name: str, found: Any) -> None:
    if inspect.isclass(found):
        raise InputError(f"--app {name} is a class: name an object of it, made in that module")
    if not callable(found):
        raise InputError(
            f"--app {name} is {type(found).__name__}, which cannot be called: expected a function of an Ask"
        )
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):  # of some that are written in C: it will show
        return
    try:
        signature.bind(object())
    except TypeError as error:
        raise InputError(
            f"--app {name} takes {signature}, expected one Ask; if it makes an app, name what it returns"
        ) from error
