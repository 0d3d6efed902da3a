"""A report as a pytest file that fails until the answer no longer makes the unsupported claims."""

from __future__ import annotations

from trail_callbacks.errors import InputError
from trail_callbacks.graph import Node, ProvenanceGraph, named
from trail_callbacks.report.report import Report
from trail_callbacks.report.verdict import Verdict

_FILE = '''"""An answer must not make these unsupported claims again. Fill in `app`."""

import pytest

from trail_callbacks import Node

JUDGE = {judge}  # found the claims; name one like it with --trail-judge
QUESTION = {question}
SOURCES = [
{sources}]
CLAIMS = [  # what the answer said, and what the sources say instead
{claims}]


def app(question):
    """FILL IN: ask your app, and return the text of its answer."""
    raise NotImplementedError("fill in app() in this file")


@pytest.fixture(scope="module")
def reports():
    return []


@pytest.fixture
def report(reports, trail_check):
    if not reports:  # app and judge are asked once
        reports.append(trail_check(app(QUESTION), SOURCES, QUESTION))
    return reports[0]


@pytest.mark.parametrize(("said", "expected"), CLAIMS, ids=range(len(CLAIMS)))
def test_the_claim_is_not_made_again(report, said, expected):
    start = report.graph.answer.text.find(said)
    for claim in report.claims if start >= 0 else ():
        if start < claim.end and claim.start < start + len(said):
            supported = report.verdict(claim.id).support == "supported"
            assert supported and claim.quote != said, f"expected: {{expected}}"


def test_the_rest_is_grounded(report, assert_grounded):
    assert_grounded(report)
'''


def to_test(report: Report) -> str:
    """Writes the test of a report; see `Report.to_test`, also for what it raises."""
    if not report.has_texts:
        raise InputError("this report has no texts (texts=False): make the test from one with texts")
    if report.hallucination_score is None or not report.unsupported:
        raise InputError(f"no claim of this report ({report.state}) was found unsupported: there is nothing to test")
    graph, question = report.graph, report.graph.question
    pairs = [(claim.quote, _instead(report.verdict(claim.id), graph)) for claim in report.unsupported]
    return _FILE.format(
        judge=_literal(report.judge),
        question=_literal(question.text if question else ""),
        sources="".join(_source(node, graph) for node in graph.leaves() if node is not question),
        claims="".join(f"    (\n        {_literal(a)},\n        {_literal(b)},\n    ),\n" for a, b in pairs),
    )


def _instead(verdict: Verdict, graph: ProvenanceGraph) -> str:
    decisive = [item for item in verdict.evidence if item.decides]
    against = [item for item in decisive if item.relation == "contradicts"] or decisive
    return "; ".join(f'{named(item.node_id, graph)} says "{item.quote}"' for item in against) or "no source says it"


def _source(node: Node, graph: ProvenanceGraph) -> str:
    """A node as it is written in Python; what asks stays what asks, and what a model wrote in it is no evidence."""
    fields = {
        "id": _literal(node.id + "_" * (node.id in {"question", "answer"})),  # the test has nodes of these names
        "kind": _literal(node.kind),
        "text": _literal(node.text),
        "step": _literal(named(node.id, graph).removesuffix(f" ({node.id})")),
        "origin": _literal(node.origin or ""),
        "model_spans": repr(node.model_spans),
    }
    return "".join(("    Node(\n", *(f"        {name}={value},\n" for name, value in fields.items()), "    ),\n"))


def _literal(text: str) -> str:
    """A text as Python source, in the quotes that formatters prefer."""
    written = repr(text)
    return written if '"' in text or "'" in text else f'"{written[1:-1]}"'
