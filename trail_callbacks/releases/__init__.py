"""Whether a release may go out, and where to look when runs go wrong: from judged runs in figures.

Start with `gate`: `decide` compares two releases by the rules of a `Policy`. `arm` reads, splits and pairs their
runs; the tests are those of `statistics`. `markdown` writes decisions down; `triage` says where to look.
"""

from trail_callbacks.releases.decision import (
    Arm,
    Decision,
    Measure,
    MeasureName,
    Outcome,
    Pairing,
    Policy,
    SegmentDecision,
)
from trail_callbacks.releases.gate import decide
from trail_callbacks.releases.markdown import to_junit, to_markdown

__all__ = [
    "Arm",
    "Decision",
    "Measure",
    "MeasureName",
    "Outcome",
    "Pairing",
    "Policy",
    "SegmentDecision",
    "decide",
    "to_junit",
    "to_markdown",
]
