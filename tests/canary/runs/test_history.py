"""The history of recurring probes: one process at a time, whole turns only, and no file of another sort."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "audit"))

from processes import wait_for
from tower_probes import SCORING, answer, probes

from trail_callbacks.canary.runs import run as running
from trail_callbacks.canary.runs.history import History
from trail_callbacks.canary.runs.recurring import Watch
from trail_callbacks.errors import InputError


@pytest.fixture(autouse=True)
def _judged_by_words(monkeypatch):
    monkeypatch.setattr(running, "scoring", lambda: SCORING)


@pytest.fixture
def history(tmp_path):
    return tmp_path / "history"


@pytest.fixture
def held(history):
    """A process that is at a turn, and asks until a file `go` is there; killed at the end, whatever a test did."""
    process = subprocess.Popen([sys.executable, "-c", script(history, held=True)])
    try:
        wait_for(lambda: history.with_name("log").exists() or process.poll() is not None, "the first question")
        assert process.poll() is None, "it ended before its first question was answered"
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_history_that_cannot_be_read_or_written(tmp_path):
    asked = []

    def app(ask):
        asked.append(ask.probe)
        return answer(ask)

    for history, words in {
        tmp_path: "is a folder: name a file",
        tmp_path / "none" / "history": "cannot be written: No such file",
    }.items():
        with pytest.raises(InputError, match=words):
            Watch(probes=probes(2), app=app, history=history).turn()
    notes, other = tmp_path / "notes", tmp_path / "other"
    notes.write_text('{"at": "2026-01-01", "trials": []}\n' * 100)
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE mine (x)")
    for history, words in dict.fromkeys((notes, other), "is no history of recurring probes").items():
        with pytest.raises(InputError, match=words):
            Watch(probes=probes(2), app=app, history=history).turn()
        with pytest.raises(InputError, match=words):
            History.read(history, 300)
    assert asked == []
    assert notes.read_text().startswith('{"at"')


SCRIPT = """
import sys, time
from pathlib import Path
sys.path.insert(0, {here!r})
from tower_probes import SCORING, answer, probes
from trail_callbacks.canary.runs import run as running
from trail_callbacks.canary.runs.recurring import Watch
from trail_callbacks.errors import InputError
running.scoring = lambda: SCORING

def app(ask):
    with open({log!r}, "a") as log:
        log.write(ask.probe + "\\n")
    while {held} and not Path({go!r}).exists():
        time.sleep(0.01)  # the turn goes on for as long as the test wants
    return answer(ask)

for _ in range({turns}):
    while True:
        try:
            Watch(probes=probes(40), app=app, history={history!r}, size=4, options={{"concurrency": 1}}).turn()
        except InputError as error:
            if {stubborn}:
                continue
            sys.exit(str(error))
        break
"""


def script(history, *, turns=1, held=False, stubborn=False):
    names = {name: str(history.with_name(name)) for name in ("log", "go")}
    here = str(Path(__file__).parents[1])
    return SCRIPT.format(here=here, history=str(history), turns=turns, held=held, stubborn=stubborn, **names)


def test_a_second_process_is_refused_while_a_turn_goes_on(history, held):
    assert History.read(history, 300).turns == 0  # can be read meanwhile
    second = subprocess.run([sys.executable, "-c", script(history)], capture_output=True, text=True, check=False)
    assert f"another process is asking the probes of {history}: wait until it is done" in second.stderr
    assert second.returncode == 1
    history.with_name("go").touch()
    assert held.wait(120) == 0
    assert History.read(history, 300).turns == 1
    assert len(history.with_name("log").read_text().splitlines()) == 4


@pytest.fixture
def before(history):
    """What one whole turn wrote down, before the process that is held."""
    Watch(probes=probes(40), app=answer, history=history, size=4).turn()
    return History.read(history, 300)


def test_of_a_turn_that_is_killed_nothing_remains(history, before, held):
    held.kill()
    held.wait()
    assert History.read(history, 300) == before
    after = Watch(probes=probes(40), app=answer, history=history, size=4).turn()
    assert (after.turns, len(after.last)) == (2, 8)
