import pytest

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.judges import Judgement, Question
from trail_callbacks.judges.judge import matched
from trail_callbacks.taxonomy import SupportClass


def questions(*ids):
    claims = [Claim(id=id_, text="It rains.", quote="It rains.", start=0, end=9) for id_ in ids]
    return [Question(claim=claim, passages=()) for claim in claims]


def judgement(id_, rationale=""):
    return Judgement(claim_id=id_, support=SupportClass.ABSENT, rationale=rationale)


@pytest.mark.parametrize(
    ("asked", "given", "kept"),
    [
        (["c1", "c2"], ["c1", "c2"], ["c1", "c2"]),
        (["c1", "c2"], ["c2", "c1"], ["c1", "c2"]),
        (["c1", "c2"], ["c2"], [None, "c2"]),
        (["c1", "c2"], ["c2", "c9", "c1"], ["c1", "c2"]),
        (["c1"], ["c1", "c9"], ["c1"]),
        (["c1", "c2"], ["c2", "c2", "c1"], ["c1", None]),
        (["c1", "c1"], ["c1", "c1"], ["c1", "c1"]),
        (["c1", "c1"], ["c1"], [None, None]),
        ([], ["c1"], []),
    ],
)
def test_each_question_gets_its_own_judgement_or_an_error(asked, given, kept):
    judgements = matched(questions(*asked), [judgement(id_) for id_ in given])
    assert [one.claim_id for one in judgements] == asked
    assert [one.claim_id if one.error is None else None for one in judgements] == kept


@pytest.mark.parametrize(
    ("support", "relations", "conflicting"),
    [
        ("supported", ["supports", "contradicts"], True),
        ("supported", ["supports"], False),
        ("contradicted", ["contradicts"], False),
    ],
)
def test_passages_disagree_where_a_supported_claim_is_contradicted_too(support, relations, conflicting):
    evidence = tuple(Evidence(node_id="d", start=0, end=1, quote="I", relation=relation) for relation in relations)
    assert Judgement(claim_id="c1", support=SupportClass(support), evidence=evidence).conflicting is conflicting
