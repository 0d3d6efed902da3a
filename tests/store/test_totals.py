"""Counters that only grow, and as Prometheus reads them."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from trail_callbacks import check
from trail_callbacks.monitor import SIGNALS
from trail_callbacks.store.totals import Total, exposition
from trail_callbacks.trace import Trace, Versions


def judged(n):
    report = check("The ferry takes 53 minutes. It is blue.", ["The ferry takes 40 minutes. It is blue."])
    return replace(report, run_id=f"run{n}")


def traced(name):
    return Trace(id=name, events=(), versions=Versions(app="1"))


def test_totals_only_grow_and_count_live_runs(store):
    store.put([(judged("0"), None)])
    assert store.totals() == [], "it was imported"
    store.add(judged("1"), traced("run1"), rate=0.5)
    store.add(judged("2"), traced("run2"))
    assert store.flush(20)

    def count(counter, name="", value=""):
        return {(each.counter, each.name, each.value): each.count for each in store.totals()}[counter, name, value]

    assert (count("runs"), count("bad.contradiction"), count("decided.contradiction")) == (3, 3, 3)
    assert count("bad.abstention") == 0
    assert count("claims.contradicted", "release", "1") == 3
    store.prune(1e12)
    assert count("runs") == 3


HOSTILE = 'a"b\\c\nd \U0001f600 \u2028 {x="1"} # HELP'


def counters(name="", value=""):
    counts = {"runs": 12.0, "decided.contradiction": 25.5, "bad.contradiction": 4.5, "squares.contradiction": 90.25}
    return [Total(counter, name, value, count) for counter, count in counts.items()]


def test_all_counters_are_there_at_zero():
    lines = [line for line in exposition([], [("tenant", "acme")]).splitlines() if not line.startswith("#")]
    assert len(lines) == 1 + 2 * (1 + 3 * len(SIGNALS) + 7)
    assert all(line.endswith(" 0") for line in lines)
    assert 'trail_bad_runs_total{signal="contradiction",segment="tenant",value="acme"} 0' in lines
    assert 'trail_claims_total{outcome="not_judged"} 0' in lines
    assert "trail_runs_total 0" in lines
    assert "trail_lost_runs_total 0" in lines


def test_counts_are_told():
    text = exposition(counters())
    assert re.findall(r'^(\w+)\{signal="contradiction"\} (.*)$', text, re.MULTILINE) == [
        ("trail_decided_runs_total", "25.5"),
        ("trail_bad_runs_total", "4.5"),
        ("trail_squared_weight_total", "90.25"),
    ]
    assert "\ntrail_runs_total 12\n" in text


def test_labels_hold_any_text():
    text = exposition([*counters("tenant", HOSTILE), *counters("tenant", "\ud800")])
    assert 'segment="tenant",value="a\\"b\\\\c\\nd ' in text
    assert text.encode()


def test_promtool_takes_it():
    if not shutil.which("promtool"):
        pytest.skip("promtool is not installed: the format is not checked")
    text = exposition([*counters("tenant", HOSTILE), *counters()])
    done = subprocess.run(["promtool", "check", "metrics"], input=text.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
