"""When two pieces are one and the same document or message, by what frameworks say of them."""

from __future__ import annotations

from trail_callbacks.capture.events import Piece

__all__ = ["document_key", "is_another_message", "is_original", "is_same_message"]


def document_key(piece: Piece) -> tuple[str, str | None, object]:
    """Returns what a document keeps while it is passed on; two stores may use the same ids."""
    source = piece.attributes.get("source")
    return piece.text.strip(), piece.id, source if source is None or isinstance(source, str) else str(source)


def is_original(source: Piece, piece: Piece) -> bool:
    """True if two documents have one id, or one has all metadata of the other, such as its source, and maybe more."""
    if source.form != "document" or None not in (source.id, piece.id):
        return source.form == "document" and source.id == piece.id
    return bool(source.attributes) and source.attributes.items() <= piece.attributes.items()


def is_same_message(source: Piece, piece: Piece) -> bool:
    """True if two pieces of equal text are messages of one author, and of one id if both have one."""
    return source.form == "message" and source.role == piece.role and not is_another_message(source, piece)


def is_another_message(source: Piece, piece: Piece) -> bool:
    """True for two messages with different ids."""
    return source.form == "message" and None not in (source.id, piece.id) and source.id != piece.id
