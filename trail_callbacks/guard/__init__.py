"""Guards: checking an answer before the user gets it, independent of a framework.

Start with `policy` (what a guard may do about a failed answer), then `checker` and `loop` (check, retry with feedback,
block). Adapters run the loop and know how their framework asks a model again; verification itself is in `verify`.
"""

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
