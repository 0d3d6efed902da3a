"""Verdicts from a language model: what is asked, what is asked again, and what happens when it fails."""

import re

import pytest
from model_answers import (
    SOURCES,
    ask,
    asked_ids,
    assess,
    claim,
    good,
    passages,
    verdict,
)

from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Question
from trail_callbacks.models.call import Failure, Reply
from trail_callbacks.taxonomy import ERRORS, SUPPORT, ErrorType, SupportClass


def test_only_what_is_missing_is_asked_again_and_once():
    judgements, usage, model = ask([{"verdicts": [verdict(1)]}, {"verdicts": [verdict(3)]}, good])
    assert [j.support for j in judgements] == [SupportClass.SUPPORTED, None, SupportClass.SUPPORTED]
    assert judgements[1].error == "invalid: the model skipped this claim"
    assert [asked_ids(call) for call in model.calls] == [["c1", "c2", "c3"], ["c2", "c3"]]
    assert usage.calls == 2


def test_supported_without_a_passage_is_asked_again_then_an_error():
    bare = {"verdicts": [verdict(1), verdict(2, evidence=[]), verdict(3)]}
    judgements, usage, model = ask([bare, {"verdicts": [verdict(2, evidence=["s77"])]}])
    assert judgements[1].support is None
    assert "supported without a passage" in judgements[1].error
    assert usage.calls == 2
    assert "c2: the model called this claim supported without a passage" in model.calls[1].messages[1].content


@pytest.mark.parametrize(
    "failure", [Failure("length", "cut"), Failure("refused", "content filter"), Failure("too_long", "9000 tokens")]
)
def test_a_batch_that_does_not_fit_is_split_in_two(failure):
    def only_small(call):
        return Reply(failure=failure) if len(asked_ids(call)) > 2 else good(call)

    questions = [Question(claim=claim(n), passages=SOURCES) for n in range(1, 9)]
    judgements, _, model = ask(only_small, questions)
    assert {j.support for j in judgements} == {SupportClass.SUPPORTED}
    assert [len(asked_ids(call)) for call in model.calls] == [8, 4, 4, 2, 2, 2, 2]


def test_claims_are_not_divided_where_the_passages_they_share_are_too_long():
    long = passages(*(f"Number {n} holds, as everybody knows who has ever counted so far." for n in range(1, 90)))
    questions = [Question(claim=claim(n), passages=long) for n in range(1, 9)]
    judgements, _, model = ask(lambda call: Reply(failure=Failure("too_long", "9000 tokens")), questions)
    assert {j.error for j in judgements} == {"too_long: 9000 tokens"}
    assert len(model.calls) == 1
    _, _, model = ask(lambda call: Reply(failure=Failure("refused", "no")), questions)
    assert len(model.calls) == 15


def test_calls_about_the_same_sources_begin_alike_and_have_one_schema():
    questions = [Question(claim=claim(n), passages=SOURCES, asked="Which numbers hold?") for n in range(1, 10)]
    _, _, model = ask(good, questions)
    first, second = (call.messages[1].content for call in model.calls)
    sources = first[: first.index("<<<QUESTION")]
    assert "Number 3 does not hold." in sources
    assert second.startswith(sources)
    assert model.calls[0].schema is model.calls[1].schema


def test_what_needs_no_model_is_decided_without_one():
    questions = [
        Question(claim=claim(1, "Hello!", checkable=False), passages=SOURCES),
        Question(claim=claim(2), passages=()),
    ]
    judgements, usage, _ = ask([], questions)
    assert [j.support for j in judgements] == [SupportClass.UNEVALUATABLE, SupportClass.ABSENT]
    assert judgements[1].error_type is ErrorType.OTHER
    assert usage.calls == 0


def test_localize_asks_only_whether_passages_state_the_claim():
    reply = {
        "verdicts": [
            {"claim": "c1", "comparison": "Says so.", "evidence": ["s1"], "stated": True},
            {"claim": "c2", "stated": False},
            {"claim": "c3", "evidence": [], "stated": True},
        ]
    }
    again = {"verdicts": [{"claim": "c3", "comparison": "", "evidence": ["s8"], "stated": True}]}
    judgements, _, model = ask([reply, again], purpose="localize")
    assert [j.support for j in judgements] == [SupportClass.SUPPORTED, SupportClass.ABSENT, None]
    assert judgements[0].evidence[0].quote == "Number 1 holds."
    assert "stated without a passage" in judgements[2].error
    assert {call.purpose for call in model.calls} == {"localize"}
    assert "Whether it is true does not matter" in " ".join(model.calls[0].messages[0].content.split())


def test_one_claim_may_be_asked_about_twice_with_other_passages():
    here, there = (
        passages("Claim number 1 holds.", node="n1"),
        (Passage(id="s9", node_id="n2", start=0, end=4, text="Else"),),
    )
    questions = [Question(claim=claim(1), passages=here), Question(claim=claim(1), passages=there)]
    reply = {"verdicts": [{"claim": "c1", "evidence": ["s1"], "stated": True}, {"claim": "c1.2", "stated": False}]}
    judgements, usage, _ = ask([reply], questions, "localize")
    assert [(j.claim_id, j.support) for j in judgements] == [
        ("c1", SupportClass.SUPPORTED),
        ("c1", SupportClass.ABSENT),
    ]
    assert usage.calls == 1


