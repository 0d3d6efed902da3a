"""The head of a page: score, counts, cost, warnings."""

import re

import pytest
from page_reader import Page
from page_reports import REPORT, build

from trail_callbacks import SupportClass, check


def test_the_head_says_score_cost_and_warnings():
    page = Page(REPORT.to_html())
    (head,) = page.all("header")
    text = re.sub(r"\s+", " ", head["text"])
    for words in (
        "When do boats leave?",
        "0.67",
        "95 % interval 0.21 to 0.94",
        "all claims judged",
        "3 and 2 from the cache",
        "12,345 read, 678 written",
        "4.50",
        "a warning nine is not ten",
        "supported 1",
        "number2",
        "run-1",
    ):
        assert words in text, words
    assert {each["value"] for each in page.all("input", name="class")} == {support.value for support in SupportClass}
    assert [each["value"] for each in page.all("input", name="type")] == ["number"]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("abstained", "declines to answer"),
        ("no_checkable_claims", "makes no checkable claim"),
        ("unverified", "nothing that the answer states could be checked"),
        ("no_evidence", "no source reached the answer"),
        ("error", "the verification failed"),
        ("partial", "over the claims that were judged"),
    ],
)
def test_states_are_said_in_words(state, words):
    page = Page(build(state=state).to_html())
    (score,) = page.all("section", id="score")
    assert words in score["text"]
    assert ("0.67" in score["text"]) == (state == "partial")


def test_undecided_claims_are_counted_and_can_be_filtered(by_colour):
    boats = ["The boat in the harbour is old."]
    page = Page(check("The boat is old. The boat is blue.", boats, judge=by_colour).to_html())
    assert "undecided" in {each["value"] for each in page.all("input", name="class")}
    (score,) = page.all("section", id="score")
    assert "over 1 of 2 claims; 1 undecided" in score["text"]
    assert "undecided 1" in re.sub(r"\s+", " ", page.all("ul", **{"class": "legend"})[0]["text"])
    assert "undecided" not in {each["value"] for each in Page(REPORT.to_html()).all("input", name="class")}
    (score,) = Page(check("The boat is blue.", boats, judge=by_colour).to_html()).all("section", id="score")
    assert "no score: no claim could be decided; 1 undecided" in score["text"]
