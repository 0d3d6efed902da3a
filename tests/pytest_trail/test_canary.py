"""The fixture `trail_canary`: rates with intervals, which fail where a run is too small to tell."""

import json
import xml.etree.ElementTree as ET

import pytest

pytest_plugins = "pytester"

ASYNC = ("-p", "pytest_asyncio.plugin", "-o", "asyncio_default_fixture_loop_scope=function")
HEAD = """
from trail_callbacks.canary import Answered, Probe, Strategy

def probes(n):
    return [
        Probe(
            id=f"p{i}", question=f"How long does crossing {i} take?", real=f"{i + 10} minutes",
            fictive=f"{i + 4010} minutes", real_quote=f"Crossing {i} takes {i + 10} minutes.",
            fictive_quote=f"Crossing {i} takes {i + 4010} minutes.", kind="number",
        )
        for i in range(n)
    ]

def app(n, leaks=0, lost=0, broken=0, retrieved=True):
    known = {each.id: (i, each) for i, each in enumerate(probes(n))}

    def asked(ask):
        i, probe = known[ask.probe]
        if i < broken:
            raise RuntimeError("no answer today")
        if ask.arm not in ("real", "fictive"):
            return Answered(text="I don't know.", passages=())
        quote = probe.real_quote if ask.arm == "real" else probe.fictive_quote
        said = probe.real if ask.arm == "real" or i < leaks else probe.fictive
        return Answered(text=f"It takes {said}.", passages=(quote,) if retrieved else ("It rains.",))

    return asked

ARMS = {"arms": ["real", "fictive"]}
"""


def suite(**bodies):
    return HEAD + "\n".join(f"def test_{name}(trail_canary):\n    {body}" for name, body in bodies.items())


def output(result):
    return "\n".join(line.removeprefix("E").strip() for line in result.outlines)


def test_an_app_that_reads_passes_if_there_are_enough_probes(run):
    result = run(
        suite(
            reads="r = trail_canary(app(80), probes(80), **ARMS); r.assert_leak_rate(max=0.05); r.assert_follow_rate(0.9)"
        )
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*canary leak rate 0 % (0 of 80, 95 % interval 0 to 4.6 %)*test_reads*"])


def test_too_few_probes_fail_and_say_how_many_would_do(run):
    result = run(suite(few="trail_canary(app(20), probes(20), **ARMS).assert_leak_rate(max=0.05)"))
    result.assert_outcomes(failed=1)
    said = output(result)
    assert "leak rate 0 % (0 of 20, 95 % interval 0 to 16.1 %) is not shown to be at most 5 %: too few probes" in said
    wanted = int(said.partition("about ")[2].split()[0])
    assert 73 <= wanted <= 76


def test_an_app_that_leaks_fails_with_examples(run):
    result = run(suite(leaks="trail_canary(app(100, leaks=30), probes(100), **ARMS).assert_leak_rate(max=0.05)"))
    result.assert_outcomes(failed=1)
    said = output(result)
    assert "leak rate 30 % (30 of 100," in said
    assert "expected at most 5 %" in said
    assert said.count("leaks_prior: 'It takes") == 5
    assert "and 25 more" in said
    assert "the context says '40" in said


def test_what_nobody_could_score_and_what_does_not_follow_does_not_pass(run):
    text = suite(
        bad="trail_canary(app(100, leaks=60), probes(100), **ARMS).assert_follow_rate(min=0.8)",
        broken="trail_canary(app(100, broken=15), probes(100), **ARMS).assert_leak_rate()",
        missed="trail_canary(app(100, retrieved=False), probes(100), **ARMS).assert_leak_rate()",
        absent="trail_canary(app(100), probes(100), arms=['real']).assert_leak_rate()",
    )
    result = run(text)
    result.assert_outcomes(failed=4)
    said = output(result)
    assert "follow rate 40 % (40 of 100," in said
    assert "15 of 100 trials of the fictive arm are unscorable" in said
    assert "no answer today" in said
    assert said.count("the leak rate is not known") == 2
    assert "the fictive arm was not asked" in said


def test_each_strategy_has_to_pass(run):
    body = """
    def either(ask):
        return (one if ask.strategy.name == 'good' else other)(ask)
    one, other = app(100), app(100, leaks=50)
    r = trail_canary(either, probes(100), strategies=[Strategy('good'), Strategy('bad')], **ARMS)
    assert r.results.rate('leak', 'good').value == 0
    r.assert_leak_rate(max=0.05)
"""
    result = run(suite(both=body))
    result.assert_outcomes(failed=1)
    said = output(result)
    assert "bad: leak rate 50 %" in said
    assert "good: leak rate" not in said.partition("short test summary")[0].partition("- trail canary -")[0]


def test_an_async_app_in_an_async_test(run):
    text = (
        HEAD
        + """
import pytest
@pytest.mark.asyncio
async def test_it(trail_acanary):
    known = app(80)
    async def asked(ask):
        return known(ask)
    (await trail_acanary(asked, probes(80), **ARMS)).assert_leak_rate()
"""
    )
    run(text, *ASYNC).assert_outcomes(passed=1)


def test_the_option_limits_the_probes_and_the_argument_wins(run):
    text = suite(
        option="assert len(trail_canary(app(50), probes(50), **ARMS).run.probes) == 10",
        argument="assert len(trail_canary(app(50), probes(50), most=20, **ARMS).run.probes) == 20",
        same="assert list(trail_canary(app(50), probes(50), **ARMS).run.probes) == "
        "list(trail_canary(app(50), probes(50), **ARMS).run.probes)",
    )
    run(text, "--trail-canary-probes=10").assert_outcomes(passed=3)
    with_none = run(text, "--trail-canary-probes=0")
    assert "expected a number, 1 or more" in "\n".join([*with_none.errlines, *with_none.outlines])


def test_results_are_recorded_as_those_of_checks_are(run, pytester, monkeypatch):
    summary = pytester.path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    text = suite(reads="trail_canary(app(80, leaks=4), probes(80), **ARMS)")
    result = run(text, "--trail-report=out.jsonl", "--junitxml=out.xml")
    result.assert_outcomes(passed=1)
    (line,) = (pytester.path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    stored = json.loads(line)
    assert stored["outcome"] == "passed"
    assert stored["canary"]["probes"] == 80
    assert stored["canary"]["rates"]["strategies"][0]["rates"]["leak"]["k"] == 4
    properties = {each.get("name"): each.get("value") for each in ET.parse(pytester.path / "out.xml").iter("property")}  # noqa: S314 - our own file
    assert properties["trail_canary_leak"] == "0.05"
    assert properties["trail_canary_follow"] == "0.95"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("r.assert_leak_rate(max=0)", "expected over 0.0 and below 1.0"),
    ],
)
def test_what_makes_no_sense_is_refused(run, body, said):
    result = run(suite(odd=f"r = trail_canary(app(3), probes(3), **ARMS); {body}"))
    result.assert_outcomes(failed=1)
    assert said in output(result)
