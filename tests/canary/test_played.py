"""A played model reads what it is given, and its memory slips in as often as it was told to."""

import pytest

from trail_callbacks.canary import ARMS, Ask, Probe, Strategy
from trail_callbacks.canary.played import Played


def probe(n=0, **changed):
    given = {
        "id": f"p{n}",
        "question": f"How long does round trip number {n} take?",
        "real": f"{n + 200} minutes",
        "fictive": f"{n + 2300} minutes",
        "real_quote": f"Round trip number {n} takes {n + 200} minutes.",
        "fictive_quote": f"Round trip number {n} takes {n + 2300} minutes.",
        "kind": "number",
    }
    return Probe(**(given | changed))


PROBES = [probe(n) for n in range(1000)]


def says(answer, value):
    return value in answer


def share(flags):
    flags = list(flags)
    return sum(flags) / len(flags)


@pytest.mark.parametrize("leak", [0.1, 0.5])
def test_it_leaks_as_often_as_it_was_told_of_what_it_knows_and_never_otherwise(leak):
    played = Played(PROBES, leak=leak, knows=0.8)
    leaked = {each.id: says(played.answer(each, [each.fictive_quote]), each.real) for each in PROBES}
    known = [leaked[each.id] for each in PROBES if played.knows(each)]
    assert share(known) == pytest.approx(leak, abs=0.05)
    assert len(known) / len(PROBES) == pytest.approx(0.8, abs=0.04)
    assert not any(leaked[each.id] for each in PROBES if not played.knows(each))


def test_a_fact_is_read_from_a_page_and_from_a_part_of_its_sentence_and_not_from_its_value_alone():
    asked = probe(
        fictive="310 pounds",
        fictive_quote="The society bought the oldest boat of its fleet in 1966 for 310 pounds from a gravel merchant.",
    )
    played = Played([asked])
    page = "<p>The society bought the <b>oldest boat</b>\nof its fleet in 1966 for 310&nbsp;pounds from a gravel merchant.</p>"
    assert says(played.answer(asked, [page.replace("&nbsp;", " ")]), "310") or "bought" in played.answer(asked, [page])
    part = "bought the oldest boat of its fleet in 1966 for 310 pounds from a gr"
    assert "310 pounds" in played.answer(asked, [part])
    assert "310" not in played.answer(asked, ["A new mast cost 310 pounds."])


def test_as_an_app_it_says_what_it_was_served():
    strategy = Strategy("one")
    served = []

    def retrieve(ask):
        served.append(ask.arm)
        return {"fictive": [PROBES[3].fictive_quote], "real": [PROBES[3].real_quote], "empty": []}[ask.arm]

    app = Played(PROBES, knows=1.0).app(retrieve)
    got = {arm: app(Ask(probe="p3", question=PROBES[3].question, arm=arm, strategy=strategy)) for arm in ARMS}
    assert served == [arm for arm in ARMS if arm != "closed_book"]
    assert got["closed_book"].passages is None
    assert got["fictive"].passages == (PROBES[3].fictive_quote,)
    assert says(got["fictive"].text, PROBES[3].fictive)
    assert says(got["closed_book"].text, PROBES[3].real)
