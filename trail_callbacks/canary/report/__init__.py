"""What a canary run shows: its figures and comparisons as one value, in a terminal, in a notebook, as JSON, as a page.

Start with `results.assess`; `terminal` and `canary.page` draw what it returns, from the tables and words of `words`.
They are registered here by type, as `render` does for reports, and imported when the first results are drawn.
"""

from typing import Any

from trail_callbacks import display
from trail_callbacks.canary.report.results import FORMAT, Results, assess

__all__ = ["FORMAT", "Results", "assess"]


@display.text.register
def _text(found: Results) -> str:
    from trail_callbacks.canary.report.terminal import to_text  # noqa: PLC0415 - see above

    return to_text(found)


@display.rich.register
def _rich(found: Results) -> Any:
    from trail_callbacks.canary.report.terminal import to_rich  # noqa: PLC0415 - see above

    return to_rich(found)


@display.fragment.register
def _fragment(found: Results) -> str:
    from trail_callbacks.canary.report.terminal import to_fragment  # noqa: PLC0415 - see above

    return to_fragment(found)


@display.page.register
def _page(found: Results, *, title: str | None = None) -> str:
    from trail_callbacks.canary.page.document import to_page  # noqa: PLC0415 - see above

    return to_page(found, title=title)
