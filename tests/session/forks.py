"""Programs that fork, for the tests to run in an interpreter of their own: what hangs must not hang the suite."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

PRELUDE = """
import os, sys, threading, time, traceback, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads: that is the subject

def forked(child, seconds=20):
    "Runs a function in a forked child; returns how that ended: 'ok', 'failed' or 'hung'."
    pid = os.fork()
    if pid == 0:
        try:
            child()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return "ok" if status == 0 else "failed"
        time.sleep(0.005)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return "hung"

def busy(work, threads=4):
    "Keeps threads at work until the returned function is called, which waits for them."
    stop = threading.Event()
    def loop():
        while not stop.is_set():
            work()
    started = [threading.Thread(target=loop, daemon=True) for _ in range(threads)]
    for thread in started:
        thread.start()
    def end():
        stop.set()
        for thread in started:
            thread.join(60)
    return end
"""


def run_program(code, *, seconds=120, name=None, tmp_path=None):
    """Runs a program; returns its lines of output."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *filter(None, sys.path)])}
    if name is not None:
        script = tmp_path / name
        script.write_text(PRELUDE + code, encoding="utf-8")
        arguments = [str(script)]
    else:
        arguments = ["-c", PRELUDE + code]
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=seconds, check=False, env=env
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


def gone(pid, seconds=10):
    """True if a process ends."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
