"""Shares of trials with 95 % intervals, and several of them compared on the items that they have in common."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from trail_callbacks.statistics.clusters import Residuals, prior_design, residuals, share
from trail_callbacks.statistics.intervals import Z, difference, quantile, wilson

FEW = 5
"""Documents below which intervals are about questions on these documents: so few say nothing about others."""

ALIKE = 0.2
"""Correlation of trials of one document that is assumed until data tell. By the worst case (`clusters.prior_design`) a
hundred trials on ten documents would say no more than ten."""

Hit: TypeAlias = tuple[str, bool]
"""The cluster of a trial, such as its document, and whether it is a hit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share of trials."""

    k: int  # hits
    n: int  # trials in the denominator
    low: float | None = None  # lower Wilson limit, 95 %, 0.0 to 1.0; None if there is no trial
    high: float | None = None  # upper limit
    # number of independent trials that say as much: `n`, or fewer where documents hold several that go wrong together
    effective: float = 0.0
    documents: int = 0  # number of documents, or other clusters, that the trials are of
    why: str = ""  # why there is no share; empty if there is one

    @property
    def value(self) -> float | None:
        """The share, 0.0 to 1.0; None if there is no trial."""
        return self.k / self.n if self.n else None

    def __str__(self) -> str:
        """The share with its n and interval, or why there is none."""
        if self.value is None or self.low is None or self.high is None:
            return f"not known ({self.why})"
        value, low, high = (percent(each) for each in (self.value, self.low, self.high))
        return f"{value} % ({self.k:,} of {self.n:,}, 95 % interval {low} to {high} %)"

    def as_data(self) -> dict[str, Any]:
        """JSON-like; the share and its limits are null where there is no trial, and `why` says why."""
        more = {"effective": round(self.effective, 1), "documents": self.documents} if self.n else {"why": self.why}
        return {"k": self.k, "n": self.n, "value": self.value, "low": self.low, "high": self.high, **more}


def as_data(value: Any) -> Any:
    """Figures as JSON-like data: rates, and all that has fields or parts and holds some."""
    if isinstance(value, Rate):
        return value.as_data()
    if isinstance(value, Mapping):
        return {name: as_data(each) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [as_data(each) for each in value]
    return {n: as_data(getattr(value, n)) for n in value.__slots__} if hasattr(value, "__slots__") else value


def percent(share: float) -> str:
    """A share as a percentage with at most one decimal, without the sign."""
    return f"{100 * share:.1f}".removesuffix(".0")


def design(groups: Iterable[Sequence[Hit]]) -> float:
    """The design effect of several rates together: how many times the variance is that of independent trials.

    It steadies that of each rate, which by itself knows nothing where nothing was hit; 1.0 or more.
    """
    return prior_design([_residuals(each) for each in groups], ALIKE)


def rate(hits: Sequence[Hit], prior: float = 1.0, why: str = "", rounds: float = 1.0) -> Rate:
    """Computes a rate.

    Where some document has several trials, the Wilson limits are those of as many independent trials as have the same
    variance, at the quantile of Student's t for so many documents. Trials of fewer than `FEW` documents are taken as
    independent: see there.

    Args:
        hits: The trials of the denominator.
        prior: Design effect of all data, see `design`.
        why: Why there may be none.
        rounds: How often each trial was made: again, it says nothing new where documents are few.
    """
    k, n, documents = sum(hit for _, hit in hits), len(hits), len({key for key, _ in hits})
    if not n:
        return Rate(k=0, n=0, why=why or "no trial of this kind")
    found = _residuals(hits)
    effective = share(found, prior).effective if found else n / rounds
    low, high = wilson(k / n, effective, quantile(documents) if found else Z)
    return Rate(k=k, n=n, low=low, high=high, effective=effective, documents=documents)


def _residuals(hits: Sequence[Hit]) -> Residuals | None:
    """None where trials are independent as far as anybody can tell: one of each document, or few documents."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for key, hit in hits:
        counts[key][0] += hit
        counts[key][1] += 1
    if not FEW <= len(counts) < len(hits):
        return None
    return residuals((bad, whole, whole) for bad, whole in counts.values())


