"""What of a reply counts as a verdict: ids, labels and lists are checked, and what is dropped is counted."""

import json
from dataclasses import replace

from model_answers import (
    SOURCES,
    ask,
    asked_ids,
    assess,
    claim,
    good,
    verdict,
)

from trail_callbacks.judges.judge import Question
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass


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


def test_a_detail_is_one_of_a_list_and_stands_under_the_type_other():
    def wrong(n, error_type, detail):
        return verdict(n, "absent", [], error_type=error_type, detail=detail)

    reply = {
        "verdicts": [
            wrong(1, "other", "Negation flip"),
            wrong(2, "number", "negation_flip"),
            wrong(3, "other", "it is red"),
        ]
    }
    judgements, _, _ = ask([reply])
    assert [j.detail for j in judgements] == ["negation flip", None, None]


def test_a_supported_claim_costs_class_and_ids():
    bare = [{"claim": f"c{n}", "supporting": ["s1"], "support": "supported"} for n in (1, 2, 3)]
    judgements, usage, model = ask([{"verdicts": bare}])
    assert [j.support for j in judgements] == [SupportClass.SUPPORTED] * 3
    assert usage.calls == 1
    item = model.calls[0].schema.model_json_schema()["$defs"]["VerdictItem"]
    assert set(bare[0]) == {*item["required"], "supporting"}


def test_types_exist_exactly_for_unsupported_claims():
    reply = {
        "verdicts": [
            verdict(1, "supported", error_type="number", second_type="entity", detail="x"),
            verdict(2, "Partially-Supported", ["s2"], error_type="none", second_type="other"),
            verdict(3, "unevaluatable", [], error_type="temporal"),
        ]
    }
    judgements, _, _ = ask([reply])
    assert [j.error_type for j in judgements] == [None, ErrorType.OTHER, None]
    assert [j.second_type for j in judgements] == [None, None, None]
    assert all((j.error_type is not None) == (j.support in UNSUPPORTED) for j in judgements)


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
    assert "1 passage id named that was no candidate" in judgements[0].rationale
    assert assessment.warnings == (
        "2 answers of the model about no claim that was asked, dropped",
        "1 passage id named by the model but no candidate of the claim, dropped",
    )
    assert len(judgements) == 3
    assert usage.calls == 1


def test_a_passage_only_counts_for_the_claim_it_was_given_for():
    mine, other = SOURCES[:1], SOURCES[1:]
    questions = [Question(claim=claim(1), passages=mine), Question(claim=claim(2), passages=other)]
    reply = {"verdicts": [verdict(1, evidence=["s2"]), verdict(2, evidence=["s2"])]}
    again = {"verdicts": [verdict(1, "absent", [])]}
    judgements, usage, model = ask([reply, again], questions)
    assert [j.support for j in judgements] == [SupportClass.ABSENT, SupportClass.SUPPORTED]
    assert usage.calls == 2
    assert asked_ids(model.calls[1]) == ["c1"]


def test_ids_written_with_other_case_or_an_address_are_understood():
    rows = tuple(replace(p, address=f"row {i}") for i, p in enumerate(SOURCES, 1))
    reply = {"verdicts": [{**verdict(1), "claim": "[C1]", "supporting": ["S1", "s2 (row 2)", "[s3] (row 3)", "s1"]}]}
    result, usage, model = assess([reply], [Question(claim=claim(1), passages=rows)])
    assert [e.quote for e in result.judgements[0].evidence] == [p.text for p in rows]
    assert result.warnings == ()
    assert "[s2] (row 2) Number 2 holds." in model.calls[0].messages[1].content
    assert usage.calls == 1


def test_answers_keyed_by_claim_id_are_read_and_those_in_order_only_are_not():
    keyed = {"verdicts": {f"c{n}": {k: v for k, v in verdict(n).items() if k != "claim"} for n in (1, 2, 3)}}
    judgements, usage, _ = ask([keyed])
    assert [j.support for j in judgements] == [SupportClass.SUPPORTED] * 3
    assert usage.calls == 1
    unkeyed = {"verdicts": [{k: v for k, v in verdict(n).items() if k != "claim"} for n in (1, 2, 3)]}
    judgements, usage, _ = ask([unkeyed, unkeyed])
    assert [j.support for j in judgements] == [None] * 3
    assert usage.calls == 2


def test_ten_thousand_answers_are_read_in_time_and_the_asked_ones_found():
    flood = [verdict(n) for n in range(4, 10_004)]
    result, usage, _ = assess([{"verdicts": [*flood, verdict(1), verdict(2), verdict(3), *[verdict(1)] * 7]}])
    assert [j.support for j in result.judgements] == [SupportClass.SUPPORTED] * 3
    assert result.warnings == (
        "10000 answers of the model about no claim that was asked, dropped",
        "7 answers of the model about a claim already answered, dropped",
    )
    assert usage.calls == 1


def test_numbers_that_are_none_spoil_only_their_own_item():
    text = json.dumps({"verdicts": [verdict(1, confidence=float("nan")), verdict(2, comparison=float("nan"))]})
    text = text[:-2] + ', {"claim": NaN, "support": NaN}, ' + json.dumps(verdict(3)) + "]}"
    result, usage, _ = assess([text])
    assert [j.support for j in result.judgements] == [SupportClass.SUPPORTED] * 3
    assert result.warnings == ("1 answer of the model about no claim that was asked, dropped",)
    assert usage.calls == 1


def test_sources_that_disagree_are_both_returned():
    reply = {"verdicts": [verdict(1, supporting=["s1"], contradicting=["s3", "s2"]), verdict(2), verdict(3)]}
    judgements, _, _ = ask([reply])
    assert judgements[0].support is SupportClass.SUPPORTED
    assert [(e.quote, e.relation) for e in judgements[0].evidence] == [
        ("Number 1 holds.", "supports"),
        ("Number 3 does not hold.", "contradicts"),
        ("Number 2 holds.", "contradicts"),
    ]


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
    assert "s2: named both for and against" in judgements[0].rationale
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


def test_two_different_classes_for_one_claim_are_no_answer():
    reply = {"verdicts": [verdict(1), verdict(1, "absent", []), verdict(2), verdict(2), verdict(3)]}
    judgements, _, model = ask([reply, good])
    assert asked_ids(model.calls[1]) == ["c1"]
    assert judgements[0].support is SupportClass.SUPPORTED


def test_a_class_that_does_not_exist_is_no_answer():
    judgements, _, _ = ask(
        [{"verdicts": [verdict(1, "true"), verdict(2), verdict(3)]}, {"verdicts": [verdict(1, "maybe")]}]
    )
    assert judgements[0].error == "invalid: the model gave a class that does not exist"
