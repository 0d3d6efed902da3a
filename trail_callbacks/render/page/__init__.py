"""A report as one self-contained HTML file: the answer coloured by claim, with the provenance graph beside it.

Start with `document.to_page`, which fills `assets/page.html` with the parts that the other modules render. Python
writes all text into the page, so that it can be read, searched and printed without the script; the script (`assets/`)
filters, selects and draws the graph, and never turns text into markup.
"""

from trail_callbacks.render.page.document import to_page

__all__ = ["to_page"]
