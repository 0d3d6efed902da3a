import sys
import threading
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_session import SlowJudge, run

from trail_callbacks.session import CaptureSettings, Retention, Session


@pytest.fixture(autouse=True)
def door(monkeypatch):
    monkeypatch.setattr(SlowJudge, "door", threading.Event())
    return SlowJudge.door


def test_a_burst_is_verified_in_full_although_fewer_runs_are_kept(door):
    seen = []
    session = Session(
        CaptureSettings(judge=SlowJudge(), keep=Retention(runs=5), on_report=lambda r: seen.append(r.run_id))
    )
    for n in range(50):
        run(session, f"r{n}")
    door.set()
    assert session.flush(60)
    assert seen == [f"r{n}" for n in range(50)]
    assert (session.skipped, session.errors) == (0, [])
    assert list(session.reports) == [f"r{n}" for n in range(45, 50)]
    session.close()


def test_beyond_what_may_wait_runs_are_skipped_counted_and_verified_when_asked_for(door):
    session = Session(CaptureSettings(judge=SlowJudge(), keep=Retention(waiting=3)))
    for n in range(10):
        run(session, f"r{n}")
    assert session.skipped == 7
    assert [str(error) for error in session.errors] == [
        "3 runs wait to be verified: run r3 was not queued, ask report() for it"
    ]
    door.set()
    assert session.flush(60)
    assert list(session.reports) == ["r0", "r1", "r2"]
    assert session.report("r7", timeout=20).state == "assessed"
    session.close()
