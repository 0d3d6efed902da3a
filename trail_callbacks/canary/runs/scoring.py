"""What answers of a run are found to do: by code at once, and by a model what code is in doubt of, many together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias, TypeVar

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.outcomes import Scored
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.runs.answers import in_words
from trail_callbacks.canary.runs.plan import Cell
from trail_callbacks.canary.trial import Finding
from trail_callbacks.models.call import Failure, Model, Pipeline
from trail_callbacks.models.drive import Limits, advance, drive
from trail_callbacks.work.budget import Granted, Grants, granted

__all__ = ["Classify", "Decide", "Doubtful", "Doubts", "Judged", "Scorer"]

T = TypeVar("T")

_BATCH = 32  # answers
_FINAL = frozenset({"refused", "length", "too_long", "invalid"})  # kinds of failures that are the model's answer
_PATIENCE = 3  # batches in a row of which nothing was decided because the model failed

Classify: TypeAlias = Callable[..., Finding]
"""Finds by code alone what an answer does, as `outcomes.classify`."""

Decide: TypeAlias = Callable[[Sequence[Scored]], Pipeline[list[Finding]]]
"""Finds it of several answers by code, and then by a model, as `outcomes.decide_all`."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """Who finds what an answer does."""

    classify: Classify
    decide: Decide

    def at_once(self, probe: Probe, arm: Arm, answer: str, served: bool | None) -> Finding:
        """What code finds; never raises."""
        try:
            return self.classify(probe, arm, answer, served=served)
        except Exception as error:  # noqa: BLE001 - one odd answer must not end a run
            return Finding(outcome="unscorable", how="undecided", reason=f"could not be compared: {in_words(error)}")


class Doubtful(NamedTuple):
    """An answer that code is in doubt of, and its place in the plan."""

    cell: Cell
    scored: Scored


class Judged(NamedTuple):
    """What a batch was found to do.

    Attributes:
        findings: Of each answer, what was found; None if the model failed: it is to be asked again.
        failure: Why it failed, of the last one; None if it did not.
    """

    findings: Sequence[tuple[Doubtful, Finding | None]]
    failure: str | None = None


class Doubts:
    """The answers that a model is to decide, in batches, one at a time.

    Args:
        model: The model.
        scoring: What it is asked.
        grants: Grants the calls.
        concurrency: Calls at once.

    Attributes:
        given_up: Why the model is not asked any more; None while it is.
    """

    def __init__(self, model: Model, scoring: Scorer, grants: Grants, concurrency: int) -> None:
        self.given_up: str | None = None
        self._scoring = scoring
        self._through: Callable[[Model], Model] = partial(Granted, grants=grants)
        self._model = self._through(model)
        self._limits = Limits(concurrency=concurrency)
        self._waiting: list[Doubtful] = []
        self._busy = False
        self._failures = 0

    @property
    def behind(self) -> bool:
        """Whether so much is waiting that no more questions should be asked."""
        return len(self._waiting) >= 4 * _BATCH

    @property
    def busy(self) -> bool:
        """Whether a batch is on its way."""
        return self._busy

    def add(self, answer: Doubtful) -> None:
        """Takes an answer; forgets it if the model failed too often."""
        if self.given_up is None:
            self._waiting.append(answer)

    def batch(self, *, last: bool) -> Callable[[], Judged] | None:
        """Returns what decides the next batch; None if one is on its way, or there is not enough for one yet."""
        if self._busy or not self._waiting or (len(self._waiting) < _BATCH and not last):
            return None
        batch, self._waiting = self._waiting[:_BATCH], self._waiting[_BATCH:]
        self._busy = True
        return partial(self._judge, batch)

    def end(self, judged: Judged) -> None:
        """Takes note that a batch has ended."""
        self._busy = False
        failed = all(finding is None for _, finding in judged.findings)
        self._failures = self._failures + 1 if failed else 0
        if self._failures >= _PATIENCE:
            self.given_up = judged.failure
            self._waiting.clear()

    def _judge(self, batch: Sequence[Doubtful]) -> Judged:
        failures: list[Failure] = []
        found: Sequence[Finding | None]
        try:
            work = _watched(self._scoring.decide([each.scored for each in batch]), failures)
            found, _ = drive(granted(work, self._through), self._model, self._limits)
            last = str(failures[-1]) if failures else None
        except Exception as error:  # noqa: BLE001 - the run goes on without a judge
            found, last = [None] * len(batch), in_words(error)
        again = bool(failures)  # what is still undecided may not have been read
        findings = [None if again and each is not None and each.is_doubtful else each for each in found]
        return Judged(list(zip(batch, findings, strict=True)), last)


def _watched(work: Pipeline[T], failures: list[Failure]) -> Pipeline[T]:
    """The same pipeline; notes failures that another time may not meet."""
    with closing(work):
        calls, result = advance(work, None)
        while calls is not None:
            replies = yield calls
            failed = (reply.failure for reply in replies if reply.failure is not None)
            failures += [each for each in failed if each.kind not in _FINAL]
            calls, result = advance(work, replies)
        return result
