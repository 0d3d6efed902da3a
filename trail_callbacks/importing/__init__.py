"""Traces that teams already have, read as recorded runs: one module a dialect, all on one list of normalised steps.

`read.py` finds out what a file is; a dialect makes `Step`s of its records; `assemble.py` makes a `Trace` of them, with
the same events that an adapter reports, so that the same linker builds the graph.
"""

from trail_callbacks.importing.read import read

__all__ = ["read"]
