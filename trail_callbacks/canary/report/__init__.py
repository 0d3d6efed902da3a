"""What a canary run shows: its figures and comparisons as one value, in a terminal, in a notebook, as JSON, as a page.

Start with `results.assess`; what it returns is put in `sections`, which `terminal` and `page` draw.
"""

from trail_callbacks import display

display.MAKERS |= {
    ("text", "Results"): "trail_callbacks.canary.report.terminal:to_text",
    ("rich", "Results"): "trail_callbacks.canary.report.terminal:to_rich",
    ("fragment", "Results"): "trail_callbacks.canary.report.terminal:to_fragment",
    ("page", "Results"): "trail_callbacks.canary.report.page:to_page",
}
