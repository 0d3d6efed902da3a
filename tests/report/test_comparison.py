"""Two reports beside each other: which claims are the same, what changed, and whether the score's change is chance."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged import ABSENT, NO, ODD, SOME, YES
from judged import report as judged

from trail_callbacks import ErrorType, Node, ProvenanceGraph, SupportClass, Verdict
from trail_callbacks.render.comparison import comparison_to_rich
from trail_callbacks.render.terminal import plain_text
from trail_callbacks.report.comparison import compare, normalised, pair
from trail_callbacks.report.verdict import Scoring
from trail_callbacks.statistics.intervals import wilson

# ---------------------------------------------------------------- the same statement

WORDS = ["the", "tower", "bridge", "opened", "closed", "in", "1874", "1.5", "not", "港口", "عدد", "!!!"]
statements = st.lists(
    st.text(max_size=30) | st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join),
    max_size=8,
)


def test_what_does_not_change_a_statement():
    assert normalised(" It\u2019s  \u201cHERE\u201d.\n") == 'it\'s "here"'
    assert normalised("cafe\u0301") == normalised("caf\u00e9")
    assert normalised("10\u00b2") != normalised("102")
    assert normalised("It is -5.") != normalised("It is 5.")


def test_the_most_alike_win_and_the_rest_find_others():
    old = ["The red boat is ten metres long.", "The blue boat is ten metres long."]
    new = ["The blue boat is nine metres long.", "The red boat is ten metres tall."]
    assert [(match.old, match.new, round(match.likeness, 2)) for match in pair(old, new)] == [
        (1, 0, 0.86),
        (0, 1, 0.86),
    ]


@given(statements, statements)
def test_no_statement_is_in_two_pairs_and_equal_ones_are_never_left(old, new):
    matches = pair(old, new)
    assert [match.new for match in matches] == sorted({match.new for match in matches})
    assert len({match.old for match in matches}) == len(matches)
    assert all(0.7 <= match.likeness <= 1.0 for match in matches)
    assert matches == pair(old, new)
    left = {normalised(text) for i, text in enumerate(old) if i not in {match.old for match in matches}}
    assert not left & {normalised(text) for j, text in enumerate(new) if j not in {match.new for match in matches}}


def test_of_thousands_that_share_their_words_those_near_one_another_are_compared(monkeypatch):
    monkeypatch.setattr("trail_callbacks.report.comparison._PAIRS", 2_000)
    old = [f"The boat of line {i} takes {i % 7} minutes to cross." for i in range(200)]
    new = [text.replace("boat", "ship") for text in old]
    assert [(match.old, match.new) for match in pair(old, new)] == [(i, i) for i in range(200)]


# ---------------------------------------------------------------- claims


def report(*found, entry="write", question="What is there?", **more):
    """A report on (statement, class or verdict) pairs; what is unsupported entered at the step `entry`."""
    answer = " ".join(text for text, _ in found)
    graph = ProvenanceGraph.from_texts(answer, ["A source."], question)
    graph = replace(graph, nodes=(*graph.nodes, Node(id="m1", kind="completion", text="", step=entry)))
    wrong = {"error_type": ErrorType.NUMBER, "introduced_at": "m1"}
    given = [(text, each, wrong) if each in {NO, SOME, ABSENT} else (text, each) for text, each in found]
    return judged(*given, graph=graph, **{"judge": "local/0", **more})


def texts(found):
    return [each.claim.text for each in found]


def shown(old, new):
    return plain_text(comparison_to_rich(compare(old, new)), 80, False)


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
    (both,) = found.pairs
    assert both.reworded
    assert both.changed == ("class",)
    assert both.likeness == pytest.approx(0.8)
    assert not found.appeared + found.vanished
    assert not compare(report(("IT is  here.", YES)), report(("It is here", YES))).reworded


def test_error_type_and_entry_step_are_compared_where_both_are_unsupported():
    number, entity = (
        Verdict(claim_id="", support=NO, error_type=t, introduced_at="m1") for t in (ErrorType.NUMBER, ErrorType.ENTITY)
    )
    lost = replace(number, introduced_at=None)

    def aspects(old, new, **more):
        (both,) = compare(report(("It is.", old)), report(("It is.", new), **more)).pairs
        return both.changed

    assert aspects(number, number) == aspects(None, None) == ()
    assert aspects(number, entity) == ("error_type",)
    assert aspects(number, number, entry="combine") == aspects(number, lost) == ("entry",)
    assert aspects(number, entity, entry="combine") == ("error_type", "entry")
    assert aspects(YES, number) == aspects(YES, None) == ("class",)


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


SAID = st.sampled_from(["It is.", "It is so here.", "It is so there.", "What a day!", "1,5 = 2"])
answers = st.lists(st.tuples(SAID, st.sampled_from([*SupportClass, None])), max_size=6)


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
        for each, value in ((before, score.old), (after, score.new)):
            left = {None} if scoring.strict else {None, ODD}
            assert each.interval == wilson(value, sum(verdict.support not in left for verdict in each.verdicts))
    data = json.loads(found.to_json())
    assert data["counts"]["old"] == data["counts"]["unchanged"] + data["counts"]["changed"] + data["counts"]["vanished"]
    assert len(data["reworded"]) == data["counts"]["reworded"]
    assert shown(before, after).isprintable() or "\n" in shown(before, after)


# ---------------------------------------------------------------- on the screen


def test_the_page_says_what_changed():
    same, tall, well = "The tower opened in 1847.", ("It is tall.", NO), ("All is well here.", YES)
    old = report((same, NO), tall, ("It won a prize.", NO), well)
    new = report(("The tower opened in 1874.", YES), tall, ("Boats leave at noon.", NO), well, entry="combine")
    page = shown(old, new)
    lines = page.splitlines()
    assert lines[0].startswith("hallucination score 0.75 -> 0.50: -0.25 (95 % interval")
    assert "could be chance" in " ".join(lines[:2])
    counted = "4 before, 4 now: 1 judged as before, 2 changed, 1 appeared, 1 vanished; 1 reworded"
    assert counted in " ".join(page.split())
    for words in (
        '✓ c1 supported, was contradicted (number)\n  "The tower opened in 1874."\n  was: "The tower opened in 1847."',
        '✗ c2 contradicted (number)\n  "It is tall."\n  entry step: combine, was write',
        '✗ c3 appeared: contradicted (number)\n  "Boats leave at noon."\n  entry step: combine',
        '✗ c3 vanished: contradicted (number)\n  "It won a prize."\n  entry step: write',
    ):
        assert words in page
    assert "All is well" not in page
