"""The page of a report, as text: what stands in it, that it is one valid file, and that it may do nothing but show."""

import base64
import hashlib
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from page_reader import Page

from trail_callbacks import Claim, Edge, ErrorType, Evidence, Node, ProvenanceGraph, Report, SupportClass, Verdict
from trail_callbacks.models.call import Usage
from trail_callbacks.render.page import to_page
from trail_callbacks.render.page.document import _asset
from trail_callbacks.report import Layer

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)" x=\'',
    "javascript:alert(1)",
    "</style><style>*{background:url(x:y)}",
    "</textarea></title></noscript><svg onload=alert(1)>",
    "\u2028\u2029\u202e\u2066\x00\x1b[2J\x85\ud800",
    "${title} $style $$ %s {0} {{x}} \\u003c/script\\u003e",
    "&lt;script&gt; &amp; &#60;",
]


def policy(page):
    (meta,) = page.all("meta", http_equiv="Content-Security-Policy")
    return dict(part.strip().split(" ", 1) for part in meta["content"].split(";"))


ANSWER = "The pier is old. Boats leave at nine. Entry is free."
SOURCE = "The pier was built in 1820. Boats leave at ten. \u05e9\u05dc\u05d5\u05dd"


def build(answer=ANSWER, source=SOURCE, *, why="nine is not ten", step="summarise", state="assessed", ids="c"):
    graph = ProvenanceGraph(
        nodes=(
            Node(id="q1", kind="question", text="When do boats leave?", step="user"),
            Node(id="d1", kind="document", text=source, step="shelf", attributes={"source": f"guide.md{why}"}),
            Node(id="m1", kind="completion", text=answer, step=step),
            Node(id="answer", kind="answer", text=answer, step="combine"),
        ),
        edges=(
            Edge(source="q1", target="m1", basis="scope"),
            Edge(source="d1", target="m1"),
            Edge(source="m1", target="answer"),
        ),
    )
    parts = re.findall(r"[^.]+\.?", answer) or [answer]
    claims, verdicts = [], []
    at = 0
    classes = list(SupportClass)
    for n, part in enumerate(parts):
        start = answer.index(part, at)
        at = start + len(part)
        claims.append(Claim(id=f"{ids}{n + 1}", text=part, quote=part, start=start, end=at))
        support = classes[n % len(classes)]
        bad = support in (SupportClass.CONTRADICTED, SupportClass.ABSENT, SupportClass.PARTIALLY_SUPPORTED)
        end = min(len(source), 27)
        evidence = (Evidence(node_id="d1", start=0, end=end, quote=source[:end], relation="supports"),) if end else ()
        verdicts.append(
            Verdict(
                claim_id=f"{ids}{n + 1}",
                support=support,
                error_type=ErrorType.NUMBER if bad else None,
                second_type=ErrorType.TEMPORAL if bad else None,
                detail=why if bad else None,
                rationale=why,
                evidence=evidence,
                confidence=0.87 if bad else None,
                introduced_at="m1" if bad else None,
                carried_through=("answer",) if bad else (),
                history=(Layer(nodes=("m1",), stated_by=("m1",), note=why),) if bad else (),
                judge=f"judge/{why}",
            )
        )
    return Report(
        state=state,
        graph=graph,
        claims=tuple(claims),
        verdicts=tuple(verdicts),
        usage=Usage(calls=3, prompt_tokens=12_345, completion_tokens=678, seconds=4.5, cache_hits=2),
        warnings=(f"a warning {why}",),
        judge=f"judge/{why}",
        run_id="run-1",
    )


REPORT = build()


def test_the_page_is_one_valid_file():
    page = Page(REPORT.to_html())
    ids = [each["id"] for each in page.elements if "id" in each]
    assert len(ids) == len(set(ids))
    assert {"head", "bar", "search", "answer", "claims", "graph", "trail", "detail", "texts", "help"} <= set(ids)
    assert not page.all("link") + page.all("img") + page.all("a") + page.all("iframe") + page.all("base")
    for each in page.elements:
        assert not {name for name in each if name.startswith("on")}
        assert not {"src", "href", "action", "style", "srcdoc"} & set(each)


def test_the_policy_names_exactly_the_scripts_and_the_style_of_the_file():
    page = Page(REPORT.to_html())
    allowed = policy(page)
    assert allowed["default-src"] == allowed["base-uri"] == allowed["form-action"] == "'none'"

    def hashes(elements):
        digests = (hashlib.sha256(each["text"].encode()).digest() for each in elements)
        return {f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests}

    scripts = [each for each in page.all("script") if "type" not in each]
    assert len(scripts) == 5
    assert set(allowed["script-src"].split()) == hashes(scripts)
    assert set(allowed["style-src"].split()) == hashes(page.all("style"))
    assert "unsafe" not in str(allowed)
    assert set(allowed) == {"default-src", "script-src", "style-src", "base-uri", "form-action"}


def test_the_policy_stands_before_anything_that_it_rules():
    html = REPORT.to_html()
    assert html.index("Content-Security-Policy") < min(html.index("<style"), html.index("<script"))


