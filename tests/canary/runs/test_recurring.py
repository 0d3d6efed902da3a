"""Recurring probes: every one comes round, the state survives, and noise is no alarm."""

import re
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "audit"))

from processes import wait_for
from tower_probes import answer, probes

from trail_callbacks.canary.runs import recurring
from trail_callbacks.canary.runs.recurring import ProbeHistory, Watch, exposition
from trail_callbacks.errors import InputError


@pytest.fixture
def history(tmp_path):
    return tmp_path / "canary.history"


class App:
    name = "tower app"

    def __init__(self, leaks=()):
        self.leaks, self.asked = set(leaks), []

    def __call__(self, ask):
        self.asked.append(ask.probe)
        return f"{100 + int(ask.probe[1:])} m" if ask.probe in self.leaks else answer(ask)


def test_every_probe_comes_round_before_one_comes_again(history):
    app = App()
    for _ in range(5):
        Watch(probes=probes(20), app=app, history=history, size=4).turn()  # each turn from the file alone
    assert Counter(app.asked) == {f"p{i}": 1 for i in range(20)}
    first = app.asked[:20]
    for _ in range(5):
        Watch(probes=probes(20), app=app, history=history, size=4).turn()
    assert set(Counter(app.asked).values()) == {2}
    assert app.asked[20:] != first


def test_the_rate_is_of_the_last_trials_by_probe(history, monkeypatch):
    leaky = App(leaks=["p0", "p1"])
    monkeypatch.setattr(recurring, "_WINDOW", 20)
    for _ in range(4):
        found = Watch(probes=probes(10), app=leaky, history=history, size=5).turn()
    leak = found.leak()
    assert (leak.value, leak.documents, leak.n) == (0.2, 10, 20)
    assert leak.low < 0.1
    assert leak.high > 0.3
    for _ in range(4):
        found = Watch(probes=probes(10), app=App(), history=history, size=5).turn()
    assert found.leak().value == 0.0
    assert found.totals == {"follows_context": 36, "leaks_prior": 4}
    assert found.turns == 8


def test_what_has_no_one_fictive_value_and_failures_are_not_in_the_rate(history):
    removed, both = probes(2)
    odd = [replace(removed, fictive=None), replace(both, also="900 m")]
    found = Watch(probes=odd, app=App(leaks=["p0", "p1"]), history=history, size=2).turn()
    assert (found.leak(), sum(found.totals.values())) == (None, 2)

    def app(ask):
        raise ValueError("no route")

    found = Watch(probes=probes(3), app=app, history=history, size=3).turn()
    assert found.leak() is None
    assert found.totals["unscorable"] == 3
    assert found.errors == ("ValueError: no route",)
    assert ProbeHistory.read(history) == found
    assert {each.name for each in history.parent.iterdir()} == {"canary.history", "canary.lock"}
    assert history.stat().st_mode & 0o777 == 0o600


def read_back(text):
    assert re.fullmatch(r"(# (HELP|TYPE) [a-z_]+ .+\n|[a-z_]+(\{(\w+=\"\w+\",?)+\})? [\d.e+-]+\n)+", text)
    return {name: float(value) for name, value in re.findall(r"^([a-z].*) (\S+)$", text, re.MULTILINE)}


def test_what_prometheus_reads(history):
    watch = Watch(probes=probes(10), app=App(leaks=["p3"]), history=history, size=10)
    empty = read_back(exposition(ProbeHistory.read(history), 0.05))
    assert empty.pop("trail_canary_leak_limit") == 0.05
    assert len(empty) == 7
    assert set(empty.values()) == {0.0}
    found = read_back(exposition(watch.turn(), 0.05))
    assert found['trail_canary_trials_total{arm="fictive",outcome="leaks_prior"}'] == 1.0
    assert found['trail_canary_trials_total{arm="fictive",outcome="follows_context"}'] == 9.0
    assert found["trail_canary_leak_share"] == 0.1
    assert found["trail_canary_leak_share_low"] < 0.1 < found["trail_canary_leak_share_high"]
    assert found["trail_canary_leak_probes"] == 10.0
    assert found["trail_canary_last_turn_timestamp_seconds"] > 1.7e9


def test_bad_input(history):
    for options, words in (({"size": 0}, "Watch.size is 0"), ({"probes": []}, "there are no probes")):
        with pytest.raises(InputError, match=words):
            Watch(**{"probes": probes(2), "app": App(), "history": history, **options})


def test_a_history_that_cannot_be_read_or_written(tmp_path):
    app, notes, other = App(), tmp_path / "notes", tmp_path / "other"
    for path in (tmp_path, tmp_path / "none" / "history"):
        with pytest.raises(InputError, match="cannot be written or read"):
            Watch(probes=probes(2), app=app, history=path).turn()
    notes.write_text('{"at": "2026-01-01", "trials": []}\n' * 100)
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE mine (x)")
    for path, words in ((notes, "file is not a database"), (other, "is of another release")):
        with pytest.raises(InputError, match=words):
            Watch(probes=probes(2), app=app, history=path).turn()
        with pytest.raises(InputError, match=words):
            ProbeHistory.read(path)
    assert app.asked == []
    assert notes.read_text().startswith('{"at"')


SCRIPT = """
import sys, time
from pathlib import Path
sys.path.insert(0, {here!r})
from tower_probes import answer, probes
from trail_callbacks.canary.runs.recurring import Watch

def app(ask):
    Path({log!r}).touch()
    while {held} and not Path({go!r}).exists():
        time.sleep(0.01)  # the turn goes on for as long as the test wants
    return answer(ask)

Watch(probes=probes(40), app=app, history={history!r}, size=4).turn()
"""


def script(history, *, held=False):
    names = {name: str(history.with_name(name)) for name in ("log", "go")}
    return SCRIPT.format(here=str(Path(__file__).parents[1]), history=str(history), held=held, **names)


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


def test_a_second_process_is_refused_while_a_turn_goes_on(history, held):
    assert ProbeHistory.read(history).turns == 0  # can be read meanwhile
    second = subprocess.run([sys.executable, "-c", script(history)], capture_output=True, text=True, check=False)
    assert "another watch is writing to" in second.stderr
    assert second.returncode == 1
    history.with_name("go").touch()
    assert held.wait(120) == 0
    assert ProbeHistory.read(history).turns == 1


@pytest.fixture
def before(history):
    """What one whole turn wrote down, before the process that is held."""
    return Watch(probes=probes(40), app=answer, history=history, size=4).turn()


def test_of_a_turn_that_is_killed_nothing_remains(history, before, held):
    held.kill()
    held.wait()
    assert ProbeHistory.read(history) == before
    after = Watch(probes=probes(40), app=answer, history=history, size=4).turn()
    assert (after.turns, len(after.last)) == (2, 8)
