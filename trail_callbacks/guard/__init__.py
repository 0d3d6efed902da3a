"""Guards: checking an answer before the user gets it, independent of a framework.

Start with `settings` and `policy` (what a guard does about a failed answer), then `checker` and `guard` (check,
retry with feedback, block), and `stripping` (take sentences out). Adapters run the loop and know how their
framework asks a model again; verification itself is in `verify`.
"""

from trail_callbacks.guard.checker import Checker, JudgeDraft
from trail_callbacks.guard.guard import (
    Guard,
    GuardSteps,
    ReadMessage,
    acarry_out,
    carry_out,
    ended_at,
    guard_answer,
    holds_text,
    message_nodes,
)
from trail_callbacks.guard.policy import GuardOutcome, decide, reject
from trail_callbacks.guard.settings import BLOCKED, GuardKeywords, GuardSettings, Stream

__all__ = [
    "BLOCKED",
    "Checker",
    "Guard",
    "GuardKeywords",
    "GuardOutcome",
    "GuardSettings",
    "GuardSteps",
    "JudgeDraft",
    "ReadMessage",
    "Stream",
    "acarry_out",
    "carry_out",
    "decide",
    "ended_at",
    "guard_answer",
    "holds_text",
    "message_nodes",
    "reject",
]
