"""A file, or standard input, as a stream of its bytes, whatever it was compressed with and however it is named."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any, cast

from trail_callbacks.errors import InputError

HEAD = 4_096
"""Bytes that can be peeked at."""
PARQUET = b"PAR1"
"""How a Parquet file begins."""

_BLOCK = 1 << 16
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_LENGTH = 4  # bytes of the length that OpenTelemetry's collector writes before each compressed message
_MARK = b"\xef\xbb\xbf"
_UTF16 = "in UTF-16: convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)"
_OTHERS = {
    b"PK\x03\x04": "a zip archive: unpack it first",
    b"BZh": "compressed with bzip2: unpack it first (bunzip2)",
    b"\xfd7zXZ\x00": "compressed with xz: unpack it first (unxz)",
    b"SQLite format 3\x00": "an SQLite database: export its records as JSON lines",
    b"\xff\xfe": _UTF16,
    b"\xfe\xff": _UTF16,
}


@contextmanager
def opened(
    path: str | Path, name: str, expected: str = "records", on_read: Callable[[int], object] | None = None
) -> Iterator[io.BufferedReader]:
    """Opens a file for one reading from its start: unpacked, without the mark of its byte order.

    Args:
        path: The file; `-` is standard input.
        name: What it is called in errors.
        expected: What should be in it, for errors.
        on_read: Called with the number of bytes whenever some are read, before they are unpacked.

    Raises:
        InputError: If it cannot be opened or read to its end, is empty, or is in a format that is no text (Parquet is
            left to the caller); says what to do.
    """
    try:
        with nullcontext(sys.stdin.buffer) if str(path) == "-" else Path(path).open("rb") as raw:
            yield _text(_unpacked(io.BufferedReader(_Joined(_counted(raw, on_read)), HEAD), name), name, expected)
    except IsADirectoryError as error:
        raise InputError(f"{name} is a folder: name the files in it") from error
    except PermissionError as error:
        raise InputError(f"{name} may not be read by this user: change its permissions (chmod u+r)") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{name} is damaged or not yet complete: its compressed data end too early") from error
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # a zero byte in the name
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name!r} cannot be read: {error}") from error
    except Exception as error:
        if type(error).__name__ != "ZstdError":  # of one of two libraries, which may both be missing
            raise
        raise InputError(f"{name} is damaged or not yet complete: {error}") from error


def _counted(raw: Any, on_read: Callable[[int], object] | None) -> Iterator[bytes]:
    """What is in a file, which stays open; tells how much is read of it."""
    while part := raw.read1(_BLOCK):
        if on_read is not None:
            on_read(len(part))
        yield part


def _unpacked(stream: io.BufferedReader, name: str) -> io.BufferedReader:
    head = stream.peek(HEAD)
    if head.startswith(_GZIP):
        return io.BufferedReader(cast("Any", gzip.GzipFile(fileobj=stream)), _BLOCK)
    if head.startswith(_ZSTD) or head[_LENGTH:].startswith(_ZSTD):
        frames = None if head.startswith(_ZSTD) else _framed(stream)
        return io.BufferedReader(cast("Any", _unzstd(stream, frames, name)), _BLOCK)
    return stream


def _text(stream: io.BufferedReader, name: str, expected: str) -> io.BufferedReader:
    """Checks that what is in a stream is text, or Parquet, and skips its mark."""
    head = stream.peek(HEAD)[:HEAD]
    if not head.removeprefix(_MARK).strip():
        raise InputError(f"{name} is empty: expected {expected}")
    if head.startswith(PARQUET):
        return stream
    for magic, what in _OTHERS.items():
        if head.startswith(magic):
            raise InputError(f"{name} is {what}")
    if b"\0" in head:
        raise InputError(f"{name} is a binary file, not text: expected {expected}")
    if head.startswith(_MARK):
        stream.read(len(_MARK))
    return stream


def _unzstd(stream: IO[bytes], frames: Iterator[bytes] | None, name: str) -> Any:
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore] # noqa: PLC0415 - Python 3.14 and later
    except ImportError:
        try:
            import zstandard  # noqa: PLC0415 - few files need it
        except ImportError as error:
            raise InputError(
                f"{name} is compressed with zstd, which this Python cannot read: unpack it first (unzstd {name}), or "
                "pip install zstandard"
            ) from error
        if frames is None:
            return zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
        return _Joined(zstandard.ZstdDecompressor().decompressobj().decompress(frame) + b"\n" for frame in frames)
    return zstd.ZstdFile(stream) if frames is None else _Joined(zstd.decompress(frame) + b"\n" for frame in frames)


def _framed(stream: IO[bytes]) -> Iterator[bytes]:
    """The messages of the collector's compressed files: each after its length, of which the last may be half there."""
    while len(size := stream.read(_LENGTH)) == _LENGTH:
        length = int.from_bytes(size, "big")
        frame = stream.read(length)
        if len(frame) < length:
            return
        yield frame


class _Joined(io.RawIOBase):
    """Parts of a text as one stream."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts = parts
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._rest = part
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


def is_database(where: str | Path) -> bool:
    """Whether a store is meant: the URL of a database, or a SQLite file."""
    if "://" in str(where):
        return True
    with suppress(OSError, ValueError), Path(where).open("rb") as file:
        return file.read(6) == b"SQLite"
    return False
