"""A file of traces as a stream of its text, whatever it was compressed with and however it is named."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from trail_callbacks.errors import InputError

__all__ = ["opened"]

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_LENGTH = 4  # bytes of the length that the collector writes before each compressed message
_MARK = b"\xef\xbb\xbf"
_OTHERS = (
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    (b"BZh", "compressed with bzip2: unpack it first (bunzip2)"),
    (b"\xfd7zXZ\x00", "compressed with xz: unpack it first (unxz)"),
    (
        b"PAR1",
        "a Parquet file: export JSON lines instead, or convert it (pandas: read_parquet, then to_json with lines=True)",
    ),
    (b"SQLite format 3\x00", "an SQLite database: export its traces as JSON lines"),
    (b"\xff\xfe", "in UTF-16: convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)"),
    (b"\xfe\xff", "in UTF-16: convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)"),
)
_HEAD = 4_096


@contextmanager
def opened(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Opens a file for one reading from its start.

    Args:
        path: The file.
        name: What it is called in errors.

    Raises:
        InputError: If it cannot be opened, is empty, or is in a format that is no text; says what to do.
    """
    if path.is_dir():
        raise InputError(f"{name} is a folder: name the files in it")
    try:
        with path.open("rb") as raw:
            head = raw.read(_HEAD)
            raw.seek(0)
            with _unpacked(raw, head, name) as stream:
                yield stream
    except FileNotFoundError as error:
        raise InputError(f"{name} does not exist") from error
    except PermissionError as error:
        raise InputError(f"{name} may not be read by this user: change its permissions (chmod u+r)") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"{name} is damaged or not yet complete: its compressed data end too early ({error})"
        ) from error
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from error


def _unpacked(raw: IO[bytes], head: bytes, name: str) -> IO[bytes]:
    if not head.strip():
        raise InputError(f"{name} is empty: expected traces")
    if head.startswith(_GZIP):
        return _text(cast("IO[bytes]", gzip.GzipFile(fileobj=raw)), name)
    if head.startswith(_ZSTD) or head[_LENGTH:].startswith(_ZSTD):
        return _text(_unzstd(raw, name, lengths=not head.startswith(_ZSTD)), name)
    return _text(raw, name, head)


def _text(stream: IO[bytes], name: str, head: bytes | None = None) -> IO[bytes]:
    """Checks that what is in a stream is text, and skips its byte order mark."""
    buffered = stream if head is not None else cast("IO[bytes]", io.BufferedReader(cast("Any", stream), 1 << 16))
    start = head if head is not None else cast("io.BufferedReader", buffered).peek(_HEAD)[:_HEAD]
    for magic, what in _OTHERS:
        if start.startswith(magic):
            raise InputError(f"{name} is {what}")
    if b"\0" in start:
        raise InputError(
            f"{name} is a binary file: expected JSON. Of the OpenTelemetry collector, set `format: json` in its file "
            "exporter"
        )
    if start.startswith(_MARK):
        buffered.read(len(_MARK))
    return buffered


def _unzstd(raw: IO[bytes], name: str, *, lengths: bool) -> IO[bytes]:
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
        if not lengths:
            return cast("IO[bytes]", zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True))
        frames: Iterator[bytes] = (
            zstandard.ZstdDecompressor().decompressobj().decompress(frame) + b"\n" for frame in _framed(raw)
        )
        return cast("IO[bytes]", _Joined(frames))
    if not lengths:
        return cast("IO[bytes]", zstd.ZstdFile(raw))
    return cast("IO[bytes]", _Joined(zstd.decompress(frame) + b"\n" for frame in _framed(raw)))


def _framed(raw: IO[bytes]) -> Iterator[bytes]:
    """The messages of the collector's compressed files: each after its length, of which the last may be half there."""
    while len(size := raw.read(_LENGTH)) == _LENGTH:
        length = int.from_bytes(size, "big")
        frame = raw.read(length)
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
        taken = self._rest[: len(buffer)]
        buffer[: len(taken)] = taken
        self._rest = self._rest[len(taken) :]
        return len(taken)
