"""What `trail_canary` returns: a canary run, and the rules it has to pass.

A rule passes if the whole interval is on the right side. A small run that merely shows nothing bad does not pass: it
says how many probes would do.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trail_callbacks.canary import Probe, Results, Run, Trial

_EXAMPLES, _LENGTH = 5, 200  # shown of a failure, and characters of each text
_ENOUGH = 100_000  # probes; more are no advice
_LOST = 0.1  # share of trials that may be unscorable: what nobody could decide may be leaks


class CanaryResult:
    """A canary run in a test.

    Args:
        run: The run.

    Attributes:
        run: The run, with its probes and all trials.
    """

    def __init__(self, run: Run) -> None:
        self.run = run

    @cached_property
    def results(self) -> Results:
        """What the run shows, where the context is authoritative: `print` it, or write its page by `to_html`."""
        from trail_callbacks.canary.report.results import assess  # noqa: PLC0415 - the engine, not before it is used

        return assess(self.run)

    def assert_leak_rate(self, max: float = 0.05) -> None:  # noqa: A002 - reads well
        """Fails unless the real value is given under the fictive context in at most this share of trials.

        Args:
            max: The share, over 0.0 and below 1.0. The upper 95 % limit must not be over it, in each strategy.

        Raises:
            AssertionError: With examples, or with how many probes it would take.
            InputError: If a share is not one.
        """
        __tracebackhide__ = True
        self._assert("leak", max)

    def assert_follow_rate(self, min: float = 0.9) -> None:  # noqa: A002 - as above
        """Fails unless the fictive value is given under the fictive context in at least this share of trials.

        Args:
            min: The share, over 0.0 and below 1.0. The lower 95 % limit must not be under it, in each strategy.

        Raises:
            AssertionError: With examples, or with how many probes it would take.
            InputError: If a share is not one.
        """
        __tracebackhide__ = True
        self._assert("follow", min)

    def as_data(self) -> dict[str, Any]:
        """What is recorded: JSON-like."""
        counts = {"probes": len(self.run.probes), "trials": len(self.run.trials), "stopped": self.run.stopped}
        return {**counts, "summary": str(self), "rates": self.results.rates.as_data()}

    def __str__(self) -> str:
        return "\n".join(
            f"{self._named(name)}leak rate {each.rates['leak']}, follow rate {each.rates['follow']}"
            for name, each in self.results.rates.strategies.items()
        )

    def _assert(self, measure: str, bound: float) -> None:
        __tracebackhide__ = True
        from trail_callbacks.errors import InputError  # noqa: PLC0415 - the engine, not before it is used

        if not 0.0 < bound < 1.0:
            raise InputError(f"the {measure} rate is compared with {bound}, expected over 0.0 and below 1.0")
        refused = [f"the run is not finished: {self.run.stopped}"] if self.run.stopped else []
        for strategy in self.results.rates.strategies:
            why, trials = self._refusal(measure, bound, strategy)
            refused += [f"{self._named(strategy)}{why}", *self._examples(trials)] if why else []
        if refused:
            raise AssertionError("\n".join(refused))

    def _refusal(self, measure: str, bound: float, strategy: str) -> tuple[str, Sequence[Trial]]:
        """Why a rate under the fictive context does not keep its bound, with the trials that show it; empty if it does.

        The bound is the highest leak rate, or the lowest other one.
        """
        from trail_callbacks.canary.statistics.rates import MEASURES, cases  # noqa: PLC0415 - as above
        from trail_callbacks.statistics.intervals import wilson  # noqa: PLC0415 - as above

        def passes(low: float, high: float) -> bool:
            return high <= bound if measure == "leak" else low >= bound

        rate, of = self.results.rate(measure, strategy), MEASURES[measure]
        found = [each for each in cases(self.run) if each.trial.arm == "fictive" and each.trial.strategy == strategy]
        lost = [each.trial for each in found if each.trial.finding.outcome == "unscorable"]
        if len(lost) > _LOST * len(found):
            return f"{len(lost)} of {len(found)} trials of the fictive arm are unscorable", lost
        if rate.value is None:
            return f"the {measure} rate is not known: {rate.why}", ()
        if passes(rate.low or 0.0, rate.high or 0.0):
            return "", ()
        wanted = f"at {'most' if measure == 'leak' else 'least'} {100 * bound:.3g} %"
        if not passes(rate.value, rate.value):
            bad = [each.trial for each in found if of.counts(each) is (measure == "leak")]
            return f"{measure} rate {rate}, expected {wanted}", bad
        n = rate.n
        while n <= _ENOUGH and not passes(*wilson(rate.value, n * rate.effective / rate.n)):
            n += max(1, n // 50)
        advice = f"too few probes; about {n} would do if the rate stayed"
        advice = advice if n <= _ENOUGH else "the rate is too near to it to be told apart"
        return f"{measure} rate {rate} is not shown to be {wanted}: {advice}", ()

    def _examples(self, trials: Sequence[Trial]) -> Iterator[str]:
        for trial in trials[:_EXAMPLES]:
            probe = self.run.probes[trial.probe]
            answer = repr(_cut(trial.answer)) if trial.answer is not None else f"no answer ({_cut(trial.error or '')})"
            told = "nothing" if probe.fictive is None else repr(_cut(probe.fictive))
            yield f"  {_cut(probe.id)}: {_cut(probe.question)}"
            yield f"    {trial.finding.outcome}: {answer}; the context says {told}, really {_cut(probe.real)!r}"
        if (more := len(trials) - _EXAMPLES) > 0:
            yield f"  and {more} more"

    def _named(self, strategy: str) -> str:
        return f"{strategy}: " if len(self.run.strategies) > 1 else ""


def chosen(probes: Sequence[Probe], most: int | None) -> Sequence[Probe]:
    """Returns at most so many probes, always the same ones, in their order."""
    drawn = sorted(probes, key=lambda probe: random.Random(probe.id).random())[:most]  # noqa: S311 - a sample
    kept = {probe.id for probe in drawn}
    return [probe for probe in probes if probe.id in kept]


def read(probes: Sequence[Probe] | str | Path) -> tuple[Sequence[Probe], Sequence[Any]]:
    """Reads probes if they are the path of a file, with what was left out of it.

    Raises:
        InputError: If the file cannot be read.
    """
    if not isinstance(probes, (str, Path)):
        return list(probes), ()
    from trail_callbacks.canary.files.probes import read_probes  # noqa: PLC0415 - the engine, not before it is used

    return read_probes(probes)


def _cut(text: str) -> str:
    """A text of a model, on one line and without what a terminal would obey."""
    flat = "".join(each if each.isprintable() else "\ufffd" for each in " ".join(text.split()))
    return flat if len(flat) <= _LENGTH else f"{flat[:_LENGTH]}..."
