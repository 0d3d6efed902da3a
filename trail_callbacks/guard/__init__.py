"""A guard without a framework: its decisions, its judge, and the loop that adapters carry out."""

from trail_callbacks.guard.checker import Checker, Examine, Review
from trail_callbacks.guard.loop import Guarding, Write, acarry_out, answered, carry_out, guarding
from trail_callbacks.guard.policy import BLOCKED, Action, LastResort, OnFail, Outcome, Policy, refused

__all__ = [
    "BLOCKED",
    "Action",
    "Checker",
    "Examine",
    "Guarding",
    "LastResort",
    "OnFail",
    "Outcome",
    "Policy",
    "Review",
    "Write",
    "acarry_out",
    "answered",
    "carry_out",
    "guarding",
    "refused",
]
