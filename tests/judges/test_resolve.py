import pytest

from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.judge import Judge
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.models.call import Model
from trail_callbacks.testing import ScriptedModel


def test_a_judge_stays_and_a_model_is_wrapped():
    model = ScriptedModel([])
    judge = resolve(model)
    assert isinstance(model, Model)
    assert isinstance(judge, Judge)
    assert isinstance(judge, LLMJudge)
    assert judge.model is model
    assert resolve(judge) is judge


@pytest.mark.parametrize("named", [None, "local", " LOCAL "])
def test_nothing_means_the_offline_judge_even_with_keys_in_the_environment(named, monkeypatch):
    local = pytest.importorskip("trail_callbacks.judges.local.judge")
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "TRAIL_JUDGE"):
        monkeypatch.setenv(key, "openai/gpt-5-mini")
    judge = resolve(named)
    assert isinstance(judge, local.LocalJudge)
    assert judge.model is None


def test_a_string_names_provider_and_model(monkeypatch):
    pytest.importorskip("instructor")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    assert resolve("openai/gpt-5-mini").model.name == "openai/gpt-5-mini"
    judge = resolve("openai/some/model", base_url="http://127.0.0.1:9/v1")
    assert judge.model.name == "openai/some/model"


def test_a_string_without_a_key_says_so_without_leaking_one(monkeypatch):
    pytest.importorskip("instructor")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(JudgeError, match=r"openai/gpt-5-mini.*api_key"):
        resolve("openai/gpt-5-mini")


@pytest.mark.parametrize("wrong", ["gpt-5-mini", "", "/x", "openai/", 7, object(), ["openai/gpt-5-mini"]])
def test_anything_else_is_refused_with_what_is_accepted(wrong):
    with pytest.raises(JudgeError, match=r'"local".*provider/model.*as_model'):
        resolve(wrong)


@pytest.mark.parametrize("judge", [None, "local", ScriptedModel([])])
def test_an_endpoint_needs_a_model_to_find_there(judge):
    with pytest.raises(JudgeError, match="base_url"):
        resolve(judge, base_url="http://127.0.0.1:9/v1")
