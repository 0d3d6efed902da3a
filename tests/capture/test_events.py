"""What adapters report can be stored."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from runlog import RunLog, document, text

from trail_callbacks.capture.build import build
from trail_callbacks.capture.events import dump, load


def test_events_survive_a_round_trip():
    log = RunLog()
    with log.run("chain", text("How old is the oak?")) as out:
        log.did(
            "retriever",
            [text("How old is the oak?")],
            [document("The oak is 400 years old.", 0, "page", id="a", attributes={"score": 0.5})],
        )
        out.append(text("It is old."))
    assert load(dump(tuple(log.events))) == tuple(log.events)
    assert build(load(dump(tuple(log.events)))) == build(log.events)
