"""Judges measured: by what people say of their verdicts, and by what they say themselves when they are asked again."""

from trail_callbacks.bench.calibration import RULES, Calibration, JudgedClaim, calibrated, failures, read_marks
from trail_callbacks.bench.spread import Spread, spread

__all__ = ["RULES", "Calibration", "JudgedClaim", "Spread", "calibrated", "failures", "read_marks", "spread"]
