"""The report: what a verification returns, and what renderings, exports and comparisons read.

Start with `report.Report`; `verdict` is its entry for one claim, `scoring` the arithmetic of the score,
`evaluation` the record that other tools take, `compatibility` reads reports of newer releases.
Only data and its JSON form: reports are made in `verify` and drawn in `render`.
"""

from trail_callbacks.report.report import Report, State
from trail_callbacks.report.verdict import Layer, Selected, Summary, Verdict

__all__ = ["Layer", "Report", "Selected", "State", "Summary", "Verdict"]
