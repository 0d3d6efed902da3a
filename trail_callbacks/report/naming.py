"""How a node is called wherever a report is put for people."""

from __future__ import annotations

from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.text import shorten

_NAME = 80  # characters of a step's name or an id; models choose some of these
_TITLES = ("source", "file_name", "title")  # as loaders of both frameworks name them


def named(node_id: str, graph: ProvenanceGraph) -> str:
    """Names a node for a reader: `history.md (d1)` for a document, `summarise (m2)` for the output of a step.

    A document is named by its source, file name or title, another node by its step, and a node without these by its
    kind.
    """
    node = graph.node(node_id)
    titles = (node.attributes.get(key) for key in _TITLES) if node.kind == "document" else ()
    title = next((value for value in titles if isinstance(value, str) and value.strip()), None)
    step = (title or node.step or node.kind.replace("_", " ")).strip()
    id_ = shorten(node_id, _NAME)
    return id_ if step == node_id else f"{shorten(step, _NAME)} ({id_})"
