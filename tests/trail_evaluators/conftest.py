"""A report, and a server to send it to."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for sent_runs.py and recording_server.py
from recording_server import Server
from sent_runs import SPAN, STEP, TRACE, run_report


@pytest.fixture
def report():
    """Recorded by an adapter: its ids are those of no tool."""
    return run_report("some run", "run 3", "run 2")


@pytest.fixture
def imported():
    """Of an OpenTelemetry trace: the ids of its runs are those of spans."""
    return run_report(TRACE, SPAN, STEP)


@pytest.fixture
def server():
    one = Server()
    yield one
    one.close()
