"""Judges measured: by what people say of their verdicts."""

from trail_callbacks.bench.calibration import RULES, Calibration, JudgedClaim, calibrated, failures, read_marks

__all__ = ["RULES", "Calibration", "JudgedClaim", "calibrated", "failures", "read_marks"]
