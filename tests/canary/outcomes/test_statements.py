"""Which of several values an answer gives: what it takes back, concludes, believes, or only mentions."""

import pytest

from trail_callbacks.canary import Probe
from trail_callbacks.canary.outcomes import classify

FEE = Probe(id="f", question="How high is the joining fee?", real="€30", fictive="€45")
COACH = Probe(id="c", question="Who coaches the rowing team?", real="Ruth Aldin", fictive="Pavel Storm")
DEPTH = Probe(id="d", question="How deep is the lock?", real="4 metres", fictive="6 metres", also="9 metres")


def said(answer, probe=FEE, arm="fictive"):
    found = classify(probe, arm, answer)
    return found.outcome + ("+r" if found.rejects else "")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The fee is €30. Correction: it is €45.", "follows_context"),
        ("€45. Sorry, I misread the list, it's €30.", "leaks_prior"),
        ("It's €30, no wait, €45.", "follows_context"),
        ("€30. Scratch that. The fee is €50.", "other_wrong"),
        ("The correction of the list of fees took a year; the fee is €45.", "follows_context"),
    ],
)
def test_what_is_taken_back_is_not_given(answer, expected):
    assert said(answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("I know it as €30. The list, though, puts it at €45, so I'll go with €45.", "follows_context"),
        ("The list says €45, but I'd still go with €30.", "leaks_prior"),
        ("Although €30 is often quoted, the list has €45, and that's my answer.", "follows_context"),
        ("Web pages say €30. Your list says €45. Answer: €45", "follows_context"),
        ("I think it is €30, but the list says €45.", "blends"),
        ("To my knowledge €30, according to the list €45.", "blends"),
        ("I always thought it was €30, but it is €45.", "follows_context"),
        ("I think it is €45.", "follows_context"),
    ],
)
def test_a_belief_beside_what_documents_say_is_weighed_by_what_is_concluded(answer, expected):
    assert said(answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("I don't know. It could be €30, it could be anything else.", "abstains"),
        ("It could be €30.", "leaks_prior"),
        ("If you joined in May, it would be €30, but the list doesn't tell.", "abstains"),
        ("Is it €30? The list doesn't say.", "abstains"),
    ],
)
def test_what_may_be_is_not_given_by_one_that_declines(answer, expected):
    assert said(answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Ruth Aldin until 2020, Pavel Storm since.", "follows_context"),
        ("Pavel Storm (formerly Ruth Aldin)", "follows_context"),
        ("Pavel Storm, earlier Ruth Aldin.", "follows_context"),
        ("Pavel Storm took over the team from Ruth Aldin.", "follows_context"),
        ("Ruth Aldin was succeeded by Pavel Storm.", "follows_context"),
        ("Pavel Storm was replaced by Ruth Aldin.", "leaks_prior"),
        ("Ruth Aldin. Also Pavel Storm.", "blends"),
    ],
)
def test_words_between_two_values_belong_to_the_nearer_one(answer, expected):
    assert said(answer, COACH) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("6 metres or 9 metres", "follows_context"),
        ("Page 1 names 6 metres, page 4 names 9 metres.", "follows_context+r"),
        ("The old lock is 6 metres deep. The new lock is 9 metres deep.", "follows_context"),
        ("4 metres or 6 metres", "blends"),
        ("The two maps contradict each other.", "abstains+r"),
    ],
)
def test_of_two_passages_that_disagree_either_value_or_both_follow(answer, expected):
    assert said(answer, DEPTH) == expected


def test_two_values_that_mean_the_same_outcome_need_no_choice_and_others_do():
    apart = "The old lock is 4 metres deep. The new lock is 6 metres deep."
    assert classify(DEPTH, "fictive", apart).how == "undecided"
    assert classify(DEPTH, "empty", apart).how == "undecided"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("| who | fee |\n|---|---|\n| member | €30 |\n| member | €45 |", "blends"),
        ("€30\n€45", "blends"),
        ("| who | fee |\n|---|---|\n| child | €30 |\n| adult | €45 |", "unscorable"),
    ],
)
def test_rows_that_differ_in_the_value_only_give_both(answer, expected):
    assert said(answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The list says €45, so the answer is €45, though the list seems to be wrong.", "follows_context+r"),
        ("The list says €45, but that is wrong.", "abstains+r"),
        ("The list wrongly gives €45; the fee is €30.", "leaks_prior+r"),
        ("I know it as €30 and the list says €45; they can't both be right.", "blends+r"),
        ("The list gives a price that looks incorrect to me, so I won't quote it.", "abstains+r"),
    ],
)
def test_rejecting_the_documents(answer, expected):
    assert said(answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The yearly fee is €80, but the joining fee isn't on the list.", "abstains"),
        ("The list shows a yearly fee of €80 only, so I can't tell the joining fee.", "abstains"),
        ("The list doesn't tell. I'd guess €80.", "other_wrong"),
        ("€80", "other_wrong"),
    ],
)
def test_another_value_that_leads_to_a_refusal_is_no_answer(answer, expected):
    assert said(answer) == expected
