"""Lone surrogates, which JSON from outside may hold and no file can: whatever holds one, every format is written."""

import json

import pytest

from trail_callbacks import (
    Claim,
    Edge,
    ErrorType,
    Evidence,
    Node,
    ProvenanceGraph,
    Report,
    SupportClass,
    Verdict,
    export,
)

LONE = "a\ud800b\udfff"
FORMATS = {
    "csv": export.to_csv,
    "mermaid": export.to_mermaid,
    "otlp": export.to_otlp,
    "prov-json": export.to_prov_json,
    "evaluations": lambda report: json.dumps(report.to_evaluations(), ensure_ascii=False),
    "json": Report.to_json,
    "page": Report.to_html,
    "terminal": str,
    "notebook": lambda report: report._repr_html_(),
}
PARTS = ("id", "text", "step", "run_id", "attribute", "key", "nested", "judge", "rationale", "warning", "claim id", "none")  # fmt: skip


def holding(part):
    """A report with lone surrogates in one of its parts."""
    odd = {each: LONE if each == part else "plain" for each in PARTS}
    attributes = {odd["key"]: 1, "title": odd["attribute"], "list": [odd["nested"], {odd["nested"]: odd["nested"]}]}
    source = Node(
        id=f"d{odd['id']}",
        kind="document",
        text=odd["text"],
        step=odd["step"],
        run_id=odd["run_id"],
        attributes=attributes,
    )
    answer = Node(id="answer", kind="answer", text="It is so.", step=odd["step"])
    graph = ProvenanceGraph(nodes=(source, answer), edges=(Edge(source=source.id, target="answer"),))
    text = graph.nodes[0].text
    near = Evidence(node_id=source.id, start=0, end=len(text), quote=text, relation="contradicts")
    claim = Claim(id=odd["claim id"], text="It is so.", quote="It is so.", start=0, end=9)
    verdict = Verdict(
        claim_id=claim.id, support=SupportClass.CONTRADICTED, error_type=ErrorType.OTHER, rationale=odd["rationale"],
        evidence=(near,), introduced_at="answer", judge=odd["judge"],
    )  # fmt: skip
    return Report(
        state="assessed",
        graph=graph,
        claims=(claim,),
        verdicts=(verdict,),
        judge=odd["judge"],
        warnings=(odd["warning"],),
    )


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("written", FORMATS.values(), ids=FORMATS)
def test_every_format_can_be_encoded(written, part):
    assert written(holding(part)).encode()


@pytest.mark.parametrize("part", PARTS)
def test_a_saved_report_is_read_back_with_replacement_characters(part):
    report = holding(part)
    again = Report.from_json(report.to_json())
    assert again.to_json() == report.to_json()
    assert (again == report) == (part in {"none", "text"})  # a graph replaces those in texts when it is made
    assert ("\ufffd" in again.to_json()) == (part != "none")
