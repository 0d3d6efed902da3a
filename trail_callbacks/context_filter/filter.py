"""The filter: which passages go on to the model, and the reasons against the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from trail_callbacks.context_filter.conflicts import conflicts
from trail_callbacks.context_filter.decision import Action, Decision, Filtered, Reason, ReasonKind
from trail_callbacks.context_filter.duplicates import originals
from trail_callbacks.context_filter.instructions import instruction
from trail_callbacks.context_filter.relevance import outliers
from trail_callbacks.errors import InputError

__all__ = ["ContextFilter"]

P = TypeVar("P")
_NAMED = 8  # passages that a reason names one by one
_LONGEST = 1_000_000  # characters of a passage in which instructions are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFilter:
    """Looks through retrieved passages before a model reads them. Offline, deterministic, no model.

    Four detectors, each with what is to be done: `drop` the passage, `flag` it (keep it, with the reason), or `off`.

    It lowers a risk and removes none: it knows the wording of known attacks. A new wording, or a lie that several texts
    repeat, passes. Never use it as the only thing between a passage and a tool that can do harm.

    Attributes:
        instruction: Passages that give instructions to the model: override, role play, exfiltration, tool and template
            syntax, hidden text. Directions for a person are not meant.
        contradiction: Passages whose number, date or negation a clear majority contradicts, in sentences that
            share most of their words. Where there is no majority, both sides are flagged.
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
        return _Run(self, passages, question or "").filtered()


class _Run:
    """The detectors at work on one set of passages."""

    def __init__(self, settings: ContextFilter, passages: Sequence[object], question: str) -> None:
        self._settings = settings
        self._passages = passages
        self._question = question
        self._texts: dict[int, str] = {}
        self._reasons: dict[int, list[Reason]] = {i: [] for i in range(len(passages))}
        self._faults: dict[int, str] = {}
        self._errors: list[str] = []
        self._warnings: list[str] = []

    def filtered(self) -> Filtered[Any]:
        """Runs the detectors: a passage that one drops has no say in the next."""
        for i, passage in enumerate(self._passages):
            try:
                self._texts[i] = _text(passage)
                if self._settings.instruction != "off":
                    self._find_instruction(i)
            except Exception as error:  # noqa: BLE001 - see _note
                self._faults[i] = self._note("instruction" if i in self._texts else "reading", error)
                self._errors[-1] = f"passage {i}: {self._errors[-1]}"
        for name, find in (
            ("duplicate", self._find_duplicates),
            ("contradiction", self._find_contradictions),
            ("off_topic", self._find_off_topic),
        ):
            try:
                if getattr(self._settings, name) != "off":
                    find(self._remaining())
            except Exception as error:  # noqa: BLE001 - see _note
                self._note(name, error)
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
        return Filtered(decisions=tuple(decisions), errors=tuple(self._errors), warnings=tuple(self._warnings))

    def _note(self, detector: str, error: Exception) -> str:
        """Notes a fault of ours: a filter that fails must neither empty the context nor stop the app."""
        self._errors.append(f"{detector}: {type(error).__name__}: {error}")
        return self._errors[-1]

    def _remaining(self) -> dict[int, str]:
        return {i: text for i, text in self._texts.items() if not any(reason.drops for reason in self._reasons[i])}

    def _add(self, i: int, kind: ReasonKind, why: str, *signals: str, drops: bool, **details: Any) -> None:
        """Adds a reason, by default against all of the text; it drops only where that is the action for its kind."""
        start, end = details.pop("start", 0), details.pop("end", len(self._texts[i]))
        reason = Reason(
            kind=kind,
            score=details.pop("score", 1.0),
            drops=drops and getattr(self._settings, kind) == "drop",
            start=start,
            end=end,
            quote=self._texts[i][start:end],
            signals=signals,
            why=why,
            **details,
        )
        self._reasons[i].append(reason)

    def _find_instruction(self, i: int) -> None:
        if len(self._texts[i]) > _LONGEST:
            self._warnings.append(f"passage {i}: instructions were looked for in its first {_LONGEST} characters only")
        found = instruction(self._texts[i][:_LONGEST])
        if found is not None and found.score >= self._settings.flag_at:
            drops = found.score >= self._settings.drop_at
            place = {"start": found.start, "end": found.end, "score": found.score}
            self._add(i, "instruction", found.why, *found.signals, drops=drops, **place)

    def _find_duplicates(self, texts: Mapping[int, str]) -> None:
        for i, first in originals(texts).items():
            if i != first:
                self._add(i, "duplicate", f"It repeats passage {first}.", "copy", drops=True, against=(first,))

    def _find_contradictions(self, texts: Mapping[int, str]) -> None:
        found, warning = conflicts(texts)
        self._warnings += [warning] if warning else []
        outvoted = {conflict.passage for conflict in found if conflict.outvoted}
        for each in found:
            if not each.outvoted and outvoted.issuperset(each.against):
                continue  # only the outvoted contradict it
            others = ", ".join(map(str, each.against[:_NAMED])) + (", ..." if len(each.against) > _NAMED else "")
            why = f"It states {each.words!r}, passages {others} state {each.others!r}."
            place = {"start": each.start, "end": each.end, "score": each.score, "against": each.against}
            status = "outvoted" if each.outvoted else "disputed"
            self._add(each.passage, "contradiction", why, each.kind, status, drops=each.outvoted, **place)

    def _find_off_topic(self, texts: Mapping[int, str]) -> None:
        found = outliers(self._question, texts)
        spare = max(0, len(texts) - self._settings.keep_at_least)
        why = "It shares no word with the question, nor with the passages that do."
        for rank, i in enumerate(sorted(found, key=lambda i: (-found[i], -i))):
            self._add(i, "off_topic", why, "outlier", drops=rank < spare, score=found[i])


def _text(passage: object) -> str:
    if isinstance(passage, str):
        return passage
    for name in ("text", "page_content"):
        text = getattr(passage, name, None)
        if isinstance(text, str):
            return text
    raise InputError(f"a passage is a {type(passage).__name__}, expected a string or an object with a text")
