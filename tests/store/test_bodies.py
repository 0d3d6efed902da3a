"""Bodies: compressed, and read within limits."""

import zlib

import pytest

from trail_callbacks.errors import StoreError
from trail_callbacks.store.rows import packed, unpacked

TEXT = '{"text": "\u00e4 \U0001f600"}' * 500


def test_a_body_comes_back():
    body = packed("report", TEXT)
    assert (body.codec, body.size, body.why) == ("zlib", len(TEXT.encode()), None)
    assert len(body.data) < body.size / 10
    assert unpacked("zlib", body.data, 10**6) == TEXT
    for part in (body.data[:-9], b"", b"no"):
        with pytest.raises(StoreError, match="damaged"):
            unpacked("zlib", part, 10**6)


def test_what_would_fill_the_memory_is_not_read():
    with pytest.raises(StoreError, match=r"more than 1,000 bytes"):
        unpacked("zlib", zlib.compress(b"\0" * 50_000_000), 1_000)


def test_a_body_that_this_release_cannot_read_says_why():
    with pytest.raises(StoreError, match="'brotli', which this release does not know"):
        unpacked("brotli", b"x", 10)
