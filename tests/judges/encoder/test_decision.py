import pytest

from trail_callbacks.evidence import Passage
from trail_callbacks.judges.encoder.inference import Grounding
from trail_callbacks.judges.encoder.verdicts import Thresholds, decide
from trail_callbacks.taxonomy import ErrorType, SupportClass

LINES = Thresholds(support=0.5, margin=0.1)
CLAIM = "The ferry takes 40 minutes."


def sentence(text, start=0, before=""):
    return Passage(id=f"s{start}", node_id="d1", start=start, end=start + len(text), text=text, before=before)


FOR, AGAINST = sentence("The ferry takes 40 minutes."), sentence("The ferry takes 53 minutes.", 50)


def decided(*readings, text=CLAIM, told=True, lines=LINES):
    return decide("c1", [(text, reading) for reading in readings], lines, contradictions=told)


def reading(support, against=None, **more):
    return Grounding(support=support, against=against, supporting=FOR, opposing=AGAINST, read=1, chunks=1, **more)


@pytest.mark.parametrize(
    ("support", "against", "expected"),
    [
        (0.97, None, "supported"),
        (0.60, None, "supported"),
        (0.59, None, None),
        (0.50, None, None),
        (0.41, None, None),
        (0.40, None, "absent"),
        (0.02, None, "absent"),
        (0.02, 0.95, "contradicted"),
        (0.02, 0.80, "contradicted"),
        (0.02, 0.79, "absent"),
        (0.50, 0.95, "contradicted"),
        (0.96, 0.95, "supported"),
        (0.90, 0.95, "contradicted"),
    ],
)
def test_classes(support, against, expected):
    judgement = decided(reading(support, against))
    assert judgement.support == expected
    assert (judgement.undecided is not None) == (expected is None)
    assert judgement.error is None
    assert judgement.confidence is None
    assert (judgement.error_type is ErrorType.OTHER) == (expected in {"absent", "contradicted"})


def test_a_claim_of_several_sentences_is_as_good_as_its_worst():
    good, bad, denied, open_ = reading(0.9), reading(0.1), reading(0.1, 0.9), reading(0.5)
    assert decided(good, good).support is SupportClass.SUPPORTED
    assert decided(good, bad).support is SupportClass.PARTIALLY_SUPPORTED
    assert decided(bad, bad).support is SupportClass.ABSENT
    assert decided(good, denied).support is SupportClass.CONTRADICTED
    assert decided(good, open_).undecided
    parts = [("It floats.", good), ("It flies.", bad)]
    assert decide("c1", parts, LINES, contradictions=False).faults == ("It flies.",)


@pytest.mark.parametrize(
    ("text", "unbacked", "share", "expected"),
    [
        ("The ferry takes 40 minutes and is famous.", ("famous.",), 0.2, "partially_supported"),
        ("The ferry takes 40 minutes and is famous.", ("40",), 0.06, "absent"),  # a number is no minor part
        ("The ferry to Fern Island is small.", ("Fern Island",), 0.4, "absent"),  # nor is a name
        ("Sadly the ferry takes 40 minutes.", ("Sadly",), 0.18, "partially_supported"),  # a capital at the head is none
        ("The ferry takes passengers to town.", ("ferry takes passengers to town.",), 0.9, "absent"),
    ],
)
def test_few_unbacked_words_leave_a_claim_partly_supported(text, unbacked, share, expected):
    judgement = decided(Grounding(support=0.1, supporting=FOR, unbacked=unbacked, share=share), text=text, told=False)
    assert judgement.support == expected
    assert repr(unbacked[0]) in judgement.rationale
    assert [item.relation for item in judgement.evidence] == (["supports"] if expected != "absent" else [])
