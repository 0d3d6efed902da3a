"""What a canary run shows: its figures and comparisons as one value, in a terminal, as JSON and as a page.

Start with `results.assess`; `terminal` and `page` draw what it returns.
"""

from trail_callbacks.canary.report.results import FORMAT, Reason, Results, assess

__all__ = ["FORMAT", "Reason", "Results", "assess"]
