"""What an audit found, in numbers: by segment, the worst answers, entry steps, error types."""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trail_callbacks.audit.journal import AuditEntry
from trail_callbacks.models.call import Usage

__all__ = ["Summary", "Tally"]

_WORST = 20
_PLACES = 10
_SEGMENTS = 1_000  # values of a field that are told apart
_MISSING, _OTHER = "(none)", "(other)"
_BAD = ("contradicted", "absent", "partially_supported")


@dataclass(slots=True)
class Tally:
    """Counts over answers.

    Attributes:
        answers: Number of answers.
        states: Number of answers in each state of a report.
        flawed: Answers with an unsupported claim.
        claims: Number of claims.
        outcomes: Number of claims for each outcome, see `Verdict.outcome`.
        error_types: Number of claims of each error type.
        entry_steps: Number of unsupported claims that were introduced at each step.
        signatures: Number of answers with each signature of a diagnosis.
        breaks: Number of answers whose evidence path broke first at each stage.
    """

    answers: int = 0
    flawed: int = 0
    claims: int = 0
    states: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    error_types: Counter[str] = field(default_factory=Counter)
    entry_steps: Counter[str] = field(default_factory=Counter)
    signatures: Counter[str] = field(default_factory=Counter)
    breaks: Counter[str] = field(default_factory=Counter)

    def add(self, result: Mapping[str, Any]) -> None:
        """Counts one answer."""
        self.answers += 1
        self.flawed += any(result["outcomes"].get(each) for each in _BAD)
        self.claims += result["claims"]
        self.states[result["state"]] += 1
        self.outcomes.update(result["outcomes"])
        self.error_types.update(result["error_types"])
        self.entry_steps.update(result["entry_steps"])
        for counts, name in ((self.signatures, "signature"), (self.breaks, "broken")):
            if result.get(name):
                counts[result[name]] += 1

    @property
    def unsupported(self) -> int:
        """Claims that are contradicted, absent or partially supported."""
        return sum(self.outcomes[each] for each in _BAD)

    @property
    def share(self) -> float | None:
        """Share of unsupported claims among those that were decided and can be; None if there are none."""
        decided = self.unsupported + self.outcomes["supported"]
        return self.unsupported / decided if decided else None

    def as_data(self) -> dict[str, Any]:
        """Returns the counts as JSON-safe values, the most frequent first."""
        names = ("states", "outcomes", "error_types", "entry_steps", "signatures", "breaks")
        counters = {name: getattr(self, name) for name in names}
        ordered = {
            name: dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))) for name, found in counters.items()
        }
        return {
            "answers": self.answers,
            "flawed": self.flawed,
            "claims": self.claims,
            "unsupported": self.unsupported,
            "share_unsupported": self.share,
            **ordered,
        }


@dataclass(slots=True)
class Summary:
    """What an audit found.

    Args:
        by: Fields to break down by.

    Attributes:
        total: Counts over all answers.
        segments: For each field, the counts for each of its values.
        worst: The answers with the highest scores, and among equals with the most unsupported claims.
        duplicates: Answers whose verdicts are those of an equal one before them.
        unfinished: Answers on which the judge failed.
        missing: Answers that were not judged, because the budget was used up.
        broken: Number of places that cannot be audited.
        broken_places: The first of them, and why.
        left_out: Rows that `where` or `sample` leave out.
        repeated_ids: Ids under which the input has different answers.
        stopped: Why judging ended before the input did; None if it did not.
        usage: What the audit cost, earlier runs too.
        money: The same in the currency of the prices; None without prices.
        judge: Name of the judge.
        files: What was written.
    """

    by: Sequence[str] = ()
    total: Tally = field(default_factory=Tally)
    segments: dict[str, dict[str, Tally]] = field(default_factory=dict)
    duplicates: int = 0
    unfinished: int = 0
    missing: int = 0
    broken: int = 0
    broken_places: list[tuple[str, str]] = field(default_factory=list)
    left_out: int = 0
    repeated_ids: Sequence[str] = ()
    stopped: str | None = None
    usage: Usage = field(default_factory=Usage)
    money: float | None = None
    judge: str = ""
    files: tuple[str, ...] = ()
    _worst: list[tuple[float, int, int, dict[str, Any]]] = field(default_factory=list)

    def add(self, entry: AuditEntry) -> dict[str, Any] | None:
        """Counts a place of the input; returns its result, or None if it has none."""
        if entry.why is not None:
            self.broken += 1
            if len(self.broken_places) < _PLACES:
                self.broken_places.append((entry.place, entry.why))
            return None
        if entry.data is None:
            self.missing += 1
            return None
        result: dict[str, Any] = json.loads(entry.data)
        self.unfinished += entry.status == "unfinished"
        self.duplicates += entry.first != entry.n
        self.total.add(result)
        for name in self.by:
            values = self.segments.setdefault(name, {})
            value = entry.fields.get(name, _MISSING)
            value = value if value in values or len(values) < _SEGMENTS else _OTHER
            values.setdefault(value, Tally()).add(result)
        if result["score"]:
            bad = sum(result["outcomes"].get(each, 0) for each in _BAD)
            named = {name: result[name] for name in ("question", "score", "claims", "entry_steps", "error_types")}
            row = {"n": entry.n, "id": entry.id, "place": entry.place, "unsupported": bad, **named}
            heapq.heappush(self._worst, (result["score"], bad, -entry.n, row))
            if len(self._worst) > _WORST:
                heapq.heappop(self._worst)
        return result

    @property
    def worst(self) -> list[dict[str, Any]]:
        """See the class."""
        return [row for *_, row in sorted(self._worst, key=lambda each: each[:3], reverse=True)]

    def as_data(self) -> dict[str, Any]:
        """Returns it as JSON-safe values: what `summary.json` holds."""
        segments = {
            name: {value: tally.as_data() for value, tally in sorted(values.items())}
            for name, values in self.segments.items()
        }
        usage = {name: getattr(self.usage, name) for name in ("calls", "prompt_tokens", "completion_tokens")}
        return {
            "judge": self.judge,
            **self.total.as_data(),
            "duplicates": self.duplicates,
            "unfinished": self.unfinished,
            "missing": self.missing,
            "broken": self.broken,
            "left_out": self.left_out,
            "repeated_ids": list(self.repeated_ids[:_WORST]),
            "stopped": self.stopped,
            "usage": usage,
            "money": self.money,
            "segments": segments,
            "worst": self.worst,
        }
