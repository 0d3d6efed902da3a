"""The page for the team, served from a store: overview, segments, releases, runs, feedback and health of sources.

`app` is an ASGI application; `serve` runs it. Pages are made on the server and need neither script nor network: charts
are SVG with a table each (`charts`), what is shown stands in the address (`filters`), and `security` checks host,
origin and token of every request.
"""

from trail_callbacks.serving.app import app
from trail_callbacks.serving.security import Access

__all__ = ["Access", "app"]
