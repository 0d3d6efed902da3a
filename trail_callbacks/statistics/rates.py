"""A share of trials with its 95 % interval, as far as trials of one document are independent of each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from trail_callbacks.statistics.clusters import Residuals, prior_design, residuals, share
from trail_callbacks.statistics.intervals import Z, quantile, wilson

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


def percent(share: float) -> str:
    """A share as a percentage with at most one decimal, without the sign."""
    return f"{100 * share:.1f}".removesuffix(".0")


def design(groups: Iterable[Sequence[Hit]]) -> float:
    """The design effect of several rates together: how many times the variance is that of independent trials.

    It steadies that of each rate, which by itself knows nothing where nothing was hit; 1.0 or more.
    """
    return prior_design([_residuals(each) for each in groups], ALIKE)


def rate(hits: Sequence[Hit], prior: float = 1.0, why: str = "") -> Rate:
    """Computes a rate.

    Where some document has several trials, the Wilson limits are those of as many independent trials as have the same
    variance, at the quantile of Student's t for so many documents. Trials of fewer than `FEW` documents are taken as
    independent: see there.

    Args:
        hits: The trials of the denominator.
        prior: Design effect of all data, see `design`.
        why: Why there may be none.
    """
    k, n, documents = sum(hit for _, hit in hits), len(hits), len({key for key, _ in hits})
    if not n:
        return Rate(k=0, n=0, why=why or "no trial of this kind")
    found = _residuals(hits)
    effective = share(found, prior).effective if found else float(n)
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
