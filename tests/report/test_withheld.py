"""A report without texts: nothing of them is left, and everything that reads a report still can."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from judged import graph_of, node

from trail_callbacks import Report, check, export, verify
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
    attributes = {
        "source": "archive/secret.md", "rank": 1, "score": 0.5, "model": "gpt-x", "a secret key": 1, "phone": 4915112345678,
        "source_labels": {"1": [["d1", 0, 12]]}, "filter": {"kept": True, "reasons": [{"kind": "duplicate", "quote": "Ada"}]},
    }  # fmt: skip
    nodes = (
        node("q1", "question", "When did the quarry at Holm open?", "user"),
        node("d1", "document", SOURCE, "shelf", run_id="r1", attributes=attributes),
        node("m1", "completion", "The quarry at Holm opened in 1847.", "summarise", run_id="r2"),
        node("answer", "answer", ANSWER, "write", run_id="r3"),
    )
    report = verify(graph_of(nodes, ("q1", "m1"), ("d1", "m1"), ("m1", "answer")))
    assert report.unsupported
    assert any(verdict.evidence for verdict in report.verdicts)
    assert any(verdict.history for verdict in report.verdicts)
    warnings = (*report.warnings, "Ada was quoted", "a head: Ada", "1 of 3 claims were not judged: Ada")
    return replace(report, usage=Usage(), warnings=warnings)  # the digits of a time may be those of a year


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
    def decided(report):
        yield from (report.hallucination_score, report.interval, report.state, report.class_counts, report.error_counts)
        for each in report.verdicts:
            yield (each.claim_id, each.support, each.error_type, each.confidence, each.introduced_at)
            yield (each.carried_through, each.judge, [(item.start, item.end) for item in each.evidence])
        yield [(claim.id, claim.start, claim.end) for claim in report.claims]
        yield report.graph.edges
        yield [(node.id, node.kind, node.step, node.origin) for node in report.graph.nodes]

    assert list(decided(bare)) == list(decided(full))


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
