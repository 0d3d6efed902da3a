from trail_callbacks import LocalJudge
from trail_callbacks.claims import Claim
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Question


def localized(text, *sources, **options):
    claim = Claim(id="c1", text=text, quote=text, start=0, end=len(text))
    nodes = [Node(id=f"d{i}", kind="answer", text=source) for i, source in enumerate(sources)]
    question = Question(claim=claim, passages=candidates([claim], nodes, 8)["c1"])
    try:
        next(LocalJudge(**options).assess([question], "localize"))
    except StopIteration as stop:
        return stop.value.judgements[0]


def quotes(judgement):
    return {item.quote for item in judgement.evidence}


def test_other_words_for_most_of_a_claim_state_it():
    found = localized("The old bridge of Halden opened in 1932.", "Summary: in 1932 the Halden bridge was opened.")
    assert str(found.support) == "supported"


def test_a_passage_that_departs_does_not_state_the_claim():
    found = localized("The bridge opened in 1932.", "The bridge opened in 1934.")
    assert str(found.support) == "absent"
    assert found.evidence == ()


def test_the_passage_with_the_right_number_states_it():
    found = localized("The bridge opened in 1932.", "The bridge was repainted in 1962. The bridge opened in 1932.")
    assert quotes(found) == {"The bridge opened in 1932."}


def test_checks_can_be_left_out():
    denied = "The council did not approve the plan."
    assert str(localized("The council approved the plan.", denied).support) == "absent"
    assert str(localized("The council approved the plan.", denied, without=("negation",)).support) == "supported"


def test_a_claim_that_leaves_out_who_said_it_counts_as_stated():
    found = localized("The library is the best.", "According to the mayor, the library is the best.")
    assert str(found.support) == "supported"


def test_a_question_states_nothing():
    assert str(localized("The bridge opened in 1932.", "Did the bridge open in 1932?").support) == "absent"
    assert str(localized("The bridge opened in 1932.").support) == "absent"
