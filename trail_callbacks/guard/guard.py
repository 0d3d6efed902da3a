"""What all guards share: the settings, the judge that they name, and what becomes of an answer that was judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TypeVar

from trail_callbacks.guard.checker import Checker
from trail_callbacks.guard.policy import Outcome
from trail_callbacks.guard.settings import GuardSettings
from trail_callbacks.guard.withheld import Withheld, read_texts

__all__ = ["Guard", "holds_text"]

Draft = TypeVar("Draft")


class Guard:
    """How the answers of one app are guarded. An adapter adds how its framework asks, answers and remembers.

    Args:
        settings: What passes, and what happens otherwise.
        around: See `Checker`.

    Attributes:
        settings: As given.
        checker: Judges drafts.
        is_live: The user reads drafts while they are written.
        is_strict: What nobody judges is left out of what the user gets.

    Raises:
        JudgeError: If the judge is unknown.
    """

    def __init__(
        self, settings: GuardSettings, *, around: Callable[[], AbstractContextManager[object]] = nullcontext
    ) -> None:
        self.settings = settings
        self.checker = Checker(settings, around=around)
        self.is_live = not settings.hides_drafts
        self.is_strict = settings.on_undecided == "fail" and settings.hides_drafts

    def instead(self, outcome: Outcome[Draft]) -> str | None:
        """Returns what the user reads instead of a draft; None if it is the draft, or an error is raised."""
        return outcome.instead(self.settings.message)

    def withheld(
        self,
        outcome: Outcome[Draft],
        texts: Sequence[str],
        known: Iterable[str],
        fields: Callable[[Sequence[str]], Sequence[str]] = lambda _: (),
    ) -> Withheld:
        """Returns what nobody is to read of a draft.

        Args:
            outcome: The outcome; its draft is not accepted.
            texts: The answer as it was judged, where not only parts of it are taken out.
            known: What the app was given, besides the sources of the report.
            fields: Returns the texts in an answer that is an object.
        """
        read = read_texts(outcome.report.graph) if outcome.report else []
        shown = self.instead(outcome)
        gone = outcome.taken or texts
        inside = fields(gone)
        message = self.settings.message if shown is None else shown
        return Withheld([*gone, *inside], [*known, *read], message, is_object=bool(inside))

    def noted(
        self, outcome: Outcome[Draft], names: Iterable[str], judged_only: Callable[[Draft], Draft]
    ) -> Outcome[Draft]:
        """Returns an outcome that names what of its draft nobody judged; in the strict setting without it.

        Args:
            outcome: The outcome.
            names: Names of what was not judged.
            judged_only: Returns a draft without that.
        """
        unjudged = tuple(dict.fromkeys(names))
        if not unjudged:
            return outcome
        draft = judged_only(outcome.draft) if self.is_strict else outcome.draft
        return replace(outcome, draft=draft, unjudged=unjudged)


def holds_text(value: object) -> bool:
    """Tells whether something beside an answer holds a text; names and ids are texts too, for nobody can tell."""
    if isinstance(value, str):
        return bool(value.strip())
    if isinstance(value, Mapping):
        return any(map(holds_text, value.values()))
    if isinstance(value, list | tuple):
        return any(map(holds_text, value))
    return value is not None and not isinstance(value, bool | int | float)
