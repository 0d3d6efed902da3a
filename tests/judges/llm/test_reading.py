"""What of a reply counts as a verdict: ids, labels and lists are checked, and what is dropped is counted."""

from model_answers import (
    ask,
    asked_ids,
    assess,
    verdict,
)

from trail_callbacks.taxonomy import ErrorType, SupportClass


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
