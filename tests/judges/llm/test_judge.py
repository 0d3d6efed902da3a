"""The model judge as a whole: what a typical verification costs, and its settings."""

import re

import pytest

from trail_callbacks import VerifyOptions, check
from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.judge import Judge
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.models.call import Usage
from trail_callbacks.testing import ScriptedModel


def test_name_tells_model_and_prompts():
    judge = LLMJudge(ScriptedModel([], name="acme/one"))
    assert isinstance(judge, Judge)
    assert re.fullmatch(r"llm/acme/one/[0-9a-f]{8}", judge.name)


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (ScriptedModel([]), {"claims_per_call": 0}),
        (ScriptedModel([]), {"api_key": "x"}),
        (ScriptedModel([]), {"base_url": "http://x"}),
        (42, {}),
        (ScriptedModel, {}),
    ],
)
def test_wrong_settings_are_refused(model, options):
    with pytest.raises(JudgeError):
        LLMJudge(model, **options)


ANSWER = "The harbour is blue."
LONG = " ".join(f"Berth {n} is let to a boat from the north side of the harbour." for n in range(400))


def report(prompt_tokens, source=LONG, calls=1):
    def reply(call):
        if call.purpose == "claims":
            return {"claims": [{"quote": ANSWER, "claim": ANSWER, "checkable": True}], "abstained": False}
        return {"verdicts": [{"claim": "c1", "support": "absent", "comparison": "Silent.", "error_type": "other"}]}

    model = ScriptedModel(reply, usage=Usage(calls=calls, prompt_tokens=prompt_tokens))
    return check(ANSWER, [source], judge=LLMJudge(model), options=VerifyOptions(localize=False))


def cut(report):
    return [warning for warning in report.warnings if "context window" in warning]


@pytest.mark.parametrize(("read", "warned"), [(2048, True), (4096, False), (6000, False), (0, False)])
def test_a_count_far_below_what_was_sent_is_a_warning(read, warned):
    small = " ".join(LONG.split()[:3000])
    assert bool(cut(report(read, small))) is warned


def test_retries_are_counted_apart_and_short_prompts_not_at_all():
    small = " ".join(LONG.split()[:3000])
    assert cut(report(9000, small, calls=3)) == []
    assert cut(report(4500, small, calls=3)) != []
    assert cut(report(10, "The harbour is red.")) == []
