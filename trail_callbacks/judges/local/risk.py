"""Risk: the probability that a claim is not supported, computed from its features by a small fitted model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, isfinite
from typing import Any

from trail_callbacks.errors import InputError
from trail_callbacks.judges.local.features import Features

__all__ = ["AS_FITTED", "Calibration", "RiskModel", "probability", "shipped"]

_FLAT = 700.0  # beyond, exp() overflows


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
