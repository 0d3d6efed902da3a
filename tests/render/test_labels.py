"""How classes, scores and citations are put for people."""

import html
import re

import pytest
from judged import ABSENT, ODD, YES
from judged import report as judged

from trail_callbacks import SupportClass, check
from trail_callbacks.export import to_csv
from trail_callbacks.render.labels import OUTCOMES, WORST_FIRST, coverage, headline, mark


def test_every_class_has_a_sign_of_its_own_in_both_alphabets():
    marks = [mark(outcome) for outcome in OUTCOMES]
    assert set(OUTCOMES) == {*SupportClass, "undecided", "not_judged"} == set(WORST_FIRST)
    for signs in (
        [m.symbol for m in marks],
        [m.ascii for m in marks],
        [m.line for m in marks],
        [m.word for m in marks],
    ):
        assert len(set(signs)) == len(marks)
    assert all(m.ascii.isascii() and len(m.ascii) == len(m.symbol) == 1 for m in marks)


OPEN, FAILED = {"undecided": "no sentence is about this"}, {"error": "unreachable"}


@pytest.mark.parametrize(
    ("state", "supports", "error", "words"),
    [
        ("partial", [YES, ABSENT, YES, YES, YES, OPEN, OPEN, OPEN], None, "over 5 of 8 claims; 3 undecided"),
        ("partial", [YES, ABSENT, OPEN, FAILED], None, "over 2 of 4 claims; 1 undecided; 1 not judged"),
        ("partial", [YES, OPEN], "refused", "over 1 of 2 claims; 1 undecided; some claims are missing"),
        ("unverified", [OPEN, ODD], None, "no claim could be decided; 1 undecided"),
        ("partial", [YES], None, "over the claims that were judged"),
    ],
)
def test_a_score_says_over_which_claims_it_is(state, supports, error, words):
    found = [("It is.", None, each) if isinstance(each, dict) else ("It is.", each) for each in supports]
    report = judged(*found, state=state, claims_error=error)
    assert coverage(report) == words
    shown = headline(report)
    assert shown.endswith(f" {words}")
    assert shown.startswith("no score: ") == (report.hallucination_score is None)


def test_a_score_over_a_minority_of_the_claims_is_no_headline():
    report = judged(("It is.", YES), *[("It is.", None, OPEN)] * 3, state="partial")
    assert report.hallucination_score == 0.0
    assert headline(report) == "1 of 4 claims checked, 0 unsupported; 3 not checked"
    page = report.to_html()
    assert headline(report) in page
    assert 'class="figure">0.00' not in page


CITED = "The ferry takes 40 minutes [1]. Tickets cost 12 euros [1]. Dogs ride for free (Smith 2020)."
HARBOUR = ["The ferry takes 40 minutes. Tickets cost 17 euros.", "Tickets cost 12 euros. Dogs ride for free."]


@pytest.mark.parametrize("render", [str, lambda report: report.to_html(), lambda report: report._repr_html_(), to_csv])
def test_each_citation_is_shown_with_whether_it_holds(render):
    page = html.unescape(re.sub(r"<[^>]+>", "", " ".join(render(check(CITED, HARBOUR)).split())))
    if render is to_csv:
        assert all(each in page for each in ('"supported: 1"', '"not_supported: 1"', '"unknown_source: Smith 2020"'))
        return
    assert "1 of 3 citations hold, 1 of no known source; 3 of 3 claims cite a source" in page
    assert "[1] source (source-1): supports it" in page
    assert "[1] source (source-1): does not support it" in page
    assert "Smith 2020: no such source reached the answer" in page
