"""What a canary run shows: its figures and comparisons as one value, in a terminal, in a notebook, as JSON, as a page.

Start with `results.assess`; `terminal` and `canary.page` draw what it returns, from the tables and words of `words`.
They are named here by class, as `render` does for reports, and imported when the first results are drawn.
"""

from trail_callbacks import display
from trail_callbacks.canary.report.results import FORMAT, Results, assess

__all__ = ["FORMAT", "Results", "assess"]

display.MAKERS |= {
    ("text", "Results"): "trail_callbacks.canary.report.terminal:to_text",
    ("rich", "Results"): "trail_callbacks.canary.report.terminal:to_rich",
    ("fragment", "Results"): "trail_callbacks.canary.report.terminal:to_fragment",
    ("page", "Results"): "trail_callbacks.canary.page.document:to_page",
}
