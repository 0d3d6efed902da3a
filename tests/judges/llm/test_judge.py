"""The model judge as a whole: what a typical verification costs, and its settings."""

import re

import pytest
from model_answers import good, passages

from trail_callbacks import check
from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.judge import Judge, Question
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.models.drive import drive
from trail_callbacks.models.tokens import count
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.testing import ScriptedModel


def test_a_typical_answer_of_eight_claims_over_ten_passages_takes_two_calls():
    answer = " ".join(f"Statement {n} is made here." for n in range(1, 9))
    listed = {
        "claims": [{"quote": f"Statement {n} is made here", "claim": f"Statement {n} is made."} for n in range(1, 9)]
    }
    model = ScriptedModel({"claims": [listed], "verdicts": good})
    judge = LLMJudge(model)
    extraction, first = drive(judge.extract(answer, None), judge.model)
    sources = passages(*(f"Statement {n} is made." for n in range(1, 11)))
    assessment, second = drive(
        judge.assess([Question(claim=c, passages=sources) for c in extraction.claims]), judge.model
    )
    assert len(assessment.judgements) == 8
    assert {j.support for j in assessment.judgements} == {SupportClass.SUPPORTED}
    assert first.calls + second.calls == 2
    assert model.calls[1].messages[1].content.count("Statement 10 is made.") == 1  # the context is read once


def test_a_typical_verification_reads_little_more_than_its_sources_once():
    facts = ["opened in {}", "carries {} cars a day", "has {} lamps along both sides", "was painted by {} workers"]
    places = ["Alden", "Borre", "Carvik", "Dalen", "Ekeby", "Fosse", "Granli", "Halden", "Innset", "Jevne"]

    def fact(place, k):
        said = facts[k % 4].format(1000 + 37 * k + len(place))
        return f"According to the yearbook, the {place} bridge {said}, and its {k}th pier needs care."

    texts = [" ".join(fact(place, k) for k in range(12))[:1000] for place in places]
    claims = [fact(place, n) for n, place in enumerate(places[:8], 1)]
    answer = " ".join(claims)
    model = ScriptedModel({"claims": [{"claims": [{"quote": c, "claim": c} for c in claims]}], "verdicts": good})
    report = check(answer, texts, "What is known about the bridges?", LLMJudge(model))
    assert report.usage.calls == len(model.calls) == 2
    assert len(report.verdicts) == 8
    read = sum(count(message.content) for call in model.calls for message in call.messages)
    systems = sum(count(call.messages[0].content) for call in model.calls)
    assert read <= 1.3 * (sum(map(count, texts)) + count(answer) + systems)
    assert all(sentence in model.calls[1].messages[1].content for text in texts for sentence in text.split(". ")[:-1])


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
