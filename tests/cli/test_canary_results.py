"""`trail canary report` and `trail gate` on canary runs that were really made."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from trail_callbacks.canary import Answered
from trail_callbacks.canary.runs.run import run
from trail_callbacks.cli.canary import report
from trail_callbacks.cli.gate import gate
from trail_callbacks.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[1] / "canary"))
from canary_runs import probe

PROBES = [probe(n) for n in range(60)]
APP = typer.Typer()
APP.command("report")(report)
APP.command("gate")(gate)


def played(leaks):
    """An app that follows its context, but for the first few probes, where it says what it knows."""
    asked = {each.id: each for each in PROBES}

    def app(ask):
        probe = asked[ask.probe]
        if ask.arm in ("closed_book", "empty"):
            return Answered(text="I do not know.", passages=[] if ask.arm == "empty" else None)
        quote = probe.real_quote if ask.arm == "real" else probe.fictive_quote
        value = probe.real if ask.arm == "real" or int(probe.id[1:]) < leaks else probe.fictive
        return Answered(text=f"It takes {value}.", passages=[quote])

    return app


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for name, leaks in (("good", 0), ("same", 0), ("leaky", 20)):
        run(PROBES, played(leaks), out=folder / name)
    run(PROBES[:10], played(0), out=folder / "few")
    return folder


def trail(*args):
    return CliRunner().invoke(APP, [str(each) for each in args])


def test_a_report_on_the_terminal(runs):
    done = trail("report", runs / "leaky")
    assert done.exit_code == 0, done.output
    assert "60 probes, 1 strategy, 240 trials" in done.output
    assert "33.3 [22.7, 45.9]" in done.output  # leaks: 20 of 60


def test_a_report_as_json_and_as_a_page(runs, tmp_path):
    page = tmp_path / "page.html"
    done = trail("report", runs / "leaky", "--json", "--html", page)
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert found["strategies"][0]["rates"]["leak"]["k"] == 20
    assert found["strategies"][0]["rates"]["follow"]["k"] == 40
    assert "How long does ferry" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("names", "options", "expected"),
    [
        (("good", "same"), ["--margin", "0.1"], (0, "The candidate passes")),
        (("good", "leaky"), [], (1, "The candidate is worse")),
        (("good", "same"), ["--margin", "0.01"], (3, "There is not enough data")),
        (("good", "same"), ["--margin", "0.01", "--on-not-enough", "pass"], (0, "There is not enough data")),
        (("good", "same"), ["--margin", "0.01", "--on-not-enough", "fail"], (1, "There is not enough data")),
        (("good", "few"), ["--margin", "0.1"], (3, "Compared on the 10 probes of both runs")),
    ],
)
def test_the_gate_and_its_exit_status(runs, names, options, expected):
    done = trail("gate", *(runs / name for name in names), *options)
    assert (done.exit_code, expected[1] in done.output) == (expected[0], True), done.output


def test_the_gate_as_json(runs):
    found = json.loads(trail("gate", runs / "good", runs / "leaky", "--json").output)
    assert (found["verdict"], found["common"]) == ("worse", 60)


def test_bad_input_is_said(runs):
    for args, words in (
        (("report", runs / "none"), "none"),
        (("gate", runs / "good", runs / "good"), "the same runs"),
        (("gate", runs / "good", runs / "same", "--margin", "0"), "margin is 0.0"),
        (("gate", runs / "good", runs / "same", "--rule", "policy=both"), "policy is 'both'"),
    ):
        done = trail(*args)
        assert isinstance(done.exception, InputError), done.output
        assert words in str(done.exception)
