"""The filter: which passages go on to the model, and what is held against the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, get_args

from trail_callbacks.context_filter.conflicts import conflicts
from trail_callbacks.context_filter.decision import Action, Decision, Filtered, Reason, ReasonKind
from trail_callbacks.context_filter.instructions import instruction
from trail_callbacks.context_filter.relevance import outliers
from trail_callbacks.context_filter.voices import voices
from trail_callbacks.errors import InputError

__all__ = ["ContextFilter"]

P = TypeVar("P")
_NAMED = 8  # passages that a reason names one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFilter:
    """Looks through retrieved passages before a model reads them. Offline, deterministic, no model.

    Four detectors, each with what is to be done: `drop` the passage, `flag` it (keep it, with the reason), or `off`.

    It lowers a risk and removes none: it knows the ways in which known attacks speak. A new wording, or a lie that
    several texts repeat, passes. Never use it as the only thing between a passage and a tool that can do harm.

    Attributes:
        instruction: Passages that speak to the model: override, role play, exfiltration, tool and template syntax,
            hidden text. Directions for a person are none.
        contradiction: Passages that state a number, date, name or negation otherwise than a clear majority. Where there
            is none, both sides are flagged.
        off_topic: Passages without a word in common with the question or the other passages. Needs a question.
        duplicate: Copies of an earlier passage.
        drop_at: Score of an instruction from which it is dropped, above 0.0, at most 1.0.
        flag_at: Score from which it is flagged, above 0.0, at most `drop_at`.
        keep_at_least: Passages that remain however off-topic, 0 or more. Does not hold back the other detectors.

    Raises:
        InputError: If a setting is unknown or out of range.
    """

    instruction: Action = "drop"
    contradiction: Action = "drop"
    off_topic: Action = "drop"
    duplicate: Action = "off"
    drop_at: float = 0.65
    flag_at: float = 0.45
    keep_at_least: int = 2

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
        if self.keep_at_least < 0:
            raise InputError(f"ContextFilter.keep_at_least is {self.keep_at_least}, expected 0 or more passages")

    def apply(self, passages: Sequence[P], question: str | None = None) -> Filtered[P]:
        """Decides about each passage. Raises nothing and changes nothing; what cannot be read is kept.

        Args:
            passages: Strings, or objects with a `text` (a `Node`) or `page_content` that is one.
            question: What they are to answer; without it nothing is judged off-topic.

        Returns:
            A decision a passage, in order, and what went wrong.
        """
        return _Run(self, passages, question).filtered()


class _Run:
    """One set of passages."""

    def __init__(self, settings: ContextFilter, passages: Sequence[object], question: str | None) -> None:
        self._settings = settings
        self._passages = passages
        self._question = question
        self._texts: dict[int, str] = {}
        self._reasons: dict[int, list[Reason]] = {i: [] for i in range(len(passages))}
        self._faults: dict[int, str] = {}
        self._errors: list[str] = []
        self._warnings: list[str] = []

    def filtered(self) -> Filtered[P]:
        """Runs the detectors: a passage that one drops has no say in the next."""
        for i in range(len(self._passages)):
            self._read(i)
        self._detect("duplicate", self._settings.duplicate, self._duplicates)
        self._detect("contradiction", self._settings.contradiction, self._contradictions)
        self._detect("off_topic", self._settings.off_topic, self._off_topic)
        decisions = [
            Decision(
                index=i,
                passage=passage,
                kept=not any(reason.drops for reason in self._reasons[i]),
                reasons=tuple(sorted(self._reasons[i], key=lambda reason: (not reason.drops, -reason.score))),
                error=self._faults.get(i, ""),
            )
            for i, passage in enumerate(self._passages)
        ]
        return Filtered(decisions=tuple(decisions), errors=tuple(self._errors), warnings=tuple(self._warnings))  # type: ignore[arg-type]  # the passages are those that were given

    def _read(self, i: int) -> None:
        try:
            self._texts[i] = _text(self._passages[i])
            if self._settings.instruction != "off":
                self._instruction(i, self._texts[i])
        except Exception as error:  # noqa: BLE001 - see _fault
            self._fault(i, "instruction" if i in self._texts else "reading", error)

    def _detect(self, name: str, action: Action, detector: Callable[[], None]) -> None:
        if action == "off":
            return
        try:
            detector()
        except Exception as error:  # noqa: BLE001 - see _fault
            self._fault(None, name, error)

    def _fault(self, i: int | None, detector: str, error: Exception) -> None:
        """Keeps an error of ours and the passage: a filter that fails must not empty the context, nor stop the app."""
        message = f"{detector}: {type(error).__name__}: {error}"
        if i is not None:
            self._faults[i] = message
            message = f"passage {i}: {message}"
        self._errors.append(message)

    def _remaining(self) -> dict[int, str]:
        return {i: text for i, text in self._texts.items() if not any(reason.drops for reason in self._reasons[i])}

    def _add(self, i: int, reason: Reason) -> None:
        self._reasons[i].append(replace(reason, quote=self._texts[i][reason.start : reason.end]))

    def _instruction(self, i: int, text: str) -> None:
        found = instruction(text)
        if found is None or found.score < self._settings.flag_at:
            return
        self._add(
            i,
            Reason(
                kind="instruction",
                score=found.score,
                drops=self._settings.instruction == "drop" and found.score >= self._settings.drop_at,
                start=found.start,
                end=found.end,
                quote="",
                signals=found.signals,
                why=found.why,
                density=found.density,
            ),
        )

    def _duplicates(self) -> None:
        texts = self._remaining()
        for i, first in voices(texts).items():
            if i != first:
                drops = self._settings.duplicate == "drop"
                why = f"It repeats passage {first}."
                self._add(
                    i,
                    Reason(
                        kind="duplicate",
                        score=1.0,
                        drops=drops,
                        start=0,
                        end=len(texts[i]),
                        quote="",
                        signals=("copy",),
                        why=why,
                        against=(first,),
                    ),
                )

    def _contradictions(self) -> None:
        found, warning = conflicts(self._remaining())
        if warning:
            self._warnings.append(warning)
        outvoted = {conflict.passage for conflict in found if conflict.outvoted}
        for conflict in found:
            if not conflict.outvoted and outvoted.issuperset(conflict.against):
                continue  # only who is outvoted says otherwise
            others = ", ".join(map(str, conflict.against[:_NAMED]))
            others += ", ..." if len(conflict.against) > _NAMED else ""
            self._add(
                conflict.passage,
                Reason(
                    kind="contradiction",
                    score=conflict.score,
                    drops=conflict.outvoted and self._settings.contradiction == "drop",
                    start=conflict.start,
                    end=conflict.end,
                    quote="",
                    signals=(conflict.kind, "outvoted" if conflict.outvoted else "disputed"),
                    why=f"It states {conflict.words!r}, passages {others} state {conflict.others!r}.",
                    against=conflict.against,
                ),
            )

    def _off_topic(self) -> None:
        texts = self._remaining()
        if not self._question or not self._question.strip():
            return
        found = outliers(self._question, texts)
        spare = max(0, len(texts) - self._settings.keep_at_least)
        order = sorted(found, key=lambda i: (-found[i], -i))
        for rank, i in enumerate(order):
            drops = self._settings.off_topic == "drop" and rank < spare
            why = "It shares no word with the question, nor with the passages that do."
            self._add(
                i,
                Reason(
                    kind="off_topic",
                    score=found[i],
                    drops=drops,
                    start=0,
                    end=len(texts[i]),
                    quote="",
                    signals=("outlier",),
                    why=why,
                ),
            )


def _text(passage: object) -> str:
    if isinstance(passage, str):
        return passage
    for name in ("text", "page_content"):
        text = getattr(passage, name, None)
        if isinstance(text, str):
            return text
    raise InputError(f"a passage is a {type(passage).__name__}, expected a string or an object with a text")
