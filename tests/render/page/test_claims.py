"""The list of claims, each with all that is known about it."""

from dataclasses import replace

from page_reader import Page
from page_reports import ANSWER, REPORT

from trail_callbacks import ErrorType, SupportClass, Verdict, check


def test_every_claim_is_marked_in_the_answer_and_listed_with_all_that_is_known():
    page = Page(REPORT.to_html())
    marks = [each for each in page.all("mark") if "data-class" in each]
    assert [(each["data-claim"], each["data-class"], each["text"]) for each in marks] == [
        ("c1", "supported", "The pier is old."),
        ("c2", "contradicted", " Boats leave at nine."),
        ("c3", "absent", " Entry is free."),
    ]
    assert len({each["data-sign"] for each in marks}) == 3
    (answer,) = page.all("div", data_node_text="answer")
    assert answer["text"] == ANSWER
    items = page.all("li", data_claim=...)
    assert [each["data-claim"] for each in items] == ["c1", "c2", "c3"]
    for words in (
        "contradicted",
        "number or temporal: nine is not ten",
        "second error typetemporal",
        "confidence0.87",
        "judgejudge/nine is not ten",
        "The pier was built in 1820.",
        "Entry step summarise (m1)",
        "combine (answer)",
        "The walk back, 1 step",
    ):
        assert words in items[1]["text"], words
    assert "not calibrated" in items[0]["text"]
    assert [each["data-node"] for each in page.all("blockquote")] == ["d1"] * 3


def test_a_judge_that_failed_is_shown_as_such():
    verdicts = (Verdict(claim_id="c1", error="unreachable: no route"), *REPORT.verdicts[1:])
    page = Page(replace(REPORT, state="partial", verdicts=verdicts).to_html())
    (item,) = page.all("li", data_claim="c1")
    assert item["data-class"] == "not_judged"
    assert "unreachable: no route" in item["text"]
    assert "not_judged" in {each["value"] for each in page.all("input", name="class")}


def test_a_report_built_by_hand_may_lack_verdicts():
    page = Page(replace(REPORT, verdicts=REPORT.verdicts[:1]).to_html())
    assert "has no verdict on this claim" in page.all("li", data_claim="c3")[0]["text"]


BOATS = "The boat in the harbour is old."


def test_an_undecided_claim_says_why_and_its_nearest_passages_are_neither_for_nor_against(by_colour):
    report = check("The boat is old. The boat is blue.", [BOATS], judge=by_colour)
    page = Page(report.to_html())
    (item,) = page.all("li", data_claim="c2")
    assert item["data-class"] == "undecided"
    assert "Undecided no sentence is about its colour" in item["text"]
    assert [each["data-relation"] for each in page.all("blockquote")] == ["supports", "nearest"]
    footers = [each["text"] for each in page.all("footer") if "source-1" in each["text"]]
    assert footers == ["for source (source-1)", "nearest in the sources source (source-1)"]
    assert "No source supports or contradicts it" not in item["text"]
    (mark,) = (each for each in page.all("mark", data_claim="c2") if "data-class" in each)
    assert (mark["data-class"], mark["data-sign"], mark["title"]) == ("undecided", "\u25cb", "c2 undecided")
    assert [claim["class"] for claim in page.data["claims"]] == ["supported", "undecided"]


def test_nearest_passages_of_an_absent_claim_are_no_evidence_either(by_colour):
    report = check("The boat is blue.", [BOATS], judge=by_colour)
    absent = replace(report.verdicts[0], undecided=None, support=SupportClass.ABSENT, error_type=ErrorType.OTHER)
    (item,) = Page(replace(report, state="assessed", verdicts=(absent,)).to_html()).all("li", data_claim="c1")
    assert "No source supports or contradicts it." in item["text"]
    assert "nearest in the sources" in item["text"]
