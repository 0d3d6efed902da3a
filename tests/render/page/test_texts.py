"""The answer with its claims marked; what of the other texts stands in a page: excerpts, large reports."""

import re
from dataclasses import replace

from one_claim import ECHOED, NOTED
from page_reader import Page
from page_reports import ANSWER, REPORT, SOURCE, one, wide

from trail_callbacks import Claim, Node, ProvenanceGraph, Report, SupportClass, Verdict
from trail_callbacks.render.page import to_page


def test_an_answer_of_two_megabytes_is_shown_around_its_claims():
    answer = "The boat is blue. " * 111_112
    report = one("It is so.", "It is so.", answer)
    claim = Claim(id="c1", text="The boat is blue.", quote="The boat is blue.", start=1_800_000, end=1_800_017)
    page = Page(replace(report, claims=(claim,)).to_html())
    (text,) = page.all("div", data_node_text="answer")
    (mark,) = [each for each in page.all("mark") if "data-class" in each]
    assert mark["text"] == claim.quote
    assert text["text"].startswith("The boat is blue. The boat is blue.")
    left = [int(number.replace(",", "")) for number in re.findall(r"([\d,]+) characters left out", text["text"])]
    shown = re.sub(r" [\d,]+ characters left out ", "", text["text"])
    assert len(left) == 2
    assert sum(left) + len(shown) == len(answer)


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


def test_the_worst_class_colours_a_stretch_of_several():
    claims = tuple(Claim(id=f"c{n}", text=ANSWER, quote=ANSWER, start=0, end=len(ANSWER)) for n in range(5))
    verdicts = tuple(Verdict(claim_id=f"c{n}", support=support) for n, support in enumerate(SupportClass))
    (mark,) = [
        each
        for each in Page(replace(REPORT, claims=claims, verdicts=verdicts).to_html()).all("mark")
        if "data-class" in each
    ]
    assert mark["data-class"] == "contradicted"
    assert mark["data-claim"] == "c0 c1 c2 c3 c4"


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


def test_evidence_longer_than_the_limit_shows_both_its_ends():
    source = "A" + "x" * 100_000 + "Z"
    page = Page(to_page(one(source, source), text_limit=1_000))
    (text,) = page.all("div", data_node_text="d1")
    assert text["text"].startswith("Axx")
    assert text["text"].endswith("xxZ")
    assert "characters left out" in text["text"]
    assert len(text["text"]) < 5_000


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


def test_a_part_that_a_model_wrote_is_shown_in_a_long_text():
    node = Node(id="t", kind="tool_result", text="x" * 300_000 + NOTED + "y" * 9_000, model_spans=((300_000, 300_027),))
    page = Page(to_page(Report(state="error", graph=ProvenanceGraph(nodes=(node,))), text_limit=1_000))
    assert [each["text"] for each in page.all("span", **{"class": "model"})] == [NOTED]


def test_evidence_from_the_request_is_marked_beside_its_quote():
    page = Page(ECHOED.to_html())
    assert [each["text"] for each in page.all("span", **{"class": "asked"})] == [
        "from the request",
        "from the prompt's wording",
    ]


def test_the_graph_knows_the_origin_of_each_text():
    nodes = Page(ECHOED.to_html()).data["nodes"]
    assert [node[6] for node in nodes] == [
        "", "the prompt's wording", "from a tool, in part written by a model", "written by a model", "",
    ]  # fmt: skip
