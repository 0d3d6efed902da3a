"""The report: verdicts, score, JSON. What a verification returns, and what everything downstream reads."""

from trail_callbacks.report.report import Report, State
from trail_callbacks.report.verdict import Layer, Verdict

__all__ = ["Layer", "Report", "State", "Verdict"]