def test_whether_passages_answer_a_question():
    asked = [Question(claim=claim(1, "Which numbers hold?"), passages=SOURCES)]
    yes = {"verdicts": [{"claim": "c1", "comparison": "Two do.", "evidence": ["s1", "s2"], "stated": True}]}
    no = {"verdicts": [{"claim": "c1", "comparison": "They do not say.", "evidence": ["s1"], "stated": False}]}
    judgements, usage, model = ask([yes], asked, "answerable")
    assert judgements[0].support is SupportClass.SUPPORTED
    assert [e.quote for e in judgements[0].evidence] == ["Number 1 holds.", "Number 2 holds."]
    assert model.calls[0].purpose == "answerable"
    assert "[c1] (candidates: all) Which numbers hold?" in model.calls[0].messages[1].content
    judgements, _, _ = ask([no], asked, "answerable")
    assert (judgements[0].support, judgements[0].evidence) == (SupportClass.ABSENT, ())
    assert usage.calls == 1


def test_definitions_come_from_the_taxonomy_and_the_system_part_never_changes():
    _, _, one = ask([good, good])
    _, _, two = ask(good, [Question(claim=claim(5), passages=SOURCES[:1])])
    system = one.calls[0].messages[0].content
    assert system == two.calls[0].messages[0].content
    for meaning in (*SUPPORT.values(), *ERRORS.values()):
        assert meaning.definition in system
    assert "$" not in re.sub(r"\$\d", "", system)


def test_verdicts_carry_class_type_evidence_and_reason():
    reply = {
        "verdicts": [
            verdict(1, evidence=["s1", "s2"]),
            verdict(2, "absent", [], error_type="other", detail="fabricated_addition"),
            verdict(
                3,
                "contradicted",
                ["s3"],
                error_type="other",
                second_type="reasoning_error",
            ),
        ]
    }
    (one, two, three), usage, _ = ask([reply])
    assert (one.support, one.error_type, one.rationale, one.confidence) == (
        SupportClass.SUPPORTED,
        None,
        "Compared.",
        None,
    )
    assert [(e.node_id, e.start, e.quote, e.relation) for e in one.evidence] == [
        ("doc", 100, "Number 1 holds.", "supports"),
        ("doc", 200, "Number 2 holds.", "supports"),
    ]
    assert (two.support, two.error_type, two.detail, two.evidence) == (
        SupportClass.ABSENT,
        ErrorType.OTHER,
        "fabricated addition",
        (),
    )
    assert three.second_type is ErrorType.REASONING_ERROR
    assert three.evidence[0].relation == "contradicts"
    assert three.rationale == "Compared."
    assert usage.calls == 1


def test_ids_that_do_not_exist_are_dropped_and_counted():
    reply = {
        "verdicts": [
            verdict(1, evidence=["s1", "s99", "[s2]"]),
            verdict(2),
            verdict(3),
            verdict(77),
            {"claim": "answer", "support": "supported", "evidence": ["s1"]},
        ]
    }
    assessment, usage, _ = assess([reply])
    judgements = assessment.judgements
    assert [e.quote for e in judgements[0].evidence] == ["Number 1 holds.", "Number 2 holds."]
    assert assessment.warnings == (
        "2 answers of the model about no claim that was asked, dropped",
        "1 passage id named by the model but no candidate of the claim, dropped",
    )
    assert len(judgements) == 3
    assert usage.calls == 1


def test_a_passage_on_both_sides_is_on_neither():
    reply = {
        "verdicts": [
            verdict(1, supporting=["s1", "s2"], contradicting=["s2"]),
            verdict(2, supporting=["s2"], contradicting=["s2"]),
            verdict(3),
        ]
    }
    judgements, _, model = ask([reply, {"verdicts": [verdict(2)]}])
    assert [e.quote for e in judgements[0].evidence] == ["Number 1 holds."]
    assert asked_ids(model.calls[1]) == ["c2"]


def test_faults_are_kept_for_unsupported_claims_only_short_distinct_and_few():
    said = ["It was red.", "none", "it was red.", "It was tall. " * 60, "Two too many.", "Three too many."]
    reply = {
        "verdicts": [
            verdict(1, faults=["It was red."]),
            verdict(2, "absent", [], faults=said),
            verdict(3, "absent", [], faults={"a": 1}),
        ]
    }
    judgements, _, _ = ask([reply])
    assert judgements[0].faults == judgements[2].faults == ()
    assert judgements[1].faults == ("It was red.",)
    few = ["It was tall. " * 60, "It was red.", "It was old."]
    judgements, _, _ = ask([{"verdicts": [verdict(1), verdict(2, "absent", [], faults=few), verdict(3)]}])
    assert judgements[1].faults[1:] == ("It was red.", "It was old.")
    assert len(judgements[1].faults[0]) <= 300
