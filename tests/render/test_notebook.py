"""What notebooks show: a report and its graph, by what a kernel really sends and what a browser would read of it."""

import os
import re
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged import ABSENT, NO, ODD, YES, graph_of, node
from judged import report as judged
from shown import Page

from trail_callbacks import ErrorType, check
from trail_callbacks.render.notebook import graph_to_fragment, to_fragment
from trail_callbacks.render.terminal import to_text

HOSTILE = '\x1b[2J </text></svg><script>alert(1)</script> " onload="alert(2) \u202eevil\u2066 ]]> <!-- javascript:alert(3) &lt;'
RAIN = ["It rained in 1968."]
NUMBER = {"error_type": ErrorType.NUMBER}


@pytest.fixture
def shown(tmp_path):
    """Runs cells in a kernel, over sockets that are files, and returns what each displays."""
    nbclient = pytest.importorskip("nbclient", reason="needs the dev dependencies: make test")
    v4 = pytest.importorskip("nbformat.v4", reason="needs the dev dependencies: make test")
    pytest.importorskip("ipykernel", reason="needs the dev dependencies: make test")
    from traitlets.config import Config

    def run(*cells):
        notebook = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells])
        with TemporaryDirectory() as folder:  # the names of such sockets must be short
            settings = Config(KernelManager={"transport": "ipc", "ip": f"{folder}/k"})
            client = nbclient.NotebookClient(notebook, kernel_name="python3", timeout=120, config=settings)
            client.execute(env={**os.environ, "IPYTHONDIR": str(tmp_path)})
        return [cell.outputs for cell in notebook.cells]

    return run


def test_a_notebook_shows_a_report_and_its_graph(shown):
    first, second, third = shown(
        "from trail_callbacks import check\n"
        "report = check('The harbour opened in 1986. It has two <b>docks</b>.', ['The harbour opened in 1968.'])\n"
        "report",
        "report.graph",
        "import sys; sorted({'rich', 'IPython'} & set(sys.modules))",
    )
    (output,) = first
    html = Page(output.data["text/html"]).text
    for words in ("score 1.00", "The harbour opened in 1986.", "contradicted (number)", "<b>docks</b>"):
        assert words in html
    assert output.data["text/plain"].startswith("hallucination score 1.00")
    (output,) = second
    drawing = Page(output.data["text/html"]).text
    assert "source (source-1), given by the app" in drawing
    assert "The harbour opened in 1968." in drawing
    assert output.data["text/plain"] == "ProvenanceGraph of 2 nodes and 1 edges"
    assert third[0].data["text/plain"] == "['IPython', 'rich']"


def test_the_answer_is_marked_claim_by_claim():
    found = [("It rained in 1986.", NO, NUMBER), ("It rained.", YES), ("The mayor came.", ABSENT), ("Bye!", ODD)]
    report = judged(*found, answer="It rained in 1986. It rained.\n\nThe mayor came. Bye!", sources=RAIN)
    html = Page(to_fragment(report))
    titles = [span["title"] for span in html.all("span", style=...) if "border-bottom" in span["style"]]
    assert titles == ["c1 contradicted (number)", "c2 supported", "c3 absent (other)", "c4 unevaluatable"]
    lines = re.findall("border-bottom:([^#]*)", to_fragment(report))
    assert len(set(lines)) == 4  # who sees no colour sees another line
    for sign in ("\u2717 c1", "\u2713 c2", "\u2205 c3", "\u00b7 c4"):
        assert sign in html.text
    assert "\n\n" in html.text  # paragraphs stay


def test_details_are_unfolded_where_something_is_amiss():
    wrong, right = judged(("It rained in 1986.", NO, NUMBER)), judged(("It rained.", YES))
    failed = judged(("It snowed.", None, {"error": "refused: no"}))
    assert ["<details open>" in to_fragment(each) for each in (wrong, failed, right)] == [True, True, False]
    assert "refused: no" in Page(to_fragment(failed)).text
    for line in to_text(wrong, width=100, ascii=False).splitlines():
        assert line.strip() in Page(to_fragment(wrong)).text


def test_hostile_text_is_only_read():
    report = judged((HOSTILE, NO, NUMBER), warnings=(HOSTILE,), judge=HOSTILE)
    nodes = [node(each.id + HOSTILE, each.kind, HOSTILE, HOSTILE) for each in report.graph.nodes]
    graph = graph_of(nodes, (nodes[0].id, nodes[1].id))
    html, drawing = Page(to_fragment(report)), Page(graph_to_fragment(graph))
    assert html.tags <= {"div", "span", "b", "bdi", "details", "summary"}
    assert html.attributes <= {"style", "dir", "title", "open"}
    assert drawing.tags <= {"div", "span"}
    assert not {name for name in drawing.attributes if name.startswith("on") or "href" in name or name in ("src", "id")}
    for read in (html, drawing):
        assert "<script>" in read.text
        assert not set("\x1b\u202e\u2066") & set(read.text)
    for fragment in (to_fragment(report), graph_to_fragment(graph)):
        assert not re.search(r"url\(|https?://(?!www\.w3\.org/2000/svg)|@import|<style|<link|<img", fragment)


@given(st.text(max_size=80), st.text(min_size=1, max_size=30))
def test_any_text_leaves_the_markup_whole(text, step):
    nodes = (node(step, "document", text, step), node("answer" + step, "answer", text))
    ET.fromstring(graph_to_fragment(graph_of(nodes, (nodes[0].id, nodes[1].id, "scope"))))  # noqa: S314 - our own text
    Page(to_fragment(check(text, [text])))


def test_long_answers_and_many_claims_are_cut_and_say_so():
    answer = "It rained in 1968. " * 400 + "x" * 2_000_000
    html = to_fragment(judged(*[("It rained in 1968.", ABSENT)] * 200, answer=answer))
    assert len(html) < 200_000
    assert "more characters]" in html
    assert "more lines: see report.claims" in html
    assert "[1,999,000 more characters]" in to_fragment(judged(answer="word " * 400_000))
