"""The difference between two shares, as far as clustered data show it: limits, error probability, sample size.

Wilson limits of both shares are joined as by Newcombe (1998, method 10; with the correlation term of Zou and Donner):
near zero, where a normal limit of 0 of 30 is 0, they stay honest.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

from trail_callbacks.statistics.clusters import Share
from trail_callbacks.statistics.intervals import joined
from trail_callbacks.statistics.sizes import least

__all__ = ["Difference"]

_FAR = 40.0  # standard errors beyond which no probability is told apart from zero
_HALVINGS = 80
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Difference:
    """New minus old.

    Attributes:
        new: The new share; of paired runs, the mean rise of a question (0.0 where it fell).
        old: The old share; of paired runs, the mean fall.
        correlation: Between the two, -1.0 to 1.0; 0.0 for unpaired runs.
    """

    new: Share
    old: Share
    correlation: float = 0.0

    @property
    def value(self) -> float:
        """The difference, -1.0 to 1.0."""
        return self.new.value - self.old.value

    def limits(self, z: float) -> tuple[float, float]:
        """Lower and upper limit at z standard errors."""
        return joined(self.old.value, self.old.wilson(z), self.new.value, self.new.wilson(z), self.correlation)

    def p_worse(self) -> float:
        """Probability of such a rise, or a larger one, if the new were as good as the old."""
        rose = self.value > 0
        low, high = 0.0, _FAR
        for _ in range(_HALVINGS):
            z = (low + high) / 2
            beyond = self.limits(z)[0] > 0 if rose else self.limits(z)[1] < 0
            low, high = (z, high) if beyond else (low, z)
        return _NORMAL.cdf(-low if rose else low)

    def needed(self, margin: float, alpha: float, power: float) -> int | None:
        """Questions in each release with which the upper limit would be below a margin.

        First those that show it with the given power if nothing has changed. Where there are that many already, those
        that show it if the difference is as it was found; None if it is at the margin or above, so that more questions
        would sooner show that the new is worse.
        """
        clusters = max(1, min(self.new.clusters, self.old.clusters))
        each = (self.new.effective + self.old.effective) / (self.new.clusters + self.old.clusters)
        middle = (self.new.value + self.old.value) / 2
        z = _NORMAL.inv_cdf(1 - alpha)
        plan = self._enough(middle, middle, each, z + _NORMAL.inv_cdf(power), margin)
        if plan is None or plan > clusters:
            return plan
        return self._enough(self.new.value, self.old.value, each, z, margin) if self.value < margin else None

    def _enough(self, new: float, old: float, each: float, z: float, margin: float) -> int | None:
        def passes(n: int) -> bool:
            planned = Difference(Share(new, n, n * each), Share(old, n, n * each), self.correlation)
            return planned.limits(z)[1] < margin

        return least(passes)
