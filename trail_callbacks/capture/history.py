"""Messages that were there before a run: a checkpoint, a memory or the app's own store kept them."""

from __future__ import annotations

from collections.abc import Iterable

from trail_callbacks.capture.echoes import merged
from trail_callbacks.capture.identity import is_another_message
from trail_callbacks.capture.link import Link
from trail_callbacks.capture.runs import Slot
from trail_callbacks.graph import NodeKind
from trail_callbacks.text import forms, outside

__all__ = ["is_from_before", "kind_of"]

_OWN_WORDS = 4  # words that no step of the run explains; fewer are a label
_KINDS: dict[str | None, NodeKind] = {"assistant": "completion", "tool": "tool_result"}


def kind_of(slot: Slot) -> NodeKind | None:
    """Returns the kind of node that a message without a producer is; None if it is a prompt of the app's own making."""
    piece = slot.piece
    if piece.form != "message":
        return None
    kept = piece.id is not None or slot.run.hints.channels or piece.origin == "user"
    return "question" if piece.role == "user" and kept else _KINDS.get(piece.role)


def is_from_before(slot: Slot, links: Iterable[Link]) -> bool:
    """True if a message of a model or a tool was there before the run, although it repeats words of this run.

    No step of the run wrote it, neither under its id nor with its words: what it shares with others, it quotes.

    Args:
        slot: An input.
        links: Where its text could have come from; those of basis `scope` count for nothing.
    """
    piece, sure = slot.piece, [link for link in links if link.basis != "scope"]
    if piece.form != "message" or piece.role not in _KINDS or any(_is_origin(link, slot) for link in sure):
        return False
    spans = merged([span for link in sure for span in link.spans])
    own = len(forms(outside(piece.text, spans))) >= _OWN_WORDS
    return own or all(is_another_message(link.source.piece, piece) for link in sure)


def _is_origin(link: Link, slot: Slot) -> bool:
    """True if a link leads to what the message is, or was made from."""
    source, piece = link.source, slot.piece
    if source.piece.text.strip() == piece.text.strip():
        return True
    if is_another_message(source.piece, piece):  # models use the ids of calls again
        return False
    answered = piece.call_id is not None and piece.call_id in {source.piece.call_id, source.run.hints.call_id}
    return link.opaque or answered or (piece.id is not None and piece.id == source.piece.id)
