"""Objectives are read from TOML, refused where they cannot be meant, and are what the page about alerts says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.monitor import SIGNALS
from trail_callbacks.monitor.objectives import parse

GOOD = '[[objective]]\nsignal = "query_coverage"\nobjective = 0.95\n'


def test_what_is_left_out_comes_from_the_signal():
    retrieval, evaluator = parse(GOOD)
    assert (retrieval.name, retrieval.stage, retrieval.owner) == ("query_coverage", "retrieval", "retrieval")
    assert retrieval.budget == pytest.approx(0.05)
    assert [each.factor for each in retrieval.rates] == [6, 3, 1]
    assert (evaluator.signal.name, evaluator.stage) == ("undecided", "evaluator")


def test_what_is_said_counts():
    text = """
lag = "2h"
minimum = 50
factors = [4, 2, 1]
[[objective]]
name = "acme"
signal = "answer_coverage"
stage = "ranking"
objective = 0.9
threshold = 0.7
segment = { tenant = "acme", release = "2" }
owner = "team-x"
minimum = 30
[[objective]]
signal = "undecided"
objective = 0.99
"""
    found = parse(text)
    acme, judge = found
    assert found.lag == 7200
    assert (acme.name, acme.stage, acme.owner, acme.threshold, acme.minimum) == ("acme", "ranking", "team-x", 0.7, 30)
    assert acme.segment == {"tenant": "acme", "release": "2"}
    assert (judge.minimum, [each.factor for each in judge.rates]) == (50, [4, 2, 1])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("objective = [", "is not TOML"),
        ("", "add [[objective]] with signal and objective"),
        ("lagg = 3\n" + GOOD, "unknown key 'lagg'; did you mean lag?"),
        (GOOD + "treshold = 0.5", "line 1: objective 1: unknown key 'treshold'; did you mean threshold?"),
        (GOOD + GOOD, "line 4: objective 2: the name 'query_coverage' is taken"),
        (GOOD.replace("query_coverage", "coverage"), "signal is 'coverage'; it has to be one of query_coverage"),
        ("[[objective]]\nsignal = 'contradiction'", "objective is missing"),
        (GOOD.replace("0.95", "95"), "objective is 95; it has to be a number between 0.0 and 1.0"),
        (GOOD.replace("0.95", "1.0"), "with 1.0 each bad run breaks it"),
        (GOOD + "threshold = 0.0", "no figure is below it"),
        (GOOD.replace("query_coverage", "contradiction") + "threshold = 0.5", "which has no threshold"),
        (GOOD + "stage = 'embedding'", "stage is 'embedding'; it has to be one of query"),
        (GOOD + "segment = 'acme'", "segment is 'acme'"),
        (GOOD + "minimum = 1", "a whole number of runs, 5 or more"),
        (GOOD + "factors = [1, 3, 6]", "3 falling numbers"),
        (GOOD + "name = 'a b'", "letters, digits"),
        ("lag = '10 minutes'\n" + GOOD, "lag is '10 minutes'"),
    ],
)
def test_errors_say_what_and_where(text, says):
    with pytest.raises(InputError) as error:
        parse(text, "objectives.toml")
    assert says in str(error.value)
    assert str(error.value).startswith("objectives.toml")


@pytest.mark.parametrize(
    ("objective", "factors", "says"),
    [
        (0.9, "[14.4, 6, 1]", "waits until 144% of the runs are bad: that cannot be"),
        (0.9, "[6, 3, 1]", "waits until 60% of the runs are bad: by then everybody knows"),
        (0.4, "[1, 1, 1]", "raise objective above 0.5"),
    ],
)
def test_what_can_never_fire_is_refused_with_what_to_do(objective, factors, says):
    with pytest.raises(InputError, match="raise objective above") as error:
        parse(f'[[objective]]\nsignal = "contradiction"\nobjective = {objective}\nfactors = {factors}')
    assert says in str(error.value)


PAGE = (Path(__file__).parents[2] / "docs" / "alerts.md").read_text(encoding="utf-8")


def test_the_example_is_taken():
    (text,) = re.findall(r"^```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    found = parse(text)
    assert [each.name for each in found] == [
        "query_coverage",
        "evidence_overlap",
        "contradiction",
        "citation_presence",
        "answers-by-tenant",
        "evaluator",
    ]
    assert found.lag == 600


@pytest.mark.parametrize("name", SIGNALS)
def test_each_signal_is_listed_with_its_stage_and_owner(name):
    each = parse(f'[[objective]]\nsignal = "{name}"\nobjective = 0.95\n').every[0]
    called = re.escape(each.signal.counted)
    (row,) = re.findall(rf"^\| `{name}` \| {called} \| ([^|]*) \| (\w+) \| (\w+) \|$", PAGE, re.MULTILINE)
    assert row[1:] == (each.stage, each.owner)
    if each.signal.threshold is not None:
        assert f"below {each.signal.threshold:g}" in row[0]
