import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

pytest_plugins = "pytester"

ROOT = Path(__file__).parents[2]
GOOD = 'trail_check("The fleet has 12 ships.", ["The fleet has 12 ships."])'
BAD = 'trail_check("The fleet has 14 ships.", ["The fleet has 12 ships."])'


@pytest.fixture
def run(pytester, monkeypatch):
    """Runs the tests in their own process, as an app's tests run, with this copy of the plugin."""
    inherited = os.environ.get("PYTHONPATH")
    paths = [str(ROOT), str(ROOT / "integrations"), *([inherited] if inherited else [])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))

    def started(text, *args):
        pytester.makepyfile(text)
        return pytester.runpytest_subprocess("-p", "pytest_trail.plugin", "-p", "no:cacheprovider", *args)

    return started


def suite(**bodies):
    return "\n".join(f"def test_{name}(trail_check, assert_grounded):\n    {body}" for name, body in bodies.items())


def test_a_grounded_answer_passes_and_a_made_up_one_fails_with_the_report_in_the_message(run):
    result = run(suite(good=f"assert_grounded({GOOD})", bad=f"assert_grounded({BAD})"))
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: hallucination score 1.00 is over 0.00*", "*14 ships*"])
    result.stdout.fnmatch_lines(["*2 answers checked in 2 tests*"])


def test_the_report_is_shown_when_a_test_fails_for_its_own_reason(run):
    result = run(suite(own=f"{BAD}; assert 1 == 2"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*- trail -*", "*14 ships*"])


def test_an_async_test_checks_too(run):
    result = run(
        """
import pytest
@pytest.mark.asyncio
async def test_it(trail_acheck, assert_grounded):
    assert_grounded(await trail_acheck("The fleet has 12 ships.", ["The fleet has 12 ships."]))
"""
    )
    result.assert_outcomes(passed=1)


def test_the_threshold_is_an_option_and_an_ini_value_and_the_option_wins(run, pytester):
    pytester.makeini("[pytest]\ntrail_max_score = 1.0")
    text = suite(bad=f"assert_grounded({BAD})")
    run(text).assert_outcomes(passed=1)
    run(text, "--trail-max-score=0").assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("option", "named"),
    [
        ("--trail-max-score=2", "*--trail-max-score is 2*"),
        ("--trail-max-score=nan", "*--trail-max-score is nan*"),
        ("--trail-max-score=low", "*--trail-max-score is low*"),
        ("--trail-judge=nonsense", "*--trail-judge: *nonsense*"),
        ("--trail-report=there/is/none.jsonl", "*--trail-report is there/is/none.jsonl*"),
    ],
)
def test_a_bad_option_is_a_usage_error(run, option, named):
    result = run("def test_it(): pass", option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([named])


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_the_file_holds_the_report_of_each_check_from_all_workers(run, pytester, workers):
    bodies = {f"t{n}": GOOD if n % 2 else f"assert_grounded({BAD})" for n in range(4)}
    result = run(suite(**bodies), "--trail-report=out.jsonl", *workers)
    result.assert_outcomes(passed=2, failed=2)
    lines = [json.loads(line) for line in (pytester.path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["test"].split("::")[1], line["outcome"]) for line in lines] == [
        ("test_t0", "failed"),
        ("test_t1", "passed"),
        ("test_t2", "failed"),
        ("test_t3", "passed"),
    ]
    assert [line["report"]["hallucination_score"] for line in lines] == [1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_junit_has_the_score_the_state_and_the_number_of_claims(run, pytester, workers):
    run(suite(good=GOOD), "--junitxml=out.xml", *workers).assert_outcomes(passed=1)
    found = {each.get("name"): each.get("value") for each in ET.parse(pytester.path / "out.xml").iter("property")}  # noqa: S314 - our own file
    assert found == {"trail_score": "0.0", "trail_state": "assessed", "trail_claims": "1"}


def test_a_suite_that_uses_nothing_neither_imports_the_engine_nor_sees_a_summary(run):
    result = run("import sys\ndef test_it(): assert 'trail_callbacks' not in sys.modules")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*trail*checked*")
