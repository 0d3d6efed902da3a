"""Rendering: reports, graphs and comparisons for people, in a terminal, in a notebook and as an HTML page.

Start with `terminal` (a report as text); `provenance`, `comparison` and `evidence_path` do the same for graphs,
comparisons and diagnoses, `notebook` is for Jupyter, `page` is the HTML file. All share `labels` (how classes, nodes
and errors are named), `safe_text`, `excerpt` and `spans`. Formats for other programs are in `export`.

Renderers are registered in `trail_callbacks.display` by type. A renderer's module is imported when the first value is
drawn: most programs never draw one, and rich takes longer to import than all of this package.
"""

from typing import Any

from trail_callbacks import display
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Report


@display.text.register
def _text(report: Report) -> str:
    from trail_callbacks.render.terminal import to_text  # noqa: PLC0415 - see above

    return to_text(report)


@display.rich.register
def _rich(report: Report) -> Any:
    from trail_callbacks.render.terminal import to_rich  # noqa: PLC0415 - see above

    return to_rich(report)


@display.fragment.register
def _report_fragment(report: Report) -> str:
    from trail_callbacks.render.notebook import to_fragment  # noqa: PLC0415 - see above

    return to_fragment(report)


@display.fragment.register
def _graph_fragment(graph: ProvenanceGraph) -> str:
    from trail_callbacks.render.notebook import graph_to_fragment  # noqa: PLC0415 - see above

    return graph_to_fragment(graph)


@display.page.register
def _page(report: Report, *, title: str | None = None) -> str:
    from trail_callbacks.render.page.document import to_page  # noqa: PLC0415 - see above

    return to_page(report, title=title)


@display.text.register(object)
def _rarer(value: object) -> str:
    from trail_callbacks.render.evidence_path import to_text  # noqa: PLC0415 - few reports have a diagnosis
    from trail_callbacks.report.diagnosis import Diagnosis  # noqa: PLC0415 - as above

    if isinstance(value, Diagnosis):
        return to_text(value)
    raise TypeError(f"there is no such form of {type(value).__name__}")
