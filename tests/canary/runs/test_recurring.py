"""Recurring probes: every one comes round, the state survives, and noise is no alarm."""

import re
import subprocess
import sys
from collections import Counter
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


def test_bad_input_and_a_history_that_cannot_be_read_or_written(tmp_path):
    app, notes = App(), tmp_path / "notes"
    for options, words in (({"size": 0}, "Watch.size is 0"), ({"probes": []}, "there are no probes")):
        with pytest.raises(InputError, match=words):
            Watch(**{"probes": probes(2), "app": app, "history": notes, **options})
    notes.write_text('{"at": "2026-01-01", "trials": []}\n' * 100)
    for path, words in (
        (notes, "file is not a database"),
        (tmp_path / "none" / "history", "cannot be written or read"),
    ):
        with pytest.raises(InputError, match=words):
            Watch(probes=probes(2), app=app, history=path).turn()
    with pytest.raises(InputError, match="file is not a database"):
        ProbeHistory.read(notes)
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
    time.sleep(120)  # the turn goes on for as long as the test wants
    return answer(ask)

Watch(probes=probes(40), app=app, history={history!r}, size=4).turn()
"""


def test_a_second_process_is_refused_and_of_a_turn_that_is_killed_nothing_remains(history):
    watch, log = Watch(probes=probes(40), app=answer, history=history, size=4), history.with_name("log")
    before = watch.turn()
    code = SCRIPT.format(here=str(Path(__file__).parents[1]), history=str(history), log=str(log))
    held = subprocess.Popen([sys.executable, "-c", code])
    try:
        wait_for(lambda: log.exists() or held.poll() is not None, "the first question")
        assert held.poll() is None, "it ended before its first question was answered"
        assert ProbeHistory.read(history) == before  # can be read meanwhile
        with pytest.raises(InputError, match="another watch is writing to"):
            watch.turn()
    finally:
        held.kill()
        held.wait()
    assert ProbeHistory.read(history) == before
    after = watch.turn()
    assert (after.turns, len(after.last)) == (2, 8)
