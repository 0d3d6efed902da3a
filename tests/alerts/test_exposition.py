"""Counters as Prometheus reads them."""

import re
import shutil
import subprocess

import pytest

from trail_callbacks.alerts.exposition import METRICS, exposition
from trail_callbacks.observations import SIGNALS, Tally

HOSTILE = 'a"b\\c\nd \U0001f600 \u2028 {x="1"} # HELP'
SOME = Tally(runs=12, decided=10, bad=3, weight=25.5, bad_weight=4.5, squares=90.25)


def test_all_counters_are_there_at_zero():
    lines = [line for line in exposition({}, [("tenant", "acme")]).splitlines() if not line.startswith("#")]
    assert len(lines) == 2 + 2 * len(SIGNALS) * (len(METRICS) - 1)
    assert all(line.endswith(" 0") for line in lines)
    assert 'trail_bad_runs_total{signal="contradiction",segment="tenant",value="acme"} 0' in lines
    assert "trail_runs_total 0" in lines


def test_counts_and_weights_are_told():
    text = exposition({("contradiction", "", ""): SOME})
    assert re.findall(r'^(\w+)\{signal="contradiction"\} (.*)$', text, re.MULTILINE) == [
        ("trail_decided_runs_total", "10"),
        ("trail_bad_runs_total", "3"),
        ("trail_decided_weight_total", "25.5"),
        ("trail_bad_weight_total", "4.5"),
        ("trail_squared_weight_total", "90.25"),
    ]
    assert "\ntrail_runs_total 12\n" in text


def test_labels_hold_any_text():
    text = exposition({("contradiction", "tenant", HOSTILE): SOME, ("contradiction", "tenant", "\ud800"): SOME})
    assert 'segment="tenant",value="a\\"b\\\\c\\nd ' in text
    assert text.encode()


def test_promtool_takes_it():
    if not shutil.which("promtool"):
        pytest.skip("promtool is not installed: the format is not checked")
    text = exposition({("contradiction", "tenant", HOSTILE): SOME, ("undecided", "", ""): SOME})
    done = subprocess.run(["promtool", "check", "metrics"], input=text.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
