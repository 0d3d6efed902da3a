"""Messages between processes: whole or not at all."""

import os

import pytest

from trail_callbacks.session.worker import receive, send


@pytest.fixture
def pipe():
    read, write = (os.fdopen(end, mode, 0) for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True))
    yield read, write
    read.close()
    write.close()


@pytest.mark.parametrize("message", [b"", b"x", bytes(range(256)) * 100])
def test_a_message_arrives_whole(pipe, message):
    read, write = pipe
    send(write, message)
    send(write, b"next")
    assert (receive(read), receive(read)) == (message, b"next")


@pytest.mark.parametrize("size", [0, 3, 10])
def test_half_a_message_is_none(pipe, size, tmp_path):
    read, write = pipe
    path = tmp_path / "sent"
    with path.open("wb", 0) as file:
        send(file, b"message")
    write.write(path.read_bytes()[:size])
    write.close()
    with pytest.raises(EOFError):
        receive(read)
