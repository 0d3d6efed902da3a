"""The report: what a verification returns, and what renderings, exports and comparisons read.

Start with `report.Report`; `verdict` is its entry for one claim, with the arithmetic of the score, `evaluations` the
records that other tools take, `compatibility` reads reports of newer releases. Only data and its forms as JSON,
records, a test and advice: reports are made in `verify` and drawn in `render`.
"""

from trail_callbacks import display
from trail_callbacks.report.report import Report, State
from trail_callbacks.report.verdict import Layer, Selected, Summary, Verdict

__all__ = ["Layer", "Report", "Selected", "State", "Summary", "Verdict"]

display.MAKERS |= {
    ("next_step", "Report"): "trail_callbacks.report.next_step:next_step",
    ("evaluations", "Report"): "trail_callbacks.report.evaluations:evaluations",
    ("pytest_file", "Report"): "trail_callbacks.report.pytest_file:to_test",
}
