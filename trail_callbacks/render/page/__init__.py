"""A report as one self-contained HTML file: the answer coloured by claim, the provenance graph beside it.

Python writes all text into the page, so that it can be read, searched and printed without its script; the script
(`assets/`) filters, selects and draws the graph, and makes no text of its own into markup.
"""

from trail_callbacks.render.page.document import to_page

__all__ = ["to_page"]
