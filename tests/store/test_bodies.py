"""Bodies: compressed, and read within limits."""

import sys
import zlib

import pytest

from trail_callbacks.errors import StoreError
from trail_callbacks.store.rows import packed, unpacked

TEXT = '{"text": "\u00e4 \U0001f600"}' * 500


@pytest.mark.parametrize("codec", ["zstd", "zlib"])
def test_a_body_comes_back(monkeypatch, codec):
    if codec == "zlib":
        monkeypatch.setitem(sys.modules, "zstandard", None)
    else:
        pytest.importorskip("zstandard", reason="zstandard is not installed")
    body = packed("report", TEXT)
    assert (body.codec, body.size, body.why) == (codec, len(TEXT.encode()), None)
    assert len(body.data) < body.size / 10
    assert unpacked(codec, body.data, 10**6) == TEXT
    for part in (body.data[:-9], b"", b"no"):
        with pytest.raises(StoreError, match="damaged"):
            unpacked(codec, part, 10**6)


@pytest.mark.parametrize("codec", ["zstd", "zlib"])
def test_what_would_fill_the_memory_is_not_read(codec):
    nothing = b"\0" * 50_000_000
    if codec == "zlib":
        data = zlib.compress(nothing)
    else:
        data = pytest.importorskip("zstandard", reason="zstandard is not installed").compress(nothing)
    with pytest.raises(StoreError, match=r"more than 1,000 bytes"):
        unpacked(codec, data, 1_000)


def test_a_body_that_this_installation_cannot_read_says_why(monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(StoreError, match="pip install zstandard"):
        unpacked("zstd", b"x", 10)
    with pytest.raises(StoreError, match="'brotli', which this release does not know"):
        unpacked("brotli", b"x", 10)
