"""The results of a canary run as one self-contained HTML file, without scripts.

Start with `document.to_page`, which fills `assets/canary.html`: `tables` has the figures, `examples` the trials.
Colours and the head of the page are those of `render.page`.
"""

from trail_callbacks.canary.page.document import to_page

__all__ = ["to_page"]
