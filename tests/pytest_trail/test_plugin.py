import json
import xml.etree.ElementTree as ET

import pytest

pytest_plugins = "pytester"

GOOD = 'trail_check("The fleet has 12 ships.", ["The fleet has 12 ships."])'
BAD = 'trail_check("The fleet has 14 ships.", ["The fleet has 12 ships."])'
ASYNC = ("-p", "pytest_asyncio.plugin", "-o", "asyncio_default_fixture_loop_scope=function")


def suite(**bodies):
    return "\n".join(f"def test_{name}(trail_check, assert_grounded):\n    {body}" for name, body in bodies.items())


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def properties_of(path):
    return {each.get("name"): each.get("value") for each in ET.parse(path).iter("property")}  # noqa: S314 - our own file


def test_a_grounded_answer_passes_and_a_made_up_one_fails_with_the_report_in_the_message(run):
    result = run(suite(good=f"assert_grounded({GOOD})", bad=f"assert_grounded({BAD})"))
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: hallucination score 1.00 is over 0.00*", "*14 ships*"])
    result.stdout.fnmatch_lines(["*2 answers checked in 2 tests*"])
    assert not [line for line in result.outlines if "- trail -" in line]  # the report is not shown twice


def test_the_threshold_is_an_option_and_an_ini_value_and_the_option_wins(run, pytester):
    pytester.makeini("[pytest]\ntrail_max_score = 1.0")
    text = suite(bad=f"assert_grounded({BAD})")
    run(text).assert_outcomes(passed=1)
    run(text, "--trail-max-score=0").assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("option", "named"),
    [
        ("--trail-max-score=nan", "*--trail-max-score is nan*"),
        ("--trail-on-undecided=maybe", "*--trail-on-undecided is maybe, expected pass or fail*"),
        ("--trail-judge=nonsense", "*--trail-judge: *nonsense*"),
        ("--trail-report=there/is/none.jsonl", "*--trail-report is there/is/none.jsonl*"),
        ("--trail-repeat=0", "*--trail-repeat is 0*"),
        ("--trail-baseline=none.json", "*--trail-baseline: *none.json does not exist; --trail-update-baseline*"),
        ("--trail-update-baseline", "*--trail-update-baseline needs the file*"),
    ],
)
def test_a_bad_option_is_a_usage_error(run, option, named):
    result = run("def test_it(): pass", option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([named])


def test_all_workers_report_to_one_place(run_apart, pytester, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "step.md"))
    bodies = {f"t{n}": GOOD if n % 2 else f"assert_grounded({BAD})" for n in range(4)}
    bodies["skipped"] = f"{GOOD}; import pytest; pytest.skip('so')"
    bodies["known"] = f'assert_grounded({BAD}); assert_grounded({GOOD}, allow=["\\ud800 none"])'
    accepted = {"test": "test_all_workers_report_to_one_place.py::test_known", "quote": "The fleet has 14 ships."}
    accepted["outcome"] = "contradicted"
    (pytester.path / "known.json").write_text(json.dumps({"version": 1, "findings": [accepted]}), encoding="utf-8")
    files = ["--trail-report=out.jsonl", "--junitxml=out.xml", "--trail-baseline=known.json"]
    result = run_apart(suite(**bodies), *files, "-n2")
    result.assert_outcomes(passed=3, failed=2, skipped=1)
    lines = lines_of(pytester.path / "out.jsonl")
    assert [
        (line["test"].split("::")[1], line["outcome"], line["report"]["hallucination_score"]) for line in lines
    ] == [
        ("test_known", "passed", 1.0),
        ("test_known", "passed", 0.0),
        ("test_skipped", "skipped", 0.0),
        ("test_t0", "failed", 1.0),
        ("test_t1", "passed", 0.0),
        ("test_t2", "failed", 1.0),
        ("test_t3", "passed", 0.0),
    ]
    assert properties_of(pytester.path / "out.xml")["trail_state_2"] == "assessed"
    assert (pytester.path / "step.md").read_text(encoding="utf-8").count("### Grounding of answers") == 1
    result.stdout.fnmatch_lines(
        ["*7 answers checked in 6 tests*", "*accepted by *known.json: 1 finding", "*allow has *ud800 none*test_known"]
    )


def test_junit_has_the_score_the_state_and_the_number_of_claims_of_each_check(run, pytester):
    run(suite(two=f'{GOOD}; trail_check("Hello!", ["It is 9."])'), "--junitxml=out.xml")
    first = {"trail_score": "0.0", "trail_state": "assessed", "trail_claims": "1"}
    second = {"trail_score_2": "none", "trail_state_2": "no_checkable_claims", "trail_claims_2": "1"}
    assert properties_of(pytester.path / "out.xml") == first | second


# A judge with a model, which reads claims as the offline judge does and judges each as its script says.
VOTING = """
import pytest
from itertools import cycle
from trail_callbacks import LocalJudge, SupportClass, VerifyOptions
from trail_callbacks.judges import Assessment, Judgement
from trail_callbacks.taxonomy import ErrorType
from trail_callbacks.testing import ScriptedModel

class Voting:
    name = "voting/1"
    def __init__(self, said):
        self.model, self.said, self.asked = ScriptedModel([]), cycle(said), 0
    def extract(self, answer, question):
        return LocalJudge().extract(answer, question)
    def assess(self, questions, purpose="verdicts"):
        yield from ()
        if purpose == "verdicts":
            self.asked += 1
        support = next(self.said) if purpose == "verdicts" else "absent"
        wrong = ErrorType.OTHER if support != "supported" else None
        return Assessment(judgements=tuple(
            Judgement(claim_id=each.claim.id, support=SupportClass(support), error_type=wrong) for each in questions))

ASKED = ("The fleet has 12 ships.", ["The fleet has 12 ships."])
"""


def voting(test):
    return VOTING + test


@pytest.mark.parametrize(
    ("said", "outcomes", "shown"),
    [
        (["absent", "supported", "supported"], {"passed": 1}, "pass rate 2 of 3: *::test_it"),
        (["supported", "absent", "contradicted"], {"failed": 1}, "*score 1.00 is over 0.00; 1 of 3 checks pass*"),
        (["supported", "absent"], {"failed": 1}, "*no majority in 2 checks: 1 supported, 1 absent*"),
    ],
)
def test_most_of_the_checks_decide_and_a_tie_fails(run, pytester, said, outcomes, shown):
    n = len(said)
    text = voting(
        f"""
def test_it(trail_check, assert_grounded):
    judge = Voting({said})
    report = trail_check(*ASKED, judge=judge, options=VerifyOptions(cache="kept"))
    assert judge.asked == {n}
    assert_grounded(report)
"""
    )
    result = run(text, f"--trail-repeat={n}", "--junitxml=out.xml")
    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines([shown])
    passing = sum(each == "supported" for each in said)
    assert properties_of(pytester.path / "out.xml")["trail_pass_rate"] == str(round(passing / n, 4))


def test_a_judge_without_a_model_is_asked_once_and_that_is_said(run):
    result = run(
        suite(good=f"report = {GOOD}; assert_grounded(report); assert not report.warnings"), "--trail-repeat=3"
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["1 check made once: a judge without a model says the same each time"])


def test_a_suite_that_uses_nothing_neither_imports_the_engine_nor_sees_a_summary(run_apart):
    result = run_apart("import sys\ndef test_it(): assert 'trail_callbacks' not in sys.modules")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*trail*checked*")
