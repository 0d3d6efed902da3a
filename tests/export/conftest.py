import sys
from pathlib import Path

import pytest

from trail_callbacks import Claim, Edge, ErrorType, Evidence, Node, ProvenanceGraph, Report, SupportClass, Verdict

sys.path.insert(0, str(Path(__file__).parent))  # for any_report.py
from any_report import bare


@pytest.fixture(scope="session")
def report():
    """Two documents, a summary that gets one thing wrong, an answer that repeats it and makes something up."""
    summary = "The tower was finished in 1847. Boats leave at noon."
    answer = "The tower was finished in 1847. Boats leave at noon. It won a prize."
    graph = ProvenanceGraph(
        nodes=(
            Node(id="q1", kind="question", text="What is there?", step="user"),
            Node(id="d1", kind="document", text="The tower was finished in 1874.", step="shelf", run_id="r1", attributes={"source": "tower.md", "rank": 1}),
            Node(id="d2", kind="document", text="Boats leave at noon.", step="shelf", run_id="r1"),
            Node(id="m1", kind="completion", text=summary, step="summarise", run_id="r2"),
            Node(id="answer", kind="answer", text=answer, step="combine", run_id="r3"),
        ),
        edges=(
            Edge(source="q1", target="d1"),
            Edge(source="q1", target="d2"),
            Edge(source="d1", target="m1", basis="matched", coverage=0.75, ambiguous=1),
            Edge(source="d2", target="m1"),
            Edge(source="m1", target="answer"),
            Edge(source="d2", target="answer", basis="scope", coverage=0.0),
        ),
    )  # fmt: skip
    spoken = {"c1": "The tower was finished in 1847.", "c2": "Boats leave at noon.", "c3": "It won a prize."}
    claims = [
        Claim(id=id_, text=words, quote=words, start=answer.index(words), end=answer.index(words) + len(words))
        for id_, words in spoken.items()
    ]
    against = Evidence(node_id="d1", start=0, end=31, quote="The tower was finished in 1874.", relation="contradicts")
    backing = Evidence(node_id="d2", start=0, end=20, quote="Boats leave at noon.", relation="supports")
    verdicts = (
        Verdict(claim_id="c1", support=SupportClass.CONTRADICTED, error_type=ErrorType.NUMBER, rationale="1847, not 1874", evidence=(against,),
                introduced_at="m1", carried_through=("answer",), confidence=0.9, judge="local/0"),
        Verdict(claim_id="c2", support=SupportClass.SUPPORTED, evidence=(backing, backing), judge="local/0"),
        Verdict(claim_id="c3", support=SupportClass.ABSENT, error_type=ErrorType.OTHER, introduced_at="answer", judge="model/1"),
    )  # fmt: skip
    return Report(
        state="assessed",
        graph=graph,
        claims=tuple(claims),
        verdicts=verdicts,
        judge="local/0",
        warnings=("two of each",),
    )


@pytest.fixture(params=bare())
def bare_report(request):
    return bare()[request.param]
