"""Grafana's dashboard: promtool takes each expression, and each counter in it is one that we tell."""

import json
import re
import shutil
import subprocess

import pytest

from trail_callbacks.monitor import SIGNALS
from trail_callbacks.monitor.objectives import parse
from trail_callbacks.monitor.rules import dashboard
from trail_callbacks.store.totals import exposition

ALL = "\n".join(
    f'[[objective]]\nname = "{name}{n}"\nsignal = "{name}"\nobjective = 0.95\n{segment}'
    for name in SIGNALS
    for n, segment in enumerate(("", 'segment = { tenant = "*" }', "segment = { tenant = 'a\"b\\c' }", ""))
)


@pytest.fixture
def drawn():
    return dashboard(parse(ALL))


def expressions(board):
    return [target["expr"] for panel in board["panels"] for target in panel["targets"]]


def test_promtool_takes_each_expression(drawn, tmp_path):
    if not shutil.which("promtool"):
        pytest.skip("promtool is not installed: the expressions are not checked")
    rules = [{"record": f"panel:{n}", "expr": each} for n, each in enumerate(expressions(drawn))]
    file = tmp_path / "rules.yml"
    file.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    done = subprocess.run(["promtool", "check", "rules", file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_counter_is_told(drawn):
    told = set(re.findall(r"^(trail_\w+)", exposition([]), re.MULTILINE))
    used = {name for each in expressions(drawn) for name in re.findall(r"\btrail\w+(?=\{)", each)}
    assert used
    assert used <= told


def test_panels_are_told_apart_and_do_not_overlap(drawn):
    panels = drawn["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken = [
        (x, y)
        for at in (panel["gridPos"] for panel in panels)
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(taken) == len(set(taken))
    assert max(x for x, _ in taken) < 24
    for panel in panels:
        refs = [target["refId"] for target in panel["targets"]]
        assert len(set(refs)) == len(refs)
        assert all(re.fullmatch("[A-Z]+", ref) for ref in refs)
    assert any(len(panel["targets"]) > 26 for panel in panels)
