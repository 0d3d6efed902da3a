"""Reports and traces as compressed bytes: zstd where it is installed, zlib otherwise."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from trail_callbacks.errors import StoreError

__all__ = ["LARGEST", "Body", "packed", "unpacked"]

LARGEST = 16 * 1024 * 1024
"""Bytes of a body, before compression, that is kept unless somebody says otherwise."""

_ZSTD, _ZLIB, _REFUSED = "zstd", "zlib", "refused"
_LEVELS = {_ZSTD: 3, _ZLIB: 1}
_WINDOW = 1 << 27  # bytes that a reader will set aside


@dataclass(frozen=True, slots=True)
class Body:
    """A report or a trace as it is stored.

    Attributes:
        kind: `report` or `trace`.
        codec: How it is compressed; `refused` if it is not stored.
        size: Bytes before compression.
        data: The bytes; None if it was refused.
        why: Why it was refused.
    """

    kind: str
    codec: str
    size: int
    data: bytes | None
    why: str | None = None


def packed(kind: str, text: str, most: int = LARGEST) -> Body:
    """Compresses JSON; one of more than `most` bytes is refused, and the body says so."""
    raw = text.encode("utf-8", "replace")
    if len(raw) > most:
        return Body(kind, _REFUSED, len(raw), None, f"the {kind} has {len(raw):,} bytes, more than {most:,}")
    zstd = _zstandard()
    if zstd is None:
        return Body(kind, _ZLIB, len(raw), zlib.compress(raw, _LEVELS[_ZLIB]))
    return Body(kind, _ZSTD, len(raw), zstd.ZstdCompressor(level=_LEVELS[_ZSTD]).compress(raw))


def unpacked(codec: str, data: bytes, most: int) -> bytes:
    """Reads what `packed` wrote.

    Args:
        codec: How it is compressed.
        data: The bytes.
        most: Bytes it may have after decompression: what claims to have more is not read.

    Raises:
        StoreError: If it is damaged, too large, or compressed by what is not installed.
    """
    try:
        raw = _read(codec, data, most + 1)
    except (zlib.error, ValueError, EOFError) as error:
        raise StoreError(f"a stored body is damaged: {error}") from error
    if len(raw) > most:
        raise StoreError(f"a stored body has more than {most:,} bytes and is not read")
    return raw


def _read(codec: str, data: bytes, most: int) -> bytes:
    if codec == _ZLIB:
        reader = zlib.decompressobj()
        raw = reader.decompress(data, most)
        if not reader.eof and len(raw) < most:
            raise EOFError("it is truncated")
        return raw
    if codec != _ZSTD:
        raise StoreError(f"a stored body is compressed by {codec!r}, which this release does not know")
    zstd = _zstandard()
    if zstd is None:
        raise StoreError("a stored body is compressed by zstd: pip install zstandard")
    try:
        size = zstd.frame_content_size(data)
        read: bytes = zstd.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(BytesIO(data)).read(most)
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error
    if 0 <= size < most and len(read) != size:
        raise EOFError("it is truncated")
    return read


def _zstandard() -> Any:
    try:
        import zstandard  # noqa: PLC0415 - optional
    except ImportError:
        return None
    return zstandard
