import sys
from pathlib import Path

import pytest
from judged import ABSENT, NO, YES, node, quoted
from judged import report as judged

from trail_callbacks import Edge, ErrorType, ProvenanceGraph

sys.path.insert(0, str(Path(__file__).parent))  # for any_report.py
from any_report import bare


@pytest.fixture(scope="session")
def report():
    """Two documents, a summary that gets one thing wrong, an answer that repeats it and makes something up."""
    tower, boats, prize = "The tower was finished in 1847.", "Boats leave at noon.", "It won a prize."
    where = {"source": "tower.md", "rank": 1}
    nodes = (
        node("q1", "question", "What is there?", "user"),
        node("d1", "document", "The tower was finished in 1874.", "shelf", run_id="r1", attributes=where),
        node("d2", "document", boats, "shelf", run_id="r1"),
        node("m1", "completion", f"{tower} {boats}", "summarise", run_id="r2"),
        node("answer", "answer", f"{tower} {boats} {prize}", "combine", run_id="r3"),
    )
    edges = (
        Edge(source="q1", target="d1"),
        Edge(source="q1", target="d2"),
        Edge(source="d1", target="m1", basis="matched", coverage=0.75, ambiguous=1),
        Edge(source="d2", target="m1"),
        Edge(source="m1", target="answer"),
        Edge(source="d2", target="answer", basis="scope", coverage=0.0),
    )
    wrong = {
        "error_type": ErrorType.NUMBER,
        "rationale": "1847, not 1874",
        "evidence": (quoted(nodes[1], nodes[1].text, "contradicts"),),
        "introduced_at": "m1",
        "carried_through": ("answer",),
        "confidence": 0.9,
        "judge": "local/0",
    }
    return judged(
        (tower, NO, wrong),
        (boats, YES, {"evidence": (quoted(nodes[2], boats),) * 2, "judge": "local/0"}),
        (prize, ABSENT, {"introduced_at": "answer", "judge": "model/1"}),
        graph=ProvenanceGraph(nodes=nodes, edges=edges),
        judge="local/0",
        warnings=("two of each",),
    )


@pytest.fixture(params=bare())
def bare_report(request):
    return bare()[request.param]
