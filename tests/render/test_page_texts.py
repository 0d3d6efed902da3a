"""What of the texts stands in a page: segments, excerpts around what claims point at, large reports."""

import re
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from page_reader import Page

from trail_callbacks import Claim, Edge, ErrorType, Evidence, Node, ProvenanceGraph, Report, SupportClass, Verdict
from trail_callbacks.render.page import to_page
from trail_callbacks.render.page.escape import legible
from trail_callbacks.render.page.trails import Trails
from trail_callbacks.render.spans import Span, segments, visible_ranges

SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30), st.integers(0, 5)), max_size=12).map(
    lambda found: [Span(start, start + length, owner) for start, length, owner in found]
)


@given(SPANS, st.integers(0, 40), st.integers(0, 60))
def test_stretches_cover_the_text_and_name_what_holds_there(spans, start, length):
    end = start + length
    found = list(segments(start, end, spans))
    assert [offset for each in found for offset in range(each.start, each.end)] == list(range(start, end))
    for each in found:
        for offset in range(each.start, each.end):
            assert sorted(map(repr, each.spans)) == sorted(repr(s) for s in spans if s.start <= offset < s.end)
    opened = [span for each in found for span in each.opens]
    assert sorted(map(repr, opened)) == sorted(repr(s) for s in spans if s.start < end and s.end > start)


@given(st.integers(0, 5_000), SPANS, st.integers(200, 2_000))
def test_what_is_kept_of_a_text_holds_all_that_is_pointed_at(length, spans, limit):
    spans = [span for span in spans if span.end <= length]
    ranges = visible_ranges(length, spans, limit)
    assert all(a < b for a, b in ranges)
    assert all(b < a for (_, b), (a, _) in pairwise(ranges))
    assert all(a >= 0 and b <= length for a, b in ranges)
    assert all(any(a <= span.start and span.end <= b for a, b in ranges) for span in spans)
    if length <= limit:
        assert sum(b - a for a, b in ranges) == length


@given(st.text())
def test_a_legible_text_is_the_text_but_for_what_would_deceive(text):
    shown = legible(text)
    assert not set("\u202e\u2066\u2028\x00\x1b\x85\r") & set(shown)
    assert legible(shown) == shown
    assert legible("a\tb\n\n  c \u4e2d \u05d0") == "a\tb\n\n  c \u4e2d \u05d0"


def one(source, quote, answer="It is so."):
    graph = ProvenanceGraph.from_texts(answer, [Node(id="d1", kind="document", text=source, step="shelf")])
    start = source.index(quote)
    evidence = Evidence(node_id="d1", start=start, end=start + len(quote), quote=quote, relation="contradicts")
    verdict = Verdict(
        claim_id="c1", support=SupportClass.CONTRADICTED, error_type=ErrorType.OTHER, evidence=(evidence,)
    )
    claim = Claim(id="c1", text=answer, quote=answer, start=0, end=len(answer))
    return Report(state="assessed", graph=graph, claims=(claim,), verdicts=(verdict,))


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


def wide(count):
    nodes = [Node(id=f"d{n}", kind="document", text=f"Text {n}. " * 40, step="shelf") for n in range(count)]
    nodes.append(Node(id="answer", kind="answer", text="It is so."))
    edges = [Edge(source=node.id, target="answer") for node in nodes[:-1]]
    evidence = Evidence(node_id=f"d{count - 1}", start=0, end=5, quote="Text ", relation="supports")
    return Report(
        state="assessed",
        graph=ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges)),
        claims=(Claim(id="c1", text="It is so.", quote="It is so.", start=0, end=9),),
        verdicts=(Verdict(claim_id="c1", support=SupportClass.SUPPORTED, evidence=(evidence,)),),
    )


def test_of_ten_thousand_texts_the_rare_ones_are_kept_for_the_script():
    page = Page(wide(10_000).to_html())
    written = {each["data-node-text"] for each in page.all(data_node_text=...)}
    assert "d9999" in written  # evidence, although it comes last
    assert len(written) == 801
    stored = page.data["texts"]
    assert len(stored) == 10_000 - 800
    title, kind, node_id, text, left = stored["5000"]
    assert (title, kind, node_id) == ("shelf (d5000)", "document, stage 0", "d5000")
    assert text == ("Text 5000. " * 40)[: len(text)]
    assert len(text) + left == 440
    assert "9,200 more texts" in page.all("p", id="more")[0]["text"]
    assert not {*stored} & {str(n) for n in range(700)}


def test_a_trail_is_the_shortest_way_and_ends_at_the_answer():
    report = wide(3)
    edges = (Edge(source="d0", target="d1"), Edge(source="d1", target="d2"), *report.graph.edges)
    graph = ProvenanceGraph(nodes=report.graph.nodes, edges=edges)
    trails = Trails(graph)
    supported = Verdict(
        claim_id="c1",
        support=SupportClass.SUPPORTED,
        evidence=(Evidence(node_id="d0", start=0, end=1, quote="T", relation="supports"),),
    )
    assert trails.paths(supported) == (("d0", "answer"),)
    assert [stop.node_id for stop in trails.stops(supported)] == ["d0", "answer"]
    entered = Verdict(
        claim_id="c1",
        support=SupportClass.CONTRADICTED,
        error_type=ErrorType.OTHER,
        evidence=supported.evidence,
        introduced_at="d2",
        carried_through=("answer",),
    )
    assert trails.paths(entered) == (("d2", "answer"), ("d0", "d1", "d2"))
    assert [(stop.node_id, stop.roles) for stop in trails.stops(entered)] == [
        ("d0", ("evidence",)),
        ("d1", ()),
        ("d2", ("introduced",)),
        ("answer", ("carried", "answer")),
    ]
    assert Trails(ProvenanceGraph(nodes=graph.nodes[:-1])).paths(entered) == ()
