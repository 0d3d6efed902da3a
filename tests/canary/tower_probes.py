"""Probes, and a stand-in for the judgement of their answers, for tests of what asks them."""

from trail_callbacks.canary import Answered, Finding, Probe
from trail_callbacks.canary.runs import run as running


def probes(n, **more):
    """Probes p0, p1, ..: the tower is so many metres high."""
    return [
        Probe(
            id=f"p{i}",
            question=f"How high is tower {i}?",
            real=f"{100 + i} m",
            fictive=f"{500 + i} m",
            real_quote=f"Tower {i} is {100 + i} m high.",
            fictive_quote=f"Tower {i} is {500 + i} m high.",
            **more,
        )
        for i in range(n)
    ]


def answer(ask):
    """The height that the context of the arm states."""
    i = int(ask.probe[1:])
    return f"{(500 if ask.arm == 'fictive' else 100) + i} m"


def served(ask):
    """The same, with the passage."""
    return Answered(text=answer(ask), passages=[f"Well.  Tower {ask.probe[1:]} is\n{answer(ask)} high. Yes."])


def classify(probe, arm, answer, /, *, served=None):
    if served is False:
        return Finding(outcome="retrieval_miss", how="retrieval")
    if answer == probe.fictive:
        return Finding(outcome="follows_context", how="value", states=("fictive",))
    if answer == probe.real:
        return Finding(outcome="leaks_prior" if arm != "real" else "follows_context", how="value", states=("real",))
    return Finding(outcome="unscorable", how="undecided", reason="no height")


def decide(answers):
    """Asks about each answer that is none of the heights, in a call of its own."""
    from pydantic import BaseModel

    from trail_callbacks.models import Call, Message

    class Abstains(BaseModel):
        abstains: bool

    found = [classify(each.probe, each.arm, each.answer, served=each.served) for each in answers]
    places = [n for n, each in enumerate(found) if each.how == "undecided"]
    if places:
        calls = [
            Call(messages=(Message("user", answers[n].answer),), schema=Abstains, purpose="canary") for n in places
        ]
        for n, reply in zip(places, (yield calls), strict=True):
            if reply.value is not None:
                outcome = "abstains" if reply.value.abstains else "other_wrong"
                found[n] = Finding(outcome=outcome, how="judge")
            else:
                found[n] = Finding(outcome="unscorable", how="undecided", reason=f"the judge failed: {reply.failure}")
    return found


def judge_by_words():
    """Has all runs of this process judged so."""
    running.classify, running.decide_all = classify, decide
