"""Verifying in other processes: a few of them for all sessions, started with the first run to verify.

They are new interpreters, neither forked from the app nor running its main module: safe in a program with threads, and
in a script without `if __name__ == "__main__"`. One that dies is replaced.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from threading import Condition, RLock, Timer
from typing import IO, Any, cast

from trail_callbacks.capture.recorder import Material
from trail_callbacks.errors import InputError, JudgeError
from trail_callbacks.forking import renewed_in_child, unforked
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.report import Report
from trail_callbacks.session.worker import outcome, receive, send
from trail_callbacks.verify.options import VerifyOptions

_START = 60.0  # seconds a new process has to say that it is there
_END = 2.0  # seconds it has to end by itself
_BOOT = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.path[:] = sys.argv[1:]; "
    "from trail_callbacks.session.worker import main; main()"
)
_WINDOWS = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)


class _Process:
    """One process, which verifies one run at a time."""

    def __init__(self) -> None:
        from multiprocessing.spawn import get_executable  # noqa: PLC0415 - only here

        with unforked():  # a fork just now would inherit pipes that nobody knows of
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [os.fsdecode(get_executable() or sys.executable), "-c", _BOOT, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,  # a buffer has a lock, which a forked child may find locked
                creationflags=_WINDOWS,
            )
        self.requests = cast("IO[bytes]", self._process.stdin)
        self.replies = cast("IO[bytes]", self._process.stdout)
        self.alive = True
        patience = Timer(_START, self._process.kill)
        patience.daemon = True
        patience.start()
        try:
            receive(self.replies)
        except EOFError:
            error = self.death()
            self.end()
            raise error from None
        finally:
            patience.cancel()

    def verify(self, settings: bytes, material: bytes) -> Report:
        """Verifies a run."""
        try:
            send(self.requests, settings)
            send(self.requests, material)
            reply = receive(self.replies)
        except (EOFError, OSError, ValueError):  # ValueError: closed by us
            raise self.death() from None
        return outcome(reply)

    def death(self) -> RuntimeError:
        """The error that says how the process ended."""
        self.kill()
        return RuntimeError(f"the process that was to verify this run ended with status {self._process.returncode}")

    def end(self) -> None:
        """Lets it end, which it does when nothing more can come."""
        with suppress(OSError):
            self.requests.close()
        try:
            self._process.wait(_END)
        except subprocess.TimeoutExpired:
            self.kill()
        self.replies.close()

    def kill(self) -> None:
        """Ends it at once."""
        self.alive = False
        self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END)

    def disown(self) -> None:
        """In a forked child: lets go of the pipes, which are the parent's, without a word to the process.

        It would not notice the end of the parent as long as a child has its end of the pipe.
        """
        nothing = os.open(os.devnull, os.O_RDWR)
        for pipe in (self.requests, self.replies):
            with suppress(OSError, ValueError):  # closed already
                os.dup2(nothing, pipe.fileno(), inheritable=False)
        os.close(nothing)
        self._process.returncode = 0  # it is no child of ours: nobody is to wait for it


class _Pool:
    """Processes that are free, and those at work."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._free: list[_Process] = []
        self._busy: dict[_Process, object] = {}
        self._renew()
        renewed_in_child(self, _Pool._renew)

    def _renew(self) -> None:
        """In a forked child: forgets the parent's processes."""
        inherited = [*self._free, *self._busy]
        self._changed = Condition(RLock())
        self._free, self._busy, self._starting = [], {}, 0
        for process in inherited:
            process.disown()

    def verify(self, settings: bytes, material: bytes, owner: object) -> Report:
        """Verifies a run in a process, when one is free."""
        process = self._take(owner)
        try:
            return process.verify(settings, material)
        finally:
            self._give_back(process)

    def _take(self, owner: object) -> _Process:
        with self._changed:
            while not self._free and len(self._busy) + self._starting >= self.most:
                self._changed.wait()
            if self._free:
                process = self._free.pop()
                self._busy[process] = owner
                return process
            self._starting += 1
        started = None
        try:
            started = _Process()
        finally:
            with self._changed:
                self._starting -= 1
                if started is not None:
                    self._busy[started] = owner
                self._changed.notify()
        return started

    def _give_back(self, process: _Process) -> None:
        with self._changed:
            known = self._busy.pop(process, None) is not None  # not if this is a forked child meanwhile
            if known and process.alive:
                self._free.append(process)
            self._changed.notify()
        if known and not process.alive:
            process.end()

    def rest(self) -> None:
        """Ends the processes that are free: a session has nothing more to do."""
        with self._changed:
            free, self._free = self._free, []
        for process in free:
            process.end()

    def kill(self, owner: object = None) -> None:
        """Ends the processes that work for an owner, by default all: nobody waits for them any more."""
        with self._changed:
            found = [process for process, whose in self._busy.items() if owner is None or whose is owner]
        for process in found:
            process.kill()


class Remote:
    """Verifies for one session in the processes that all share.

    Attributes:
        processes: How many runs are verified at once.
    """

    def __init__(self, judge: JudgeLike, options: VerifyOptions | None) -> None:
        if getattr(sys, "frozen", False):
            raise InputError(
                "evaluate='process' starts a Python interpreter, and this program is frozen: use evaluate='background'"
            )
        self.processes = _pool.most
        self._settings = _portable(judge, options)

    def verify(self, material: Material) -> Callable[[], Report]:
        """Makes a run ready to be sent."""
        data = pickle.dumps(tuple(material), pickle.HIGHEST_PROTOCOL)
        return lambda: _pool.verify(self._settings, data, self)

    def close(self) -> None:
        """Ends what works for this session, and what is free."""
        _pool.kill(self)
        _pool.rest()

    @staticmethod
    def rest() -> None:
        """Ends the processes that are free."""
        _pool.rest()


class _Pickler(pickle.Pickler):
    """Refuses what another process could not find: it does not run the app's main module."""

    def reducer_override(self, value: object) -> Any:
        if getattr(value, "__module__", "") == "__main__" and callable(value):
            raise pickle.PicklingError(f"{getattr(value, '__name__', value)} is defined in the script that was started")
        return NotImplemented


def _portable(judge: JudgeLike, options: VerifyOptions | None) -> bytes:
    data = BytesIO()
    try:
        _Pickler(data, pickle.HIGHEST_PROTOCOL).dump((judge, options))
    except Exception as error:
        raise JudgeError(
            f"evaluate='process' sends the judge to another process, and this {type(judge).__name__} cannot be sent "
            f"({error}): name its model, as in judge='openai/gpt-5-mini', define your own judge in a module that can "
            "be imported, or use evaluate='background'"
        ) from error
    return data.getvalue()


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS, Windows
        return os.cpu_count() or 1


_pool = _Pool(min(4, max(1, _cores() - 1)))  # the one of this process: many sessions do not start many processes


@atexit.register
def _end() -> None:
    _pool.rest()
    _pool.kill()
