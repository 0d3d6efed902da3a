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


@pytest.mark.parametrize(
    ("name", "small"),
    [
        ("ollama/qwen3:4b", True),
        ("openai/Llama-3.2-1B-Instruct", True),
        ("x/SmolLM2-135M", True),
        ("gemma3n:e4b", True),
        ("openai/gpt-5-mini", False),
        ("ollama/llama3.1", False),
        ("openai/Qwen3-8B", False),
        ("qwen3-30b-a3b", False),
        ("openai/mixtral-8x7b", False),
        ("openai/gpt-4o-2024", False),
    ],
)
def test_a_small_model_is_known_by_its_name_and_asked_in_fewer_words(name, small):
    def reply(call):
        if call.purpose == "claims":
            quotes = ["It is blue", "it is old"]
            return {"claims": [{"quote": q, "claim": f"{q}.", "checkable": True} for q in quotes], "abstained": False}
        asked = [key for key in ("c1", "c2") if f"[{key}]" in call.messages[1].content]
        return {"verdicts": [{"claim": key, "supporting": ["s1"], "support": "supported"} for key in asked]}

    def asked(**settings):
        model = ScriptedModel(reply, name=name)
        report = check("It is blue and it is old.", ["It is blue and it is old."], judge=LLMJudge(model, **settings))
        assert [str(verdict.support) for verdict in report.verdicts] == ["supported"] * 2
        words = sum(len(call.messages[0].content.split()) for call in model.calls if call.purpose == "claims")
        return len(model.calls), words, report.judge

    full, short = asked(profile="full", claims_per_call=8), asked(profile="small")
    assert asked(claims_per_call=8 if not small else None) == (short if small else full)
    assert (full[0], short[0]) == (2, 3)  # one claim a call
    assert short[1] * 2 < full[1]
    assert short[2] != full[2]
    assert asked(profile="small", claims_per_call=8)[0] == 2


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
