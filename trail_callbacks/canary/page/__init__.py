"""The results of a canary run as one self-contained HTML file, without scripts; see `document.to_page`."""

from trail_callbacks.canary.page.document import to_page

__all__ = ["to_page"]
