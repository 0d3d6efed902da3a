"""Risk: the probability that a claim is not supported, computed from a few features by a small fitted model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import cache
from importlib.resources import files
from math import exp, isfinite, log1p
from typing import Any

from trail_callbacks.errors import InputError
from trail_callbacks.judges.local.checks.number import stated
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.judges.local.overlap import Overlap

__all__ = ["AS_FITTED", "Calibration", "Features", "RiskModel", "features", "probability", "shipped"]

_MOST = 3  # numbers that are missing; more make it no worse
_RUN = 3  # words of a run
_FLAT = 700.0  # beyond, exp() overflows


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What is counted about one claim.

    Attributes:
        covered: Share by weight that the best passage holds together with up to two others, 0.0 to 1.0.
        missing: log(1 + words that the best window lacks), 0.0 or more.
        runs: Share of all words that are part of three words in a row that a window has, too, 0.0 to 1.0.
        numbers: Numbers of the claim that no window with a word of it has, 0 to 3.
        contradiction: 1.0 if a check found a contradiction, else 0.0.
        departure: 1.0 if a check found something weaker, else 0.0.
    """

    covered: float
    missing: float
    runs: float
    numbers: float
    contradiction: float
    departure: float

    def values(self) -> tuple[float, ...]:
        """Returns the numbers in the order of the attributes."""
        return astuple(self)


def features(
    overlap: Overlap, windows: Sequence[Reading], best: Sequence[int], *, contradiction: bool, departure: bool
) -> Features:
    """Counts the features of a claim.

    Args:
        overlap: What the passages hold of the claim.
        windows: Each passage that may be about the claim, with the text before and after it.
        best: Indices of the passages that together hold most of the claim.
        contradiction: Whether a check found a contradiction.
        departure: Whether a check found something weaker.
    """
    claim = overlap.claim
    near = [window for window in windows if not claim.content or any(map(window.has, claim.content))]
    most = max((sum(map(window.has, claim.content)) for window in windows), default=0)
    return Features(
        covered=overlap.share(overlap.covered(best), overlap.everything),
        missing=log1p(len(claim.content) - most),
        runs=_runs(claim, windows),
        numbers=min(_MOST, sum(not any(stated(q, claim, window) for window in near) for q in claim.quantities)),
        contradiction=float(contradiction),
        departure=float(departure),
    )


def _runs(claim: Reading, windows: Sequence[Reading]) -> float:
    forms = [term.form for term in claim.terms]
    covered: set[int] = set()
    for i in range(len(forms) - _RUN + 1):
        if any(tuple(forms[i : i + _RUN]) in window.runs for window in windows):
            covered.update(range(i, i + _RUN))
    return len(covered) / len(forms) if forms else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Platt's scaling (1999): a line through the log-odds, fitted to labelled claims of one's own.

    Attributes:
        slope: More than 0; below 1 makes the model less sure of itself.
        offset: Added to the log-odds; below 0 where fewer claims are unsupported than one in two.

    Raises:
        InputError: If the slope is not positive or a value is not finite.
    """

    slope: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        """Checks the values."""
        if not (isfinite(self.slope) and isfinite(self.offset) and self.slope > 0):
            raise InputError(f"Calibration(slope={self.slope}, offset={self.offset}): expected finite, slope over 0")


AS_FITTED = Calibration()
"""Leaves the risk as the model gives it: for texts of which one claim in two is unsupported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskModel:
    """Logistic regression over `Features`.

    Attributes:
        weights: One a feature, in the order of `Features`, for its plain value.
        bias: The log-odds where all features are 0.
        source: What it was fitted on, in words.
    """

    weights: tuple[float, ...]
    bias: float
    source: str = ""

    def log_odds(self, features: Features) -> float:
        """Returns the log-odds that a claim with these features is unsupported, if one in two is."""
        return self.bias + sum(w * x for w, x in zip(self.weights, features.values(), strict=True))

    def to_json(self) -> dict[str, Any]:
        """Returns the model as a JSON-safe dictionary, weights by the names of their features."""
        return {
            "bias": self.bias,
            "weights": dict(zip(Features.__dataclass_fields__, self.weights, strict=True)),
            "source": self.source,
        }

    @classmethod
    def from_json(cls, data: Any) -> RiskModel:
        """Reads what `to_json` wrote.

        Raises:
            InputError: If a weight is missing, unknown or not a finite number.
        """
        try:
            named, bias = data["weights"], float(data["bias"])
            weights = tuple(float(named[name]) for name in Features.__dataclass_fields__)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"not a risk model: {error!r} is missing or not a number") from error
        if len(named) != len(weights) or not all(map(isfinite, (*weights, bias))):
            raise InputError("not a risk model: it has weights of other features, or values that are not finite")
        return cls(weights=weights, bias=bias, source=str(data.get("source", "")))


def probability(log_odds: float, calibration: Calibration) -> float:
    """Returns the probability, 0.0 to 1.0, that log-odds stand for."""
    scaled = calibration.slope * log_odds + calibration.offset
    return 1 / (1 + exp(-max(-_FLAT, min(_FLAT, scaled))))


@cache
def shipped() -> RiskModel:
    """Returns the model that comes with the package, see `risk.json` beside this module."""
    text = files("trail_callbacks.judges.local").joinpath("risk.json").read_text(encoding="utf-8")
    return RiskModel.from_json(json.loads(text))
