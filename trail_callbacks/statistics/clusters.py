"""Shares of what goes wrong together: claims of one answer, answers to one question, probes of one document.

The variance of a share is that of the ratio estimator clustered by question (residuals e = bad - share * whole of each
cluster), and a share counts as that many independent observations as have the same variance. Of the difference of two
shares there are limits, an error probability and a sample size: Wilson limits, joined as by Newcombe (1998, method 10;
with the correlation term of Zou and Donner), stay honest near zero, where a normal limit of 0 of 30 is 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from trail_callbacks.statistics.intervals import joined, least, wilson

Cluster: TypeAlias = tuple[float, float, float]
"""What is bad of a cluster, the whole of it, both weighted by 1 / rate, and the whole unweighted."""

_FAR, _HALVINGS = 40.0, 80  # standard errors beyond which no probability is told apart from zero, and steps to it
_NORMAL = NormalDist()
_KNOWN = 5.0  # bad trials after which a share's own design effect counts as much as that of all data


@dataclass(frozen=True, slots=True)
class Residuals:
    """What clusters say about a share and its variance."""

    value: float  # the share, 0.0 to 1.0
    clusters: int  # number of clusters
    whole: float  # number of trials, unweighted
    squares: float  # variance of the share times whole squared: the variance of the number that is bad
    expected: float  # what that would be if trials went wrong independently
    largest: float  # the mean size of the cluster that a trial is in, 1.0 or more: the largest design effect


def residuals(clusters: Iterable[Cluster]) -> Residuals | None:
    """Reads clusters; None if fewer than two have anything in them."""
    rows: NDArray[np.float64] = np.array([each for each in clusters if each[1] > 0], dtype=float).reshape(-1, 3)
    n = len(rows)
    if n < 2:  # noqa: PLR2004 - one says nothing about a variance
        return None
    bad, weighted, sizes = rows.T
    total, whole = float(weighted.sum()), float(sizes.sum())
    value = min(1.0, float(bad.sum()) / total)
    variance = n / (n - 1) * float(((bad - value * weighted) ** 2).sum()) / total**2
    return Residuals(
        value=value,
        clusters=n,
        whole=whole,
        squares=variance * whole**2,
        expected=value * (1 - value) * whole,
        largest=max(1.0, float((sizes**2).sum()) / whole),
    )


def prior_design(found: Iterable[Residuals | None], alike: float = 1.0) -> float:
    """The design effect of all data, which steadies that of a share with few bad trials; 1.0 or more.

    Args:
        found: What all clusters say.
        alike: Correlation of trials of one cluster that is assumed of one trial more, until data tell: nothing varies
            where nothing is bad. 1.0 is the worst case, that a cluster goes wrong as a whole.
    """
    known = [each for each in found if each is not None]
    assumed = 1 + alike * (max((each.largest for each in known), default=1.0) - 1)
    squares = sum(each.squares for each in known)
    return max(1.0, (squares + assumed) / (sum(each.expected for each in known) + 1.0))


@dataclass(frozen=True, slots=True)
class Share:
    """A share of trials."""

    value: float  # the share, 0.0 to 1.0
    clusters: int  # number of clusters behind it
    effective: float  # number of independent trials that say as much
    design: float = 1.0  # design effect, 1.0 or more: how many times the variance is that of independent trials
    icc: float | None = None  # correlation of trials of one cluster, 0.0 to 1.0; None where clusters have one each

    def wilson(self, z: float) -> tuple[float, float]:
        """Wilson limits at z standard errors."""
        return wilson(self.value, self.effective, z)


def share(found: Residuals, prior: float) -> Share:
    """Estimates a share.

    Args:
        found: What its clusters say.
        prior: Design effect of all data, see `prior_design`.
    """
    design = max(1.0, (found.squares + _KNOWN * prior) / (found.expected + _KNOWN))
    icc = min(1.0, (design - 1) / (found.largest - 1)) if found.largest > 1.0 else None
    return Share(found.value, found.clusters, found.whole / design, design, icc)


@dataclass(frozen=True, slots=True)
class Difference:
    """New minus old."""

    new: Share  # the new share; of paired runs, the mean rise of a question (0.0 where it fell)
    old: Share  # the old share; of paired runs, the mean fall
    correlation: float = 0.0  # between the two, -1.0 to 1.0; 0.0 for unpaired runs

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
        plan = self.planned(margin, alpha, power)
        if plan is None or plan > clusters:
            return plan
        z = _NORMAL.inv_cdf(1 - alpha)
        return self._enough(self.new.value, self.old.value, z, margin) if self.value < margin else None

    def planned(self, margin: float, alpha: float, power: float) -> int | None:
        """Questions in each release that show with a given power that nothing has changed; None if no number does."""
        middle = (self.new.value + self.old.value) / 2
        return self._enough(middle, middle, _NORMAL.inv_cdf(1 - alpha) + _NORMAL.inv_cdf(power), margin)

    def power(self, margin: float, alpha: float) -> float:
        """How often these would show that the new is not worse by a margin if it is as good as the old, 0.0 to 1.0."""
        low, high = 0.0, _FAR
        for _ in range(_HALVINGS):
            z = (low + high) / 2
            low, high = (z, high) if self.limits(z)[1] - self.value < margin else (low, z)
        return _NORMAL.cdf(low - _NORMAL.inv_cdf(1 - alpha))

    def _enough(self, new: float, old: float, z: float, margin: float) -> int | None:
        each = (self.new.effective + self.old.effective) / (self.new.clusters + self.old.clusters)

        def passes(n: int) -> bool:
            planned = Difference(Share(new, n, n * each), Share(old, n, n * each), self.correlation)
            return planned.limits(z)[1] < margin

        return least(passes)