Hits: TypeAlias = Mapping[str, bool]
"""Of each item in the denominator, by id, whether it is a hit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """What two sets of trials say of the items that they have in common; second minus first."""

    n: int  # items in both denominators
    both: int = 0  # hits in both
    first: int = 0  # hits in the first only
    second: int = 0  # hits in the second only
    documents: int = 0  # documents, or other clusters, that these items are of
    design: float = 1.0  # design effect of the difference, 1.0 or more; 1.0 where no document has several items
    low: float | None = None  # lower limit of the difference, -1.0 to 1.0; None without items in common
    high: float | None = None  # upper limit
    # exact probability of such a difference, or a larger one, in either direction, if there were none; see `sign_flip`.
    # None without items in common
    p: float | None = None
    p_more: float | None = None  # the same in the direction of more hits in the second
    p_less: float | None = None  # the same in the other direction

    @property
    def difference(self) -> float | None:
        """Second minus first, -1.0 to 1.0."""
        return (self.second - self.first) / self.n if self.n else None


def paired(first: Hits, second: Hits, clusters: Mapping[str, str], z: float = Z) -> Paired:
    """Compares hits on common items.

    The limits are Newcombe's for paired shares (`intervals.difference`), widened by the design effect of the difference
    where documents hold several items, and by Student's t for so many documents. Items of fewer than `FEW` documents
    are taken as independent: see there.

    Args:
        first: Hits of the one.
        second: Hits of the other.
        clusters: Document, or other cluster, of each item; without one it is one by itself.
        z: Standard normal quantile of the limits.
    """
    common = [id_ for id_ in first if id_ in second]
    if not common:
        return Paired(n=0)
    before, after = [first[id_] for id_ in common], [second[id_] for id_ in common]
    places = [clusters.get(id_, id_) for id_ in common]
    documents = len(set(places))
    if documents < FEW:
        places = common
    changes: dict[str, list[int]] = defaultdict(list)
    for place, old, new in zip(places, before, after, strict=True):
        changes[place].append(new - old)
    clustered = len(changes) < len(common)
    effect = _design(list(changes.values())) if clustered else 1.0
    reach = quantile(len(changes), z) if clustered else z
    low, high = difference(before, after, len(common), reach * math.sqrt(effect))
    less, more, either = sign_flip([sum(each) for each in changes.values()])
    return Paired(
        n=len(common),
        both=sum(map(min, before, after)),
        first=sum(old > new for old, new in zip(before, after, strict=True)),
        second=sum(new > old for old, new in zip(before, after, strict=True)),
        documents=documents,
        design=effect,
        low=low,
        high=high,
        p=either,
        p_more=more,
        p_less=less,
    )


def _design(changes: Sequence[Sequence[int]]) -> float:
    """Design effect of a paired difference: the mean of those of rises and falls, weighted by how many there are."""
    sides = [residuals((each.count(sign), len(each), len(each)) for each in changes) for sign in (1, -1)]
    known = [each for each in sides if each is not None]
    prior = prior_design(known, ALIKE)
    effects, whole = [share(each, prior).design for each in known], sum(each.expected for each in known)
    if not whole:
        return max(effects)
    return sum(effect * each.expected for effect, each in zip(effects, known, strict=True)) / whole


def sign_flip(changes: Sequence[int]) -> tuple[float, float, float]:
    """McNemar's exact test, for clusters too.

    If two ways did not differ, they could be exchanged on each document: the sum of changes would have each document's
    sign by a fair coin. The distribution of that sum is computed exactly. With one item a document, the two-sided
    probability is that of McNemar's exact test: twice the binomial tail of the discordant pairs. It is not the mid-p
    variant, which is less conservative but may exceed its level.

    Args:
        changes: Of each document, its hits in the second minus those in the first.

    Returns:
        Probability of such a sum or a lower one, of such a sum or a higher one, and of one as far in either direction.
    """
    steps = [abs(each) for each in changes if each]
    if not steps:
        return 1.0, 1.0, 1.0
    total, reach = sum(changes), sum(steps)
    chances = np.zeros(2 * reach + 1)
    chances[reach] = 1.0
    for step in steps:
        moved = np.zeros_like(chances)
        moved[step:] += chances[:-step] / 2
        moved[:-step] += chances[step:] / 2
        chances = moved
    less, more = float(chances[: reach + total + 1].sum()), float(chances[reach + total :].sum())
    return min(1.0, less), min(1.0, more), min(1.0, 2 * min(less, more))


def holm(probabilities: Sequence[float | None]) -> list[float | None]:
    """Holm's correction: probabilities that keep the error over all of them together, in the order given.

    What could not be tested is None, stays None, and counts as no test.
    """
    known = sorted((p, n) for n, p in enumerate(probabilities) if p is not None)
    adjusted: list[float | None] = [None] * len(probabilities)
    largest = 0.0
    for rank, (p, n) in enumerate(known):
        adjusted[n] = largest = max(largest, min(1.0, (len(known) - rank) * p))
    return adjusted


def groups(ordered: Sequence[str], apart: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Groups of names that cannot be told apart, the best first; a name may be in several.

    Ties are not transitive: the first may tie with the second and the second with the third, while the first and the
    third differ. Each group is therefore a largest set in which no two differ (compact letter display; Piepho,
    Journal of Computational and Graphical Statistics 13:456-466, 2004).

    Args:
        ordered: The names, the best first.
        apart: Pairs that differ, or of which nobody can tell.
    """
    found = [frozenset(ordered)] if ordered else []
    for a, b in apart:
        parts = [part for each in found for part in ((each - {a}, each - {b}) if {a, b} <= each else (each,))]
        found = [
            each
            for n, each in enumerate(parts)
            if not any(each < other or (each == other and m < n) for m, other in enumerate(parts))
        ]
    place = {name: n for n, name in enumerate(ordered)}
    rows = [sorted(each, key=place.__getitem__) for each in found if each]
    return sorted(rows, key=lambda names: [place[name] for name in names])
