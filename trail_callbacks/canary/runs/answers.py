"""What an app returned or raised, as a run keeps it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from trail_callbacks.canary.arm import Answered, ArmUnavailableError, Ask
from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.models.call import Usage
from trail_callbacks.models.provider_error import redact
from trail_callbacks.report import Report
from trail_callbacks.work.askers import TooLateError

__all__ = ["answered", "in_words", "unavailable"]

_T = TypeVar("_T")
_LONGEST = 400  # characters of an error


def answered(found: Any) -> Answered:
    """Returns what an app answered.

    Raises:
        TypeError: If it is none of what an app may return; says what it is.
    """
    if isinstance(found, str):
        return Answered(text=found)
    if not isinstance(found, Answered):
        hint = "; is it a factory, which makes an app?" if callable(found) else ""
        raise TypeError(f"the app returned {type(found).__name__}, expected str or Answered{hint}")
    for name, kind in (("text", str), ("usage", Usage), ("report", Report | None)):
        if not isinstance(value := getattr(found, name), kind):
            given = type(value).__name__
            raise TypeError(f"the app answered with {given} as {name}, expected {getattr(kind, '__name__', kind)}")
    passages = None if found.passages is None else _several("passages", found.passages, str)
    return replace(found, passages=passages, dropped=_several("dropped", found.dropped, Skipped))


def _several(name: str, found: Any, kind: type[_T]) -> tuple[_T, ...]:
    listed = tuple(found)
    wrong = {type(each).__name__ for each in listed if not isinstance(each, kind)}
    given = "a str" if isinstance(found, str) else f"a sequence of {' and '.join(sorted(wrong))}"
    if wrong or isinstance(found, str):
        raise TypeError(f"the app answered with {given} as {name}, expected a sequence of {kind.__name__}")
    return listed


def unavailable(error: BaseException, ask: Ask) -> str | None:
    """Returns why an app cannot be asked under an arm; None if an error says something else."""
    if isinstance(error, ArmUnavailableError):
        return redact(str(error)[:_LONGEST])
    if isinstance(error, NotImplementedError) and ask.arm == "closed_book":
        return str(error) or "the app cannot be asked without context"
    return None


def in_words(error: BaseException) -> str:
    """Returns an error in one line, without keys."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an app's exception may be broken, too
        text = "(its text cannot be made)"
    name = type(error).__name__
    said = text if isinstance(error, TooLateError) else f"{name}: {text}" if text else name
    return redact(" ".join(said.split())[:_LONGEST])
