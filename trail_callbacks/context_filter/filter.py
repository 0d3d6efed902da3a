"""The filter: which passages go on to the model, and the reasons against the others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar, get_args

from trail_callbacks.context_filter.conflicts import OUTVOTED, conflicts
from trail_callbacks.context_filter.instructions import instruction
from trail_callbacks.context_filter.reason import Reason, ReasonKind
from trail_callbacks.errors import InputError

_log = logging.getLogger("trail_callbacks")
Action = Literal["drop", "flag", "off"]
P = TypeVar("P")
_LONGEST = 1_000_000  # characters of a passage in which instructions are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageDecision(Generic[P]):
    """What becomes of one passage.

    Attributes:
        index: Its position in the input, from 0.
        passage: The object that was given, itself.
        kept: Whether it goes on to the model.
        reasons: What was found, most serious first; empty if nothing was.
        error: What kept a detector from reading it; the passage is kept then. Empty if all went well.
    """

    index: int
    passage: P
    kept: bool
    reasons: tuple[Reason, ...] = ()
    error: str = ""

    @property
    def flagged(self) -> bool:
        """Kept although something was found."""
        return self.kept and bool(self.reasons)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtered(Generic[P]):
    """The outcome for all passages, in their order.

    Attributes:
        decisions: One a passage, in the order of the input.
        errors: Faults of our own; the passages concerned were kept.
        warnings: What was not looked at, and why.
    """

    decisions: Sequence[PassageDecision[P]]
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def kept(self) -> list[P]:
        """The passages that go on, in order."""
        return [decision.passage for decision in self.decisions if decision.kept]

    @property
    def dropped(self) -> list[PassageDecision[P]]:
        """What was taken out, with reasons."""
        return [decision for decision in self.decisions if not decision.kept]

    @property
    def flagged(self) -> list[PassageDecision[P]]:
        """What was kept with a doubt."""
        return [decision for decision in self.decisions if decision.flagged]


def report_outcome(outcome: Filtered[P], hook: Callable[[Filtered[P]], None] | None) -> None:
    """Logs what the filter could not read, and calls the app's hook, which must not cost the app its context."""
    for error in outcome.errors:
        _log.warning("context filter kept what it could not read: %s", error)
    if hook is not None:
        try:
            hook(outcome)
        except Exception:  # noqa: BLE001 - see above
            _log.exception("on_filtered of a TrailContextFilter failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFilter:
    """Looks through retrieved passages before a model reads them. Offline, deterministic, no model.

    Two detectors, each with what is to be done: `drop` the passage, `flag` it (keep it, with the reason), or `off`.

    It lowers a risk and removes none: it knows the wording of known attacks. A new wording, or a lie that several texts
    repeat, passes. Never use it as the only thing between a passage and a tool that can do harm.

    Attributes:
        instruction: Passages that give instructions to the model: override, role play, exfiltration, tool and template
            syntax, hidden text. Directions for a person are not meant.
        contradiction: Passages whose number, date or negation a clear majority contradicts, in sentences that
            share most of their words. Where there is no majority, both sides are flagged.
        drop_at: Score of an instruction from which it is dropped, above 0.0, at most 1.0.
        flag_at: Score from which it is flagged, above 0.0, at most `drop_at`.

    Raises:
        InputError: If a setting is unknown or out of range.
    """

    instruction: Action = "drop"
    contradiction: Action = "drop"
    drop_at: float = 0.65
    flag_at: float = 0.45

    def __post_init__(self) -> None:
        """Checks the settings."""
        for name in get_args(ReasonKind):
            action = getattr(self, name)
            if action not in get_args(Action):
                raise InputError(f"ContextFilter.{name} is {action!r}, expected any of {', '.join(get_args(Action))}")
        if not 0.0 < self.flag_at <= self.drop_at <= 1.0:
            raise InputError(
                f"ContextFilter.flag_at is {self.flag_at} and drop_at {self.drop_at}, "
                "expected 0 < flag_at <= drop_at <= 1"
            )

    def apply(self, passages: Sequence[P]) -> Filtered[P]:
        """Decides about each passage. Raises nothing and changes nothing; what cannot be read is kept.

        Args:
            passages: Strings, or objects with a `text` (a `Node`) or `page_content` that is one.

        Returns:
            A decision a passage, in order, and what went wrong.
        """
        texts: dict[int, str] = {}
        reasons: dict[int, list[Reason]] = {i: [] for i in range(len(passages))}
        faults: dict[int, str] = {}
        errors: list[str] = []
        warnings: list[str] = []
        for i, passage in enumerate(passages):
            try:
                texts[i] = _text(passage)
                if self.instruction != "off":
                    reasons[i] += self._instructions(texts[i])
                    if len(texts[i]) > _LONGEST:
                        warnings.append(f"passage {i}: instructions were looked for in its first {_LONGEST} characters")
            except Exception as error:  # noqa: BLE001 - a filter that fails must neither empty the context nor stop the app
                faults[i] = f"{'instruction' if i in texts else 'reading'}: {type(error).__name__}: {error}"
                errors.append(f"passage {i}: {faults[i]}")
        try:
            if self.contradiction != "off":  # a passage that is dropped has no vote
                voting = {i: text for i, text in texts.items() if not any(reason.drops for reason in reasons[i])}
                found, warning = conflicts(voting)
                warnings += [warning] if warning else []
                for i, reason in found.items():
                    drops = self.contradiction == "drop" and OUTVOTED in reason.signals
                    reasons[i].append(replace(reason, drops=drops))
        except Exception as error:  # noqa: BLE001 - as above
            errors.append(f"contradiction: {type(error).__name__}: {error}")
        decisions = [
            PassageDecision(
                index=i,
                passage=passage,
                kept=not any(reason.drops for reason in reasons[i]),
                reasons=tuple(sorted(reasons[i], key=lambda reason: (not reason.drops, -reason.score))),
                error=faults.get(i, ""),
            )
            for i, passage in enumerate(passages)
        ]
        return Filtered(decisions=tuple(decisions), errors=tuple(errors), warnings=tuple(warnings))

    def _instructions(self, text: str) -> list[Reason]:
        found = instruction(text[:_LONGEST])
        if found is None or found.score < self.flag_at:
            return []
        return [replace(found, drops=self.instruction == "drop" and found.score >= self.drop_at)]


def _text(passage: object) -> str:
    if isinstance(passage, str):
        return passage
    for name in ("text", "page_content"):
        text = getattr(passage, name, None)
        if isinstance(text, str):
            return text
    raise InputError(f"a passage is a {type(passage).__name__}, expected a string or an object with a text")
