"""What tests of audits in other processes wait for."""

import time
from pathlib import Path

import pytest


def wait_for(condition, what, seconds=120):
    """Waits until something is so; fails saying what did not happen."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"{what} did not happen within {seconds} seconds")
        time.sleep(0.05)  # another process: there is nothing of it to wait on


def has_results(out):
    """Whether an audit has written results down."""
    journal = out / "audit.sqlite"
    return journal.exists() and journal.stat().st_size > 30_000


def workers_of(process):
    """The ids of the workers of an audit."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        process.kill()
        pytest.skip("looks for processes in /proc")
    return [each for each in children.read_text().split() if is_worker(each)]


def is_worker(pid):
    try:
        return "audit.worker" in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False
