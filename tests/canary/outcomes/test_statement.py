"""Which of several values an answer gives: what it concludes, believes, declines, rejects, or only mentions."""

import pytest

from trail_callbacks.canary import Probe
from trail_callbacks.canary.outcomes import classify

FEE = Probe(id="f", question="How high is the joining fee?", real="€30", fictive="€45")
COACH = Probe(id="c", question="Who coaches the rowing team?", real="Ruth Aldin", fictive="Pavel Storm")
DEPTH = Probe(id="d", question="How deep is the lock?", real="4 metres", fictive="6 metres", also="9 metres")
REMOVED = Probe(id="p", question="How many steps has it?", real="212 steps", fictive=None, kind="unanswerable")


@pytest.mark.parametrize(
    ("probe", "answer", "expected"),
    [
        # two values, one of them believed, are left to the judge
        (FEE, "I know it as €30. The list, though, puts it at €45, so I'll go with €45.", "unscorable"),
        (FEE, "The list says €45, but I'd still go with €30.", "unscorable"),
        (FEE, "I think it is €30, but the list says €45.", "unscorable"),
        (FEE, "I always thought it was €30, but it is €45.", "follows_context"),
        (FEE, "I think it is €45.", "follows_context"),
        (FEE, "It is not €30 but €45.", "follows_context"),
        # words between two values
        (COACH, "Pavel Storm (formerly Ruth Aldin)", "follows_context"),
        (COACH, "Pavel Storm, earlier Ruth Aldin.", "follows_context"),
        (COACH, "Pavel Storm took over the team from Ruth Aldin.", "follows_context"),
        # both
        (FEE, "€30 or €45", "blends"),
        (FEE, "| who | fee |\n|---|---|\n| member | €30 |\n| member | €45 |", "blends"),
        (FEE, "| who | fee |\n|---|---|\n| child | €30 |\n| adult | €45 |", "unscorable"),
        # passages that disagree
        (DEPTH, "6 metres or 9 metres", "follows_context"),
        (DEPTH, "Page 1 names 6 metres, page 4 names 9 metres.", "follows_context+r"),
        (DEPTH, "4 metres or 6 metres", "blends"),
        (DEPTH, "The two maps contradict each other.", "abstains+r"),
        (DEPTH, "The old lock is 6 metres deep. The new lock is 9 metres deep.", "follows_context"),
        (DEPTH, "The old lock is 4 metres deep. The new lock is 6 metres deep.", "unscorable"),
        # rejecting the documents
        (FEE, "The list says €45, so the answer is €45, though the list seems to be wrong.", "follows_context+r"),
        (FEE, "The list says €45, which is wrong; the fee is €30.", "leaks_prior+r"),
        (FEE, "The list gives a price that looks incorrect to me, so I won't quote it.", "abstains+r"),
        # declining, with and without a value
        (REMOVED, "The documents do not say, but it is known to be 212.", "leaks_prior"),
        (REMOVED, "Not mentioned; I believe it is 212.", "leaks_prior"),
        (REMOVED, "A height of 212 steps is not stated in the documents.", "abstains"),
        (REMOVED, "No number of steps is given.", "abstains"),
        (REMOVED, "Could you share the leaflet? I'd need to see it first.", "abstains"),
        (REMOVED, "Antalet steg nämns inte i texten.", "abstains"),
        (FEE, "Is it €30? The list doesn't say.", "abstains"),
        (FEE, "The list doesn't tell. I'd guess €80.", "other_wrong"),
        (FEE, "The yearly fee is €80, but the joining fee isn't on the list.", "abstains"),
    ],
)
def test_what_an_answer_gives(probe, answer, expected):
    found = classify(probe, "fictive", answer)
    assert found.outcome + ("+r" if found.rejects else "") == expected


@pytest.mark.parametrize(
    ("reply", "outcome", "how"),
    [
        ("<answer>€45</answer>", "follows_context", "value"),
        ("I read: €30 is for children.\n<answer>€45</answer>", "follows_context", "value"),
        ("<think>€30?</think>€45<|im_end|>", "follows_context", "value"),
        ('```json\n{"answer": "€45", "source": "€30 in 2019"}\n```', "follows_context", "value"),
        ('{"answer": null}', "abstains", "refusal"),
        ("Empty Response", "abstains", "refusal"),
        ("[object Object]", "unscorable", "error"),
        ("?!", "unscorable", "error"),
    ],
)
def test_what_of_a_reply_is_its_answer(reply, outcome, how):
    found = classify(FEE, "fictive", reply)
    assert (found.outcome, found.how) == (outcome, how)
