"""What notebooks show: a report and its graph, by what a kernel really sends and what a browser would read of it."""

import os
import re
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as ET

import pytest
from fragment_reader import Reader
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks import Claim, Edge, ErrorType, Node, ProvenanceGraph, Report, SupportClass, Verdict, check
from trail_callbacks.render.notebook import graph_to_fragment, to_fragment
from trail_callbacks.render.terminal import to_text

HOSTILE = '\x1b[2J </text></svg><script>alert(1)</script> " onload="alert(2) \u202eevil\u2066 ]]> <!-- javascript:alert(3) &lt;'


def report_on(answer, *found, **kwargs):
    """A report whose claims are given as (words of the answer, class, error type)."""
    graph = ProvenanceGraph.from_texts(answer, ["It rained in 1968."])
    claims, verdicts = [], []
    for n, (quote, support, error) in enumerate(found, 1):
        start = answer.index(quote)
        claims.append(Claim(id=f"c{n}", text=quote, quote=quote, start=start, end=start + len(quote)))
        failed = {"error": "refused: no"} if support is None else {}
        verdicts.append(Verdict(claim_id=f"c{n}", support=support, error_type=error, **failed))
    return Report(state="assessed", graph=graph, claims=tuple(claims), verdicts=tuple(verdicts), **kwargs)


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
    html = Reader(output.data["text/html"])
    assert "hallucination score 1.00" in html.text
    assert "The harbour opened in 1986." in html.text
    assert "contradicted (number)" in html.text
    assert "<b>docks</b>" in html.text
    assert output.data["text/plain"].startswith("hallucination score 1.00")
    (output,) = second
    drawing = Reader(output.data["text/html"])
    assert "source (source-1), given by the app" in drawing.text
    assert "The harbour opened in 1968." in drawing.text
    assert output.data["text/plain"] == "ProvenanceGraph of 2 nodes and 1 edges"
    assert third[0].data["text/plain"] == "['IPython', 'rich']"


def test_the_answer_is_marked_claim_by_claim():
    report = report_on(
        "It rained in 1986. It rained.\n\nThe mayor came. Bye!",
        ("It rained in 1986.", SupportClass.CONTRADICTED, ErrorType.NUMBER),
        ("It rained.", SupportClass.SUPPORTED, None),
        ("The mayor came.", SupportClass.ABSENT, ErrorType.OTHER),
        ("Bye!", SupportClass.UNEVALUATABLE, None),
    )
    html = Reader(to_fragment(report))
    titles = [span["title"] for span in html.spans if "border-bottom" in span.get("style", "")]
    assert titles == ["c1 contradicted (number)", "c2 supported", "c3 absent (other)", "c4 unevaluatable"]
    lines = re.findall("border-bottom:([^#]*)", to_fragment(report))
    assert len(set(lines)) == 4  # who sees no colour sees another line
    for sign in ("\u2717 c1", "\u2713 c2", "\u2205 c3", "\u00b7 c4"):
        assert sign in html.text
    assert "\n\n" in html.text  # paragraphs stay


def test_details_are_unfolded_where_something_is_amiss():
    wrong = report_on("It rained in 1986.", ("It rained in 1986.", SupportClass.CONTRADICTED, ErrorType.NUMBER))
    failed = report_on("It snowed.", ("It snowed.", None, None))
    right = report_on("It rained.", ("It rained.", SupportClass.SUPPORTED, None))
    assert ["<details open>" in to_fragment(each) for each in (wrong, failed, right)] == [True, True, False]
    assert "refused: no" in Reader(to_fragment(failed)).text
    for line in to_text(wrong, width=100, ascii=False).splitlines():
        assert line.strip() in Reader(to_fragment(wrong)).text


def test_hostile_text_is_only_read():
    report = report_on(
        HOSTILE, (HOSTILE, SupportClass.CONTRADICTED, ErrorType.NUMBER), warnings=(HOSTILE,), judge=HOSTILE
    )
    nodes = tuple(Node(id=n.id + HOSTILE, kind=n.kind, text=HOSTILE, step=HOSTILE) for n in report.graph.nodes)
    graph = ProvenanceGraph(nodes=nodes, edges=(Edge(source=nodes[0].id, target=nodes[1].id),))
    html, drawing = Reader(to_fragment(report)), Reader(graph_to_fragment(graph))
    assert html.tags <= {"div", "span", "b", "bdi", "details", "summary"}
    assert html.attributes <= {"style", "dir", "title", "open"}
    assert drawing.tags <= {"div", "span"}
    assert not {name for name in drawing.attributes if name.startswith("on") or "href" in name or name in ("src", "id")}
    for read in (html, drawing):
        assert "<script>" in read.text
        assert not set("\x1b\u202e\u2066") & set(read.text)
    for text in (to_fragment(report), graph_to_fragment(graph)):
        assert not re.search(r"url\(|https?://(?!www\.w3\.org/2000/svg)|@import|<style|<link|<img", text)


@given(st.text(max_size=80), st.text(min_size=1, max_size=30))
def test_any_text_leaves_the_markup_whole(text, step):
    nodes = (Node(id=step, kind="document", text=text, step=step), Node(id="answer" + step, kind="answer", text=text))
    graph = ProvenanceGraph(nodes=nodes, edges=(Edge(source=nodes[0].id, target=nodes[1].id, basis="scope"),))
    ET.fromstring(graph_to_fragment(graph))  # noqa: S314 - our own text
    Reader(to_fragment(check(text, [text])))


def test_long_answers_and_many_claims_are_cut_and_say_so():
    answer = "It rained in 1968. " * 400 + "x" * 2_000_000
    found = [("It rained in 1968.", SupportClass.ABSENT, ErrorType.OTHER)] * 200
    report = report_on(answer, *found)
    html = to_fragment(report)
    assert len(html) < 200_000
    assert "more characters]" in html
    assert "more lines: see report.claims" in html
    long = report_on("word " * 400_000)
    assert "[1,999,000 more characters]" in to_fragment(long)
