"""The process that verifies for another one: `main` reads work from its standard input until that is closed.

It never runs the main module of the app, so that no script needs a guard for it. A message is its length and a pickle;
both ends are ours, and the pipe is private to them.
"""

from __future__ import annotations

import os
import pickle
import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import IO, Any

from trail_callbacks.capture.build import build
from trail_callbacks.capture.conversation import Earlier
from trail_callbacks.capture.events import Event
from trail_callbacks.judges.judge import Judge
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import judging, verify

_LENGTH = struct.Struct("<Q")
_NICE = 10  # verification gives way to the app
_KEPT = 16


def send(pipe: IO[bytes], message: bytes) -> None:
    """Writes a message."""
    rest = memoryview(_LENGTH.pack(len(message)) + message)
    while rest:
        rest = rest[pipe.write(rest) :]


def receive(pipe: IO[bytes]) -> bytes:
    """Reads a message."""
    (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
    return _exactly(pipe, length)


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = pipe.read(size - len(data))
        if not part:
            raise EOFError("the other process is gone")
        data += part
    return bytes(data)


def main() -> None:
    """Verifies what is sent, one run at a time."""
    requests, replies = private_pipes()
    if hasattr(os, "nice"):
        os.nice(_NICE)
    send(replies, b"")  # it speaks: what was started is this, and not some other program
    while True:
        try:
            settings, material = receive(requests), receive(requests)
            send(replies, _answer(settings, material))
        except (EOFError, BrokenPipeError):
            return


def private_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Returns standard input and output, for us alone: what a judge prints goes to the standard error."""
    requests, replies = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, replies


def _answer(settings: bytes, material: bytes) -> bytes:
    try:
        judge, options = _judge(settings)
        events, earlier = pickle.loads(material)  # noqa: S301 - see above
        return _pickled(_verified(events, earlier, judge, options))
    except Exception as error:  # noqa: BLE001 - kept and shown by the process that asked
        return _pickled(error)


@lru_cache(_KEPT)
def _judge(settings: bytes) -> tuple[Judge, VerifyOptions | None]:
    judge, options = pickle.loads(settings)  # noqa: S301 - see above
    return judging(judge, options), options


def _verified(events: Sequence[Event], earlier: Earlier | None, judge: Judge, options: VerifyOptions | None) -> Report:
    if options is None or not options.diagnose:
        return verify(build(events, earlier), judge, options)
    from trail_callbacks.diagnosis import verified  # noqa: PLC0415 - few ask for it
    from trail_callbacks.trace import Trace  # noqa: PLC0415 - as above

    return verified(Trace(id="", events=tuple(events), earlier=earlier), judge, options)


def _pickled(outcome: Report | Exception) -> bytes:
    try:
        return pickle.dumps(outcome, pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # noqa: BLE001 - an exception, or an attribute of one, that cannot travel
        why = outcome if isinstance(outcome, Exception) else error
        return pickle.dumps(RuntimeError(f"{type(why).__name__}: {why}"))


def outcome(reply: bytes) -> Report:
    """Reads a reply."""
    found: Any = pickle.loads(reply)  # noqa: S301 - see above
    if isinstance(found, Exception):
        raise found
    report: Report = found
    return report
