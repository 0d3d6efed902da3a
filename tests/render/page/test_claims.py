"""The list of claims, each with all that is known about it."""

from dataclasses import replace

from page_reader import Page
from page_reports import ANSWER, REPORT, SOURCE

from trail_callbacks import check
from trail_callbacks.report import Layer, Selected, Summary


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


def test_the_walk_back_shows_what_was_selected_at_each_step_and_its_summaries():
    hostile = "<b>Boats</b> leave."
    ten = Selected(node_id="d1", start=28, end=47, quote=SOURCE[28:47])
    layer = Layer(nodes=("d1", "m1"), note="-", selected=(ten,), summaries=(Summary(node_id="m1", text=hostile),))
    verdict = replace(REPORT.verdicts[1], history=(layer,), evidence=())
    html = replace(REPORT, verdicts=(REPORT.verdicts[0], verdict, REPORT.verdicts[2])).to_html()
    (item,) = Page(html).all("li", data_claim="c2")
    walked = item["text"].partition("The walk back, 1 step")[2]
    assert "SelectedBoats leave at ten. guide.md" in walked
    assert "Summary by the judge of summarise (m1): <b>Boats</b> leave." in walked
    assert hostile not in html
