"""Claims that only a model's own words state, when those come back as a tool's result, a document or an instruction."""

import time

import pytest

from trail_callbacks import Edge, Node, ProvenanceGraph, verify

INVENTED = "The ferry takes 53 minutes."
HARBOUR = "The harbour lies in the north. It was dredged in 1970."


def checked(answer, *nodes):
    nodes = (*nodes, Node(id="answer", kind="answer", text=answer))
    edges = tuple(Edge(source=node.id, target="answer") for node in nodes[:-1])
    return verify(ProvenanceGraph(nodes=nodes, edges=edges))


def named(report):
    return [warning for warning in report.warnings if "stated only in what a model" in warning]


KNOWN = Node(id="d1", kind="document", text=HARBOUR)


@pytest.mark.parametrize("kind", ["tool_result", "document", "instruction"])
@pytest.mark.parametrize(
    ("text", "details", "who"),
    [
        (INVENTED, {"origin": "model"}, "wrote"),
        (f"Noted: {INVENTED} Thank you for the note.", {"model_spans": ((7, 34),)}, "wrote"),
        (INVENTED, {"origin": "unknown"}, "may have written"),
    ],
)
def test_the_verdict_says_that_only_a_model_states_it_and_a_warning_names_the_text(kind, text, details, who):
    report = checked(INVENTED, KNOWN, Node(id="t1", kind=kind, text=text, step="note", **details))
    (verdict,) = report.verdicts
    assert verdict.support is None
    assert verdict.undecided.startswith(f"Only a text that a model {who} states it (t1).")
    hint = "" if who == "wrote" else ". If it is a source, name its input in sources="
    assert named(report) == [
        f"stated only in what a model {who}, which is not evidence: c1 in t1 (step note): {INVENTED!r}{hint}"
    ]


def test_the_same_is_said_of_a_claim_that_the_judge_flags():
    invented = "The harbour was dredged in 1970 by Quixodoro Vexx."
    report = checked(invented, KNOWN, Node(id="t1", kind="tool_result", text=invented, step="note", origin="model"))
    (verdict,) = report.verdicts
    assert verdict.support == "absent"
    assert verdict.rationale.startswith("Only a text that a model wrote states it (t1).")
    assert named(report) == [
        f"stated only in what a model wrote, which is not evidence: c1 in t1 (step note): {invented!r}"
    ]


@pytest.mark.parametrize("text", ["The harbour was dredged in 1970 by Quixodoro Vexx.", "Nobody knows."])
def test_what_only_a_text_of_an_unknown_writer_states_is_undecided_also_if_the_judge_flags_it(text):
    claim = "The harbour was dredged in 1970 by Quixodoro Vexx."
    report = checked(claim, KNOWN, Node(id="t1", kind="tool_result", text=text, step="note", origin="unknown"))
    seen = text == claim
    assert (report.state, report.verdicts[0].support) == (("unverified", None) if seen else ("assessed", "absent"))
    assert bool(named(report)) == seen
    other = "It was dredged in 1980."
    unseen = Node(id="t1", kind="document", text=other, origin="unknown")
    assert checked(other, KNOWN, unseen).verdicts[0].support == "contradicted"


def test_most_words_in_their_order_are_enough_but_another_number_is_not():
    note = Node(id="t1", kind="tool_result", text="Remember: the ferry always takes about 53 minutes.", origin="model")
    assert "c1 in t1" in named(checked("The ferry takes about 53 minutes.", KNOWN, note))[0]
    assert named(checked("The ferry takes about 35 minutes.", KNOWN, note)) == []
    other = Node(id="t1", kind="tool_result", text="About 53 minutes the ferry takes; wait there.", origin="model")
    assert named(checked("The ferry takes about 53 minutes.", KNOWN, other)) == []


def test_claims_that_a_source_states_and_texts_without_them_are_left_alone():
    written = Node(id="t1", kind="tool_result", text=INVENTED, origin="model")
    assert named(checked(HARBOUR, KNOWN, written)) == []
    held = checked(INVENTED, Node(id="d1", kind="document", text=INVENTED, origin="retrieved"), written)
    assert held.verdicts[0].support == "supported"
    assert named(held) == []
    draft = Node(id="m1", kind="completion", text=INVENTED)  # an output did not come back as something else
    assert named(checked(INVENTED, KNOWN, draft)) == []


def test_many_texts_are_counted():
    notes = [Node(id=f"t{n}", kind="tool_result", text=INVENTED, origin="model") for n in range(9)]
    report = checked(INVENTED, KNOWN, *notes)
    assert len(named(report)) == 5
    assert "4 more texts that a model wrote state unsupported claims; they are not evidence" in report.warnings


def test_a_long_memory_costs_little():
    answer = " ".join(f"Ferry {n} takes {n} minutes to cross." for n in range(200))
    memory = " ".join(f"Boat {n} needs {n} hours to cross the wide bay." for n in range(5_000))
    started = time.perf_counter()
    report = checked(answer, KNOWN, Node(id="t1", kind="tool_result", text=memory, origin="model"))
    assert time.perf_counter() - started < 10
    assert len(report.verdicts) >= 200
