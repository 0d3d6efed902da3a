"""The parts of a page: the answer with its claims marked, the list of claims, the texts, and the trails."""

import re
from dataclasses import replace

from judged import NO, YES, graph_of, quoted, verdict
from judged import report as judged
from shown import ANSWER, ECHOED, GUIDE, NOTED, WHOLE, Page, wide

from trail_callbacks import Claim, ProvenanceGraph, check
from trail_callbacks.render.page.view import Trails
from trail_callbacks.report import Layer, Selected, Summary

# ---------------------------------------------------------------- claims


def test_every_claim_is_marked_in_the_answer_and_listed_with_all_that_is_known():
    page = Page(WHOLE.to_html())
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


def test_an_undecided_claim_says_why_and_its_nearest_passages_are_neither_for_nor_against(by_colour):
    report = check("The boat is old. The boat is blue.", ["The boat in the harbour is old."], judge=by_colour)
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
    ten = Selected(node_id="d1", start=28, end=47, quote=GUIDE[28:47])
    layer = Layer(nodes=("d1", "m1"), note="-", selected=(ten,), summaries=(Summary(node_id="m1", text=hostile),))
    walked = replace(WHOLE.verdicts[1], history=(layer,), evidence=())
    html = replace(WHOLE, verdicts=(WHOLE.verdicts[0], walked, WHOLE.verdicts[2])).to_html()
    (item,) = Page(html).all("li", data_claim="c2")
    shown = item["text"].partition("The walk back, 1 step")[2]
    assert "SelectedBoats leave at ten. guide.md" in shown
    assert "Summary by the judge of summarise (m1): <b>Boats</b> leave." in shown
    assert hostile not in html


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
    page = Page(replace(WHOLE, claims=claims, verdicts=tuple(verdict(each.id, YES) for each in claims)).to_html())
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


# ---------------------------------------------------------------- texts


def test_a_text_of_two_megabytes_is_shown_around_its_evidence():
    quote = "The needle is here."
    source = "hay " * 300_000 + quote + " hay" * 200_000
    graph = ProvenanceGraph.from_texts("It is so.", [source])
    html = judged(
        ("It is so.", NO, {"evidence": (quoted(graph.nodes[0], quote, "contradicts"),)}), graph=graph
    ).to_html()
    assert len(html) < 700_000
    page = Page(html)
    (text,) = page.all("div", data_node_text="source-1")
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
    page = Page(WHOLE.to_html())
    (text,) = page.all("div", data_node_text="d1")
    assert text["text"] == GUIDE
    (found,) = [each for each in page.all("mark") if "data-relation" in each and each["data-claim"] == "c1 c2 c3"]
    assert found["text"] == "The pier was built in 1820."
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


# ---------------------------------------------------------------- trails


def test_a_trail_is_the_shortest_way_and_ends_at_the_answer():
    nodes = wide(3).graph.nodes
    graph = graph_of(nodes, ("d0", "d1"), ("d1", "d2"), *((each.id, "answer") for each in nodes[:-1]))
    trails, found = Trails(graph), {"evidence": (quoted(nodes[0], "T"),)}
    supported = verdict("c1", YES, **found)
    assert trails.paths(supported) == (("d0", "answer"),)
    assert [stop.node_id for stop in trails.stops(supported)] == ["d0", "answer"]
    entered = verdict("c1", NO, **found, introduced_at="d2", carried_through=("answer",))
    assert trails.paths(entered) == (("d2", "answer"), ("d0", "d1", "d2"))
    assert [(stop.node_id, stop.roles) for stop in trails.stops(entered)] == [
        ("d0", ("evidence",)),
        ("d1", ()),
        ("d2", ("introduced",)),
        ("answer", ("carried", "answer")),
    ]
    assert Trails(ProvenanceGraph(nodes=graph.nodes[:-1])).paths(entered) == ()
