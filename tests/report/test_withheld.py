"""A report without texts: nothing of them is left, and everything that reads a report still can."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from trail_callbacks import Report, check, export, verify
from trail_callbacks.graph import Edge, Node, ProvenanceGraph
from trail_callbacks.models.call import Usage
from trail_callbacks.report.withheld import FILLER, HASH, NOT_KEPT, text_hash, without_texts

sys.path.insert(0, str(Path(__file__).parent.parent / "export"))
from any_report import reports

KEY = b"k" * 32
SOURCE = "The quarry at Holm opened in 1874. It closed in 1902, and Ada Lindqvist bought it."
ANSWER = "The quarry at Holm opened in 1847 [1]. Ada Lindqvist bought it. It was painted green."
WORDS = ("quarry", "Holm", "Ada", "Lindqvist", "1874", "1847", "green", "opened", "archive", "secret")


@pytest.fixture(scope="module")
def full():
    nodes = (
        Node(id="q1", kind="question", text="When did the quarry at Holm open?", step="user"),
        Node(
            id="d1", kind="document", text=SOURCE, step="shelf", run_id="r1",
            attributes={
                "source": "archive/secret.md", "rank": 1, "score": 0.5, "model": "gpt-x", "a secret key": 1, "phone": 4915112345678,
                "source_labels": {"1": [["d1", 0, 12]]}, "filter": {"kept": True, "reasons": [{"kind": "duplicate", "quote": "Ada"}]},
            },
        ),
        Node(id="m1", kind="completion", text="The quarry at Holm opened in 1847.", step="summarise", run_id="r2"),
        Node(id="answer", kind="answer", text=ANSWER, step="write", run_id="r3"),
    )  # fmt: skip
    edges = (Edge(source="q1", target="m1"), Edge(source="d1", target="m1"), Edge(source="m1", target="answer"))
    report = verify(ProvenanceGraph(nodes=nodes, edges=edges))
    assert report.unsupported
    assert any(verdict.evidence for verdict in report.verdicts)
    assert any(verdict.history for verdict in report.verdicts)
    return replace(
        report,
        usage=Usage(),  # the digits of a time may be those of a year
        warnings=(*report.warnings, "Ada was quoted", "a head: Ada", "1 of 3 claims were not judged: Ada"),
    )


@pytest.fixture(scope="module")
def bare(full):
    return without_texts(full, KEY)


def shown(report):
    """All forms in which a report leaves the process."""
    yield "json", report.to_json()
    yield "repr", repr((report.graph, report.claims, report.verdicts, report.warnings))
    yield "page", report.to_html()
    yield "terminal", str(report)
    yield "fragment", report._repr_html_()
    yield "summary", json.dumps(report.summary())
    yield "csv", export.to_csv(report)
    yield "prov", export.to_prov_json(report)
    yield "mermaid", export.to_mermaid(report)


def test_no_word_of_a_text_is_left_in_any_form(full, bare):
    before = dict(shown(full))
    assert sum(word in before["json"] for word in WORDS) >= len(WORDS) - 1
    ours = dict(shown(check("It rained.", [])))  # a page has words of its own
    for form, written in shown(bare):
        assert [word for word in WORDS if word in written and word not in ours[form]] == [], form
    assert sum(word not in ours["page"] for word in WORDS) >= len(WORDS) - 3


def test_what_was_decided_stays(full, bare):
    assert bare.hallucination_score == full.hallucination_score
    assert bare.interval == full.interval
    assert (bare.state, bare.class_counts, bare.error_counts) == (full.state, full.class_counts, full.error_counts)
    for before, after in zip(full.verdicts, bare.verdicts, strict=True):
        for name in ("claim_id", "support", "error_type", "confidence", "introduced_at", "carried_through", "judge"):
            assert getattr(after, name) == getattr(before, name)
    for spans in (
        lambda r: [(e.start, e.end) for v in r.verdicts for e in v.evidence],
        lambda r: [(c.id, c.start, c.end) for c in r.claims],
    ):
        assert spans(bare) == spans(full)
    assert bare.graph.edges == full.graph.edges
    assert [(n.id, n.kind, n.step, n.origin) for n in bare.graph.nodes] == [
        (n.id, n.kind, n.step, n.origin) for n in full.graph.nodes
    ]


def test_whoever_has_the_key_and_a_text_can_tell_that_it_was_judged(bare):
    assert bare.graph.node("d1").attributes[HASH] == text_hash(SOURCE, KEY)
    assert text_hash(SOURCE, KEY) != text_hash(SOURCE, b"l" * 32)
    assert text_hash(SOURCE) == text_hash(SOURCE) != text_hash(SOURCE, KEY)
    assert len({node.attributes[HASH] for node in bare.graph.nodes}) == 4


def test_it_says_so_and_keeps_the_warnings_that_quote_nothing(full, bare):
    assert bare.warnings[0].startswith("texts were not kept (texts=False)")
    assert "texts were not kept" in str(bare)
    assert "texts were not kept" in bare.to_html()
    assert f"1 of 3 claims were not judged: {NOT_KEPT}" in bare.warnings
    silent = check("It rained.", [])
    assert set(silent.warnings) <= set(without_texts(silent).warnings)
    asked = check("The quarry closed in 1902.", [], question="Did the quarry close in 1902?")
    assert set(asked.warnings) <= set(without_texts(asked).warnings)


@settings(max_examples=40, deadline=None)
@given(reports())
def test_any_report_can_be_written_without_its_texts(report):
    bare = without_texts(report)
    assert Report.from_json(bare.to_json()) == bare
    assert bare.state == report.state
    assert bare.hallucination_score == report.hallucination_score
    assert all(set(node.text) <= {FILLER} for node in bare.graph.nodes)
    for _, written in shown(bare):
        assert written
