"""Prometheus takes the rules and decides with them as `evaluate` does, Grafana the dashboard; where promtool is there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter

import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.monitor import SIGNALS, Tally
from trail_callbacks.monitor.evaluation import evaluate
from trail_callbacks.monitor.objectives import parse
from trail_callbacks.monitor.rules import dashboard, prometheus_rules
from trail_callbacks.store.totals import exposition

HOSTILE = 'a"b\\\\c{{ .Labels }} %s \U0001f600'
OBJECTIVES = f"""
lag = 0
[[objective]]
name = "retrieval"
signal = "query_coverage"
objective = 0.95
[[objective]]
name = "answers"
signal = "answer_coverage"
objective = 0.95
owner = '{HOSTILE}'
[[objective]]
name = "answers-of"
signal = "answer_coverage"
objective = 0.95
segment = {{ tenant = "*" }}
[[objective]]
name = "acme"
signal = "contradiction"
objective = 0.98
segment = {{ tenant = '{HOSTILE}' }}
"""
MINUTES = 120


@pytest.fixture
def promtool(tmp_path):
    if not shutil.which("promtool"):
        pytest.skip("promtool is not installed: the rules are not tried")

    def run(what, **files):
        for name, text in files.items():
            (tmp_path / f"{name}.yml").write_text(text, encoding="utf-8")
        last = tmp_path / f"{list(files)[-1]}.yml"
        done = subprocess.run(["promtool", *what, str(last)], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    return run


def test_each_objective_has_its_rules():
    text = prometheus_rules(parse(OBJECTIVES))
    alerts = re.findall(r"- alert: (\w+)", text)
    of_all = {"TrailSilent": 1, "TrailAbsent": 1, "TrailLost": 1}
    assert Counter(alerts) == {"TrailPage": 5, "TrailTicket": 5, "TrailNoData": 5, **of_all}
    assert "unless (0.5 * " in text, "what an earlier stage explains is held back"
    assert r"{{ \"{{\" }} .Labels" in text, "no template of a name is filled in"


def test_promtool_takes_the_rules(promtool):
    status, said = promtool(["check", "rules"], rules=prometheus_rules(parse(OBJECTIVES)))
    assert status == 0, said
    assert "SUCCESS" in said


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("threshold = 0.5", "kept at the threshold of the signal, 0.8, not at 0.5"),
        ('segment = { tenant = "a", kind = "b" }', "one segment at a time, not for tenant, kind together"),
    ],
)
def test_what_is_not_counted_is_refused(more, says):
    with pytest.raises(InputError, match="trail alerts check") as error:
        prometheus_rules(parse(f'[[objective]]\nsignal = "query_coverage"\nobjective = 0.95\n{more}'))
    assert says in str(error.value)


def traffic(**bad):
    """Two hours of 10 runs a minute for each tenant, as `Tallies` and as the counters of Prometheus.

    Args:
        bad: By signal, how many of the 10 are bad in the second hour, for tenant a and for tenant b; None if the judge
            fails on them.
    """
    signals = ("query_coverage", "answer_coverage", "contradiction", "abstention", "undecided")
    wrong = {name: bad.get(name, (0, 0)) for name in signals}

    def per_minute(signal, tenant, minute):
        """Decided, and bad of them."""
        share = wrong[signal][tenant] if minute >= MINUTES // 2 else 0
        return (0, 0) if share is None else (10, share)

    class Even:
        def tally(self, signal, since, until, segment=None, threshold=None):
            places = [["a", "b"].index(segment["tenant"])] if segment else [0, 1]
            minutes = range(max(0, int(since // 60)), min(MINUTES, int(until // 60)))
            counts = [per_minute(signal.name, place, minute) for place in places for minute in minutes]
            n, wrong = sum(n for n, _ in counts), sum(n for _, n in counts)
            runs = 10 * len(counts)
            return Tally(runs=runs, decided=n, bad=wrong, weight=4.0 * n, bad_weight=4.0 * wrong, squares=16.0 * n)

    series = []

    def add(metric, labels, steps):
        total, values = 0, ["0"]
        for step in steps:
            total += step
            values.append(str(total))
        of = ",".join(f'{name}="{value}"' for name, value in labels.items())
        series.append({"series": f"{metric}{{{of}}}", "values": " ".join(values)})

    for labels, places in (({}, (0, 1)), *(({"segment": "tenant", "value": "ab"[n]}, (n,)) for n in (0, 1))):
        add("trail_runs_total", labels, [40 * len(places)] * MINUTES)
        for signal in signals:
            counts = [[per_minute(signal, place, minute) for place in places] for minute in range(MINUTES)]
            decided, bad_runs = ([sum(each[i] for each in one) for one in counts] for i in (0, 1))
            kinds = {"decided_runs": (4, decided), "bad_runs": (4, bad_runs), "squared_weight": (16, decided)}
            for kind, (factor, steps) in kinds.items():
                add(f"trail_{kind}_total", {"signal": signal, **labels}, [factor * x for x in steps])
    return Even(), series


FEW = "lag = 0\n" + "\n".join(
    f'[[objective]]\nname = "{name}"\nsignal = "{signal}"\nobjective = 0.95\n{more}'
    for name, signal, more in (
        ("retrieval", "query_coverage", ""),
        ("answers", "answer_coverage", ""),
        ("declines", "abstention", ""),
        ("retrieval-of", "query_coverage", 'segment = { tenant = "*" }'),
        ("answers-of", "answer_coverage", 'segment = { tenant = "*" }'),
    )
)
ANSWERS, RETRIEVAL = (
    {(name, ""): "page", (f"{name}-of", "a"): "page", (f"{name}-of", "b"): "page"} for name in ("answers", "retrieval")
)
SCENES = {
    "nothing": ({}, {}),
    "retrieval": ({"query_coverage": (5, 5), "answer_coverage": (6, 6)}, RETRIEVAL),
    "generation": ({"answer_coverage": (6, 6)}, ANSWERS),
    "one tenant": ({"answer_coverage": (8, 0)}, {("answers", ""): "page", ("answers-of", "a"): "page"}),
    "too small a cause": ({"query_coverage": (1, 1), "answer_coverage": (6, 6)}, ANSWERS),
    "a cause that pages because of what follows": ({"query_coverage": (2, 2), "answer_coverage": (4, 4)}, RETRIEVAL),
    "a model that declines": ({"abstention": (9, 9)}, {("declines", ""): "page"}),
    "it declines because of retrieval": ({"query_coverage": (8, 8), "abstention": (9, 9)}, RETRIEVAL),
    "the judge": (
        {**dict.fromkeys(("query_coverage", "answer_coverage", "abstention"), (None, None)), "undecided": (10, 10)},
        {("evaluator", ""): "page"},
    ),
}


@pytest.mark.parametrize("scene", SCENES)
def test_prometheus_calls_the_same_as_we_do(promtool, scene):
    bad, expected = SCENES[scene]
    tallies, series = traffic(**bad)
    found = evaluate(parse(FEW), tallies, MINUTES * 60, {"tenant": ["a", "b"]})
    ours = {(each.objective, each.segment.get("tenant", "")): each.severity for each in found if each.calls}
    assert {key: severity for key, severity in ours.items() if severity == "page"} == expected
    firing = 'ALERTS{alertstate="firing",alertname=~"TrailPage|TrailNoData"}'
    wanted = [{"labels": f'{{objective="{name}"{_segment(value)}}}', "value": 1} for name, value in expected]
    asked = {
        "expr": f"sum by (objective, segment, value) ({firing})",
        "eval_time": f"{MINUTES}m",
        "exp_samples": wanted,
    }
    test = {"interval": "1m", "input_series": series, "promql_expr_test": [asked]}
    tests = {"rule_files": ["rules.yml"], "evaluation_interval": "5m", "tests": [test]}
    status, said = promtool(["test", "rules"], rules=prometheus_rules(parse(FEW)), tests=json.dumps(tests))
    assert status == 0, said


def _segment(value):
    return f',segment="tenant",value="{value}"' if value else ""


def test_prometheus_says_when_traffic_stops_and_when_runs_are_lost(promtool):
    week = 7 * 24 * 60
    series = [
        {"series": "trail_runs_total", "values": f"0+1x{week + 60} {week + 60}+0x120"},  # a run a minute
        {"series": "trail_lost_runs_total", "values": f"0+0x{week + 110} 3+0x80"},
    ]
    asked = [
        {
            "expr": 'count by (alertname) (ALERTS{alertstate="firing",alertname=~"TrailSilent|TrailLost"})',
            "eval_time": f"{week + minute}m",
            "exp_samples": [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in names],
        }
        for minute, names in ((80, []), (120, ["TrailSilent"]), (160, ["TrailLost", "TrailSilent"]))
    ]
    test = {"interval": "1m", "input_series": series, "promql_expr_test": asked}
    tests = {"rule_files": ["rules.yml"], "evaluation_interval": "20m", "tests": [test]}
    rules = prometheus_rules(parse('[[objective]]\nsignal = "undecided"\nobjective = 0.95'))
    status, said = promtool(["test", "rules"], rules=rules, tests=json.dumps(tests))
    assert status == 0, said


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


def test_promtool_takes_each_expression_of_the_dashboard(promtool, drawn):
    rules = [{"record": f"panel:{n}", "expr": each} for n, each in enumerate(expressions(drawn))]
    status, said = promtool(["check", "rules"], rules=json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    assert status == 0, said


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