@pytest.mark.parametrize("path", ["start.js", "graph.js", "page.js", "vendor/dagre.min.js", "vendor/cytoscape.min.js"])
def test_no_script_can_end_its_own_element_or_ask_for_a_file(path):
    script = _asset(path)
    assert "</script" not in script.lower()
    assert "<!--" not in script
    assert "sourceMappingURL" not in script
    if "/" not in path:
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|fetch\(|import\(", script
        )


def test_a_typical_report_is_small():
    assert len(REPORT.to_html().encode()) < 700_000


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


def test_the_trail_goes_from_the_source_through_where_it_entered_to_the_answer():
    page = Page(REPORT.to_html())
    assert page.data["claims"][1] == {
        "key": "c2",
        "class": "contradicted",
        "stops": [[1, "evidence"], [2, "introduced"], [3, "carried answer"]],
        "edges": [[1, 2], [2, 3]],
    }
    roles = [(each["data-node"], each["data-role"]) for each in page.all("li", data_role=...)]
    assert roles[3:6] == [("d1", "evidence"), ("m1", "introduced"), ("answer", "carried answer")]
    assert [each["data-role"] for each in page.all("li", data_role=...)][:3] == ["evidence", "between", "answer"]


def test_evidence_is_quoted_in_place():
    page = Page(REPORT.to_html())
    (text,) = page.all("div", data_node_text="d1")
    assert text["text"] == SOURCE
    (quoted,) = [each for each in page.all("mark") if "data-relation" in each and each["data-claim"] == "c1 c2 c3"]
    assert quoted["text"] == "The pier was built in 1820."
    stated = [each["data-claim"] for each in page.all("mark", data_relation="states")]
    assert stated == ["c2", "c3"]  # where the node that brought them in says the same words


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


def test_what_is_missing_is_said():
    nothing = Report(state="error", graph=ProvenanceGraph(nodes=()), warnings=("refused: no key",))
    text = Page(nothing.to_html()).all("body")[0]["text"]
    for words in ("The app gave no answer", "has no claims", "no graph", "refused: no key", "the app gave no answer"):
        assert words in text, words
    empty = Report(state="no_checkable_claims", graph=ProvenanceGraph.from_texts("", [""]))
    text = Page(empty.to_html()).all("body")[0]["text"]
    assert "The answer is empty" in text
    assert "an empty text" in text


def test_a_judge_that_failed_is_shown_as_such():
    verdicts = (Verdict(claim_id="c1", error="unreachable: no route"), *REPORT.verdicts[1:])
    page = Page(replace(REPORT, state="partial", verdicts=verdicts).to_html())
    (item,) = page.all("li", data_claim="c1")
    assert item["data-class"] == "not_judged"
    assert "unreachable: no route" in item["text"]
    assert "not_judged" in {each["value"] for each in page.all("input", name="class")}


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


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_only_text(text):
    report = build(f"{text}. b. c", text, why=text, step=text, ids=text)
    page = Page(to_page(report, title=text))
    harmless = Page(build("a. b. c", "s" * len(text)).to_html())
    shape = [each["tag"] for each in page.elements if each["tag"] not in ("mark", "span", "p", "bdi")]
    assert {*shape} == {each["tag"] for each in harmless.elements if each["tag"] not in ("mark", "span", "p", "bdi")}
    assert len(page.all("script")) == len(harmless.all("script"))
    assert {name for each in page.elements for name in each} == {name for each in harmless.elements for name in each}
    for sign in "\u202e\u2066\x00\x1b\u2028\x85\ud800":
        assert sign not in page.all("body")[0]["text"]
    assert all(
        re.fullmatch(r"(claim-)?[\w.:-]+", key)
        for each in page.all(data_claim=...)
        for key in each["data-claim"].split()
    )
    to_page(report).encode()  # no lone surrogate is left


@settings(max_examples=60)
@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=20))
def test_any_text_makes_a_valid_page(answer, source, why):
    page = Page(build(answer or "a", source, why=why, step=why).to_html())
    assert page.data["claims"]
    assert len(page.all("script")) == 6


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_in_a_script_says_the_same_and_ends_nothing(value):
    from trail_callbacks.render.page.escape import script_json

    text = script_json(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value


def test_writing_of_every_direction_is_isolated():
    arabic = "\u0627\u0644\u0645\u064a\u0646\u0627\u0621 \u0645\u0641\u062a\u0648\u062d."
    page = Page(build(arabic, "\u6e2f\u306f\u4e5d\u6642\u306b\u958b\u304f\u3002", step=arabic).to_html())
    for each in page.all(data_node_text=...):
        assert each["dir"] == "auto"
    assert all(each["dir"] == "auto" for each in page.elements if each.get("class") == "said")
    assert any(arabic in each["text"] for each in page.all("bdi"))


def test_a_report_built_by_hand_may_lack_verdicts():
    page = Page(replace(REPORT, verdicts=REPORT.verdicts[:1]).to_html())
    assert "has no verdict on this claim" in page.all("li", data_claim="c3")[0]["text"]
