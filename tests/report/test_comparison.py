"""Two reports beside each other: what changed, and whether the score's change may be chance."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks import Claim, ErrorType, Node, ProvenanceGraph, Report, SupportClass, Verdict
from trail_callbacks.render.comparison import comparison_to_rich
from trail_callbacks.render.terminal import plain_text
from trail_callbacks.report.comparison import compare
from trail_callbacks.report.verdict import Scoring
from trail_callbacks.statistics.intervals import wilson

S = SupportClass
YES, NO, SOME, ODD = S.SUPPORTED, S.CONTRADICTED, S.PARTIALLY_SUPPORTED, S.UNEVALUATABLE


def report(*judged, entry="write", state="assessed", question="What is there?", **more):
    """A report on (statement, class or verdict) pairs; what is unsupported entered at the step `entry`."""
    answer = " ".join(text for text, _ in judged)
    graph = ProvenanceGraph.from_texts(answer, ["A source."], question)
    graph = replace(graph, nodes=(*graph.nodes, Node(id="m1", kind="completion", text="", step=entry)))
    claims, verdicts, at = [], [], 0
    for n, (text, support) in enumerate(judged, 1):
        at = answer.index(text, at)
        claims.append(Claim(id=f"c{n}", text=text, quote=text, start=at, end=at + len(text)))
        bad = support in {NO, SOME, S.ABSENT}
        verdicts.append(
            replace(support, claim_id=f"c{n}")
            if isinstance(support, Verdict)
            else Verdict(
                claim_id=f"c{n}", support=support, error=None if support else "unreachable",
                error_type=ErrorType.NUMBER if bad else None, introduced_at="m1" if bad else None,
            )
        )  # fmt: skip
    return Report(
        state=state,
        graph=graph,
        claims=tuple(claims),
        verdicts=tuple(verdicts),
        judge=more.pop("judge", "local/0"),
        **more,
    )


def texts(judged):
    return [each.claim.text for each in judged]


def shown(old, new, **more):
    return plain_text(comparison_to_rich(compare(old, new)), more.pop("width", 80), more.pop("ascii", False))


# ---------------------------------------------------------------- claims


def test_claims_come_go_and_change():
    found = compare(
        report(("The tower is old.", YES), ("It opened in 1874.", NO), ("It won a prize.", NO)),
        report(("It opened in 1874.", YES), ("The tower is old.", YES), ("Boats leave at noon each day.", NO)),
    )
    assert texts(found.appeared) == ["Boats leave at noon each day."]
    assert texts(found.vanished) == ["It won a prize."]
    (changed,) = found.changed
    assert changed.changed == ("class",)
    assert (changed.old.verdict.support, changed.new.verdict.support) == (NO, YES)
    assert found.unchanged == 1
    assert not found.reworded


def test_a_claim_in_slightly_other_words_is_reworded():
    found = compare(report(("The tower opened in 1847.", NO)), report(("The tower opened in 1874.", YES)))
    (pair,) = found.pairs
    assert pair.reworded
    assert pair.changed == ("class",)
    assert pair.likeness == pytest.approx(0.8)
    assert not found.appeared
    assert not found.vanished
    assert not compare(report(("IT is  here.", YES)), report(("It is here", YES))).reworded


def test_error_type_and_entry_step_are_compared_where_both_are_unsupported():
    number, entity = (
        Verdict(claim_id="", support=NO, error_type=t, introduced_at="m1") for t in (ErrorType.NUMBER, ErrorType.ENTITY)
    )
    lost = replace(number, introduced_at=None)

    def aspects(old, new, **more):
        (pair,) = compare(report(("It is.", old)), report(("It is.", new), **more)).pairs
        return pair.changed

    assert aspects(number, number) == ()
    assert aspects(number, entity) == ("error_type",)
    assert aspects(number, number, entry="combine") == ("entry",)
    assert aspects(number, lost) == ("entry",)
    assert aspects(number, entity, entry="combine") == ("error_type", "entry")
    assert aspects(YES, number) == ("class",)
    assert aspects(None, None) == ()
    assert aspects(YES, None) == ("class",)


def test_state_warnings_judges_and_questions():
    found = compare(
        report(("It is.", YES), warnings=("a", "b")),
        report(("It is.", YES), warnings=("b", "b"), state="partial", judge="model/1", question="Why?"),
    )
    assert (found.warnings_appeared, found.warnings_vanished) == (("b",), ("a",))
    judge, question = found.remarks
    assert "local/0, now by model/1" in judge
    assert "different questions" in question
    assert not compare(report(question=None), report(question=None)).remarks


# ---------------------------------------------------------------- score


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ({"state": "error"}, {}, "the old report has no score (error)"),
        ({}, {"state": "abstained"}, "the new report has no score (abstained)"),
        ({}, {"scoring": Scoring(strict=True)}, "computed with different options"),
    ],
)
def test_a_change_that_cannot_be_said_has_a_reason(old, new, reason):
    score = compare(report(("It is.", NO), **old), report(("It is.", YES), **new)).score
    assert (score.change, score.interval) == (None, None)
    assert reason in score.reason


classes = st.sampled_from([*SupportClass, None])
answers = st.lists(
    st.tuples(st.sampled_from(["It is.", "It is so here.", "It is so there.", "What a day!", "1,5 = 2"]), classes),
    max_size=6,
)


@given(answers, answers, st.sampled_from([Scoring(), Scoring(strict=True), Scoring(severity=True), Scoring(gate=True)]))
def test_every_claim_is_counted_once_and_all_of_it_is_json(old, new, scoring):
    before, after = report(*old, scoring=scoring), report(*new, scoring=scoring)
    found = compare(before, after)
    assert len(found.pairs) + len(found.vanished) == len(old)
    assert len(found.pairs) + len(found.appeared) == len(new)
    score = found.score
    assert (score.change is None) == (score.old is None or score.new is None)
    if score.interval:
        assert score.interval[0] <= score.change <= score.interval[1]
        n_old, n_new = (
            sum(v.support not in ({None} if scoring.strict else {None, ODD}) for v in each.verdicts)
            for each in (before, after)
        )
        assert before.interval == wilson(score.old, n_old)
        assert after.interval == wilson(score.new, n_new)
    data = json.loads(found.to_json())
    assert data["counts"]["old"] == data["counts"]["unchanged"] + data["counts"]["changed"] + data["counts"]["vanished"]
    assert len(data["reworded"]) == data["counts"]["reworded"]
    assert shown(before, after).isprintable() or "\n" in shown(before, after)


# ---------------------------------------------------------------- on the screen


def test_the_page_says_what_changed():
    page = shown(
        report(("The tower opened in 1847.", NO), ("It is tall.", NO), ("It won a prize.", NO), ("All is well here.", YES)),
        report(("The tower opened in 1874.", YES), ("It is tall.", NO), ("Boats leave at noon.", NO), ("All is well here.", YES), entry="combine"),
    )  # fmt: skip
    lines = page.splitlines()
    assert lines[0].startswith("hallucination score 0.75 -> 0.50: -0.25 (95 % interval")
    assert "could be chance" in " ".join(lines[:2])
    assert "4 before, 4 now: 1 judged as before, 2 changed, 1 appeared, 1 vanished; 1 reworded" in " ".join(
        page.split()
    )
    for words in (
        '✓ c1 supported, was contradicted (number)\n  "The tower opened in 1874."\n  was: "The tower opened in 1847."',
        '✗ c2 contradicted (number)\n  "It is tall."\n  entry step: combine, was write',
        '✗ c3 appeared: contradicted (number)\n  "Boats leave at noon."\n  entry step: combine',
        '✗ c3 vanished: contradicted (number)\n  "It won a prize."\n  entry step: write',
    ):
        assert words in page
    assert "All is well" not in page
