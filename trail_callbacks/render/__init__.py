"""Rendering: reports, graphs and comparisons for people, in a terminal, in a notebook and as an HTML page.

Start with `terminal` (a report or a graph as text); `comparison` and `evidence_path` do the same for comparisons and
diagnoses, `notebook` is for Jupyter, `page` is the HTML file. All share `labels` (how classes, nodes
and errors are named) and `excerpt` (what of a text is shown). Formats for other programs are in `export`.
"""

from trail_callbacks import display

display.MAKERS |= {
    ("text", "Report"): "trail_callbacks.render.terminal:to_text",
    ("text", "Diagnosis"): "trail_callbacks.render.evidence_path:to_text",
    ("rich", "Report"): "trail_callbacks.render.terminal:to_rich",
    ("fragment", "Report"): "trail_callbacks.render.notebook:to_fragment",
    ("fragment", "ProvenanceGraph"): "trail_callbacks.render.notebook:graph_to_fragment",
    ("page", "Report"): "trail_callbacks.render.page.document:to_page",
}
