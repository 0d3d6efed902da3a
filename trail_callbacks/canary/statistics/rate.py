"""A share with its 95 % interval, as far as probes of one document are independent of each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from trail_callbacks.canary.probe import Probe
from trail_callbacks.releases.difference import Cluster, Residuals, residuals, share
from trail_callbacks.report.scoring import wilson

__all__ = ["FEW", "Hit", "Rate", "cluster", "design", "percent", "quantile", "rate", "steadied"]

FEW = 5
"""Documents below which intervals are about questions on these documents: so few say nothing about others."""

_ALIKE = 0.2
"""Correlation of probes of one document that is assumed until data tell: nothing varies where nothing leaked. It is not
the worst case (of claims of one answer: `releases.difference.prior_design`), by which a hundred probes of ten documents
would say no more than ten."""

_Z = 1.96

Hit: TypeAlias = tuple[str, bool]
"""The cluster of a trial, see `cluster`, and whether it is a hit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share of trials.

    Attributes:
        k: Hits.
        n: Trials in the denominator.
        low: Lower Wilson limit, 95 %, 0.0 to 1.0; None if there is no trial.
        high: Upper limit.
        effective: Number of independent trials that say as much: `n`, or fewer where documents hold several probes
            whose answers go wrong together.
        documents: Number of documents (or other clusters, see `cluster`) that the trials are of.
        why: Why there is no share; empty if there is one.
    """

    k: int
    n: int
    low: float | None = None
    high: float | None = None
    effective: float = 0.0
    documents: int = 0
    why: str = ""

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
        limits = {"low": self.low, "high": self.high}
        return {"k": self.k, "n": self.n, "value": self.value, **limits} | (
            {"effective": round(self.effective, 1), "documents": self.documents} if self.n else {"why": self.why}
        )


def percent(share: float) -> str:
    """A share as a percentage with at most one decimal, without the sign."""
    return f"{100 * share:.1f}".removesuffix(".0")


def cluster(probe: Probe) -> str:
    """What trials of a probe are clustered by: its first document, or else its edit, or else itself."""
    if probe.documents:
        return f"document {probe.documents[0]}"
    return f"edit {probe.edit}" if probe.edit else f"probe {probe.id}"


def design(groups: Iterable[Sequence[Hit]]) -> float:
    """The design effect of several rates together: how many times the variance is that of independent trials.

    It steadies that of each rate, which by itself knows nothing where nothing was hit (`releases.difference.share`);
    1.0 or more.
    """
    return steadied([found for each in groups if (found := _residuals(_clusters(each))) is not None])


def steadied(found: Sequence[Residuals]) -> float:
    """The design effect of all that clusters say, and of one trial more that is as alike by document as assumed."""
    assumed = 1 + _ALIKE * (max((each.largest for each in found), default=1.0) - 1)
    return max(1.0, (sum(each.squares for each in found) + assumed) / (sum(each.expected for each in found) + 1.0))


def rate(hits: Sequence[Hit], prior: float = 1.0, why: str = "") -> Rate:
    """Computes a rate.

    Where some document has several trials, the variance is that of the ratio estimator clustered by document, and the
    Wilson limits are those of as many independent trials as have the same variance, at the quantile of Student's t for
    so many documents. Trials of fewer than `FEW` documents are taken as independent: see there.

    Args:
        hits: The trials of the denominator.
        prior: Design effect of all data, see `design`.
        why: Why there may be none.
    """
    k, n = sum(hit for _, hit in hits), len(hits)
    if not n:
        return Rate(k=0, n=0, why=why or "no trial of this kind")
    clusters = _clusters(hits)
    found = _residuals(clusters)
    effective = share(found, prior).effective if found else float(n)
    low, high = wilson(k / n, effective, quantile(len(clusters)) if found else _Z)
    return Rate(k=k, n=n, low=low, high=high, effective=effective, documents=len(clusters))


def _clusters(hits: Sequence[Hit]) -> list[Cluster]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for key, hit in hits:
        counts[key][0] += hit
        counts[key][1] += 1
    return [(bad, whole, whole) for bad, whole in counts.values()]


def _residuals(clusters: Sequence[Cluster]) -> Residuals | None:
    """None where trials are independent as far as anybody can tell: one of each document, or few documents."""
    return residuals(clusters) if len(clusters) >= FEW and any(whole > 1 for _, whole, _ in clusters) else None


def quantile(clusters: int, z: float = _Z) -> float:
    """The quantile of Student's t that takes the place of a normal one where variances are of so many clusters.

    The expansion of Fisher and Cornish (Technometrics 2:209-225, 1960) to the third order, within 0.3 % from five
    clusters on.
    """
    free = clusters - 1
    return (
        z
        + (z**3 + z) / (4 * free)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * free**3)
    )
