"""The answer with its claims marked; what of the other texts stands in a page: excerpts, large reports."""

import re
from dataclasses import replace

from one_claim import ECHOED, NOTED
from page_reader import Page
from page_reports import ANSWER, REPORT, SOURCE, one, wide

from trail_callbacks import Claim, SupportClass, Verdict


def test_claims_may_overlap_and_lie_anywhere():
    claims = tuple(
        Claim(id=id_, text=quote, quote=quote, start=start, end=end)
        for id_, quote, start, end in [
            ("c1", "The pier is old.", 0, 16),
            ("c2", "pier is", 4, 11),
            ("c3", "is old. Boats", 9, 22),
            ("c4", "Entry is free.", 900, 914),  # wrong offsets, right words
            ("c5", "never said", -5, 3),
            ("c6", "", 0, 0),
        ]
    )
    verdicts = tuple(Verdict(claim_id=claim.id, support=SupportClass.SUPPORTED) for claim in claims)
    page = Page(replace(REPORT, claims=claims, verdicts=verdicts).to_html())
    marks = [(each["data-claim"], each["text"]) for each in page.all("mark") if "data-class" in each]
    assert marks == [
        ("c1", "The "),
        ("c1 c2", "pier "),
        ("c1 c2 c3", "is"),
        ("c1 c3", " old."),
        ("c3", " Boats"),
        ("c4", "Entry is free."),
    ]
    assert page.all("div", data_node_text="answer")[0]["text"] == ANSWER
    assert "2 claims are not found verbatim" in page.all("section", id="answer")[0]["text"]
    assert [each["data-claim"] for each in page.all("li", data_claim=...)] == ["c1", "c2", "c3", "c4", "c5", "c6"]


def test_a_text_of_two_megabytes_is_shown_around_its_evidence():
    quote = "The needle is here."
    source = "hay " * 300_000 + quote + " hay" * 200_000
    html = one(source, quote).to_html()
    assert len(html) < 700_000
    page = Page(html)
    (text,) = page.all("div", data_node_text="d1")
    (mark,) = page.all("mark", data_relation="contradicts")
    assert mark["text"] == quote
    assert text["text"].startswith("hay hay")
    left = [int(number.replace(",", "")) for number in re.findall(r"([\d,]+) characters left out", text["text"])]
    shown = re.sub(r" [\d,]+ characters left out ", "", text["text"])
    assert len(left) == 2
    assert sum(left) + len(shown) == len(source)


def test_of_ten_thousand_texts_the_rare_ones_are_kept_for_the_script():
    page = Page(wide(10_000).to_html())
    written = {each["data-node-text"] for each in page.all(data_node_text=...)}
    assert "d9999" in written  # evidence, although it comes last
    assert len(written) == 801
    stored = page.data["texts"]
    assert len(stored) == 10_000 - 800
    title, kind, node_id, text, left = stored["5000"]
    assert (title, kind, node_id) == ("shelf (d5000)", "document, given by the app, stage 0", "d5000")
    assert text == ("Text 5000. " * 40)[: len(text)]
    assert len(text) + left == 440
    assert "9,200 more texts" in page.all("p", id="more")[0]["text"]
    assert not {*stored} & {str(n) for n in range(700)}


def test_evidence_is_quoted_in_place():
    page = Page(REPORT.to_html())
    (text,) = page.all("div", data_node_text="d1")
    assert text["text"] == SOURCE
    (quoted,) = [each for each in page.all("mark") if "data-relation" in each and each["data-claim"] == "c1 c2 c3"]
    assert quoted["text"] == "The pier was built in 1820."
    stated = [each["data-claim"] for each in page.all("mark", data_relation="states")]
    assert stated == ["c2", "c3"]  # where the node that brought them in says the same words


def test_parts_that_a_model_wrote_are_marked_and_their_texts_kept_verbatim():
    page = Page(ECHOED.to_html())
    part, _ = page.all("span", **{"class": "model"})
    assert (part["text"], part["title"], part["data-label"]) == (NOTED, "written by a model", "written by a model")
    (text,) = page.all("div", data_node_text="t1")
    assert text["text"] == ECHOED.graph.node("t1").text
    kinds = [each["text"] for each in page.all("span", **{"class": "kind"})]
    assert "tool result, from a tool, in part written by a model, stage 0" in kinds
    assert "tool result, written by a model, stage 0" in kinds
    assert "instruction, the prompt's wording, stage 0" in kinds
