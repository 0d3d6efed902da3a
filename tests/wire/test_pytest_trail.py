"""`--trail-judge` in an app's own suite, in its own process, with a model over real HTTP."""

import os
from pathlib import Path

import pytest
from endpoint import error, fair, on, verdict

pytest.importorskip("instructor")
pytest_plugins = "pytester"
pytestmark = pytest.mark.loopback

ROOT = Path(__file__).parents[2]
KEY = "sk-proj-abcdef0123456789SECRET"
TEXT = """
from trail_callbacks import VerifyOptions
ANSWER = "Tram 1 has 10 seats. Tram 2 has 20 seats."
def test_it(trail_check, assert_grounded):
    assert_grounded(trail_check(ANSWER, [ANSWER], options=VerifyOptions(cache="kept")))
"""


@pytest.fixture
def judged(endpoints, pytester, monkeypatch):
    """Runs the suite with a judge that is scripted."""
    paths = [str(ROOT), str(ROOT / "integrations"), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def run(script, *args):
        endpoint = endpoints(script)
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        pytester.makepyfile(TEXT)
        result = pytester.runpytest_subprocess(
            "-p", "pytest_trail.plugin", "-p", "no:cacheprovider", "--trail-judge=openai/m", *args
        )
        assert "SECRET" not in result.stdout.str() + result.stderr.str()
        return result, endpoint

    return run


def turns(*supports):
    """A judge that finds the first claim of each answer so, one check after the other."""
    left = list(supports)

    def said(asked):
        reply = fair(asked)
        first = reply["claims"][0]
        reply["claims"][0] = verdict("", list(asked.passages)[:1], support=left.pop(0)) | {"quote": first["quote"]}
        return reply

    return on("onepass", said)


def test_a_model_that_is_named_judges(judged):
    result, endpoint = judged(fair)
    result.assert_outcomes(passed=1)
    assert endpoint.purposes == {"onepass": 1}


def test_each_repeat_asks_the_model_again_and_most_decide(judged):
    result, endpoint = judged(turns("supported", "contradicted", "supported"), "--trail-repeat=3")
    result.assert_outcomes(passed=1)
    assert endpoint.purposes == {"onepass": 3}
    result.stdout.fnmatch_lines(["pass rate 2 of 3: *::test_it"])


def test_a_model_that_cannot_be_asked_fails_the_test_with_its_reason(judged):
    result, _ = judged(lambda asked: error(401, f"Incorrect API key provided: {KEY}", "invalid_api_key"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: the answer is not known to be grounded*", "*unauthorised*"])
