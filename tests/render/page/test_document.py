"""The page of a report, as text: what stands in it, that it is one valid file, and that it may do nothing but show."""

import base64
import hashlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shown import WHOLE, Page, whole

from trail_callbacks import ProvenanceGraph, Report, SupportClass
from trail_callbacks.render.page import to_page
from trail_callbacks.render.page.document import _asset

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


def test_the_page_is_one_valid_file():
    page = Page(WHOLE.to_html())
    ids = [each["id"] for each in page.elements if "id" in each]
    assert len(ids) == len(set(ids))
    assert {"head", "bar", "search", "answer", "claims", "graph", "trail", "detail", "texts", "help"} <= set(ids)
    assert not page.all("link") + page.all("img") + page.all("a") + page.all("iframe") + page.all("base")
    for each in page.elements:
        assert not {name for name in each if name.startswith("on")}
        assert not {"src", "href", "action", "style", "srcdoc"} & set(each)


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


def test_what_is_missing_is_said():
    nothing = Report(state="error", graph=ProvenanceGraph(nodes=()), warnings=("refused: no key",))
    text = Page(nothing.to_html()).all("body")[0]["text"]
    for words in ("The app gave no answer", "has no claims", "no graph", "refused: no key", "the app gave no answer"):
        assert words in text, words
    empty = Report(state="no_checkable_claims", graph=ProvenanceGraph.from_texts("", [""]))
    text = Page(empty.to_html()).all("body")[0]["text"]
    assert "The answer is empty" in text
    assert "an empty text" in text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_only_text(text):
    report = whole(f"{text}. b. c", text, why=text, step=text, ids=text)
    page = Page(to_page(report, title=text))
    harmless = Page(whole("a. b. c", "s" * len(text)).to_html())
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
    page = Page(whole(answer or "a", source, why=why, step=why).to_html())
    assert page.data["claims"]
    assert len(page.all("script")) == 6


def policy(page):
    (meta,) = page.all("meta", http_equiv="Content-Security-Policy")
    return dict(part.strip().split(" ", 1) for part in meta["content"].split(";"))


def test_the_policy_names_exactly_the_scripts_and_the_style_of_the_file():
    page = Page(WHOLE.to_html())
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


def test_the_head_says_score_cost_and_warnings():
    page = Page(WHOLE.to_html())
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
