"""Whether a release may go out, and where to look when runs go wrong: from judged runs in figures.

Start with `gate`: `decide` compares two releases by the rules of a `policy`. `segments` splits and pairs their runs, an
`arm` is one release in one segment; the tests are those of `statistics`. `markdown` and `junit` write decisions down.
"""

from trail_callbacks.releases.arm import Arm, MeasureName
from trail_callbacks.releases.decision import Decision, Measure, Outcome, SegmentDecision
from trail_callbacks.releases.gate import decide
from trail_callbacks.releases.junit import to_junit
from trail_callbacks.releases.markdown import to_markdown
from trail_callbacks.releases.policy import Pairing, Policy

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
