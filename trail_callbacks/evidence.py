"""Evidence: sentences of the leaves that speak for or against a claim, and how candidates are found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Evidence", "Passage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A verbatim passage of a node that supports or contradicts a claim.

    Attributes:
        node_id: The node that holds it.
        start: Offset in the node's text.
        end: Offset after it.
        quote: `node.text[start:end]`, verbatim.
        relation: `supports` or `contradicts`.
    """

    node_id: str
    start: int
    end: int
    quote: str
    relation: Literal["supports", "contradicts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A candidate sentence that a judge may point to.

    Attributes:
        id: Unique within one verification, e.g. `s12`; judges answer with these ids, code checks them.
        node_id: The node that holds it.
        start: Offset in the node's text.
        end: Offset after it.
        text: `node.text[start:end]`, verbatim.
    """

    id: str
    node_id: str
    start: int
    end: int
    text: str
