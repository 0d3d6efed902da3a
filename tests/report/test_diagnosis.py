"""A diagnosis as a value: it reads back from a report, and becomes plain data."""

import json
from dataclasses import replace

import pytest

from trail_callbacks import Report, check
from trail_callbacks.errors import ReportError
from trail_callbacks.report import diagnosis as d

FOUND = d.Diagnosis(
    signature="selection_failure",
    first_break=d.Break(stage="reranking", signature="selection_failure", step="rerank", reasons=("dropped",)),
    coverage=d.Coverage(
        query={"retrieved": d.Figure(value=0.5, n=2)},
        sufficient={"retrieved": True, "selected": None},
        overlap={
            "selected": d.Overlap(
                jaccard=d.Figure(why="unknown"), recall=d.Figure(value=1.0, n=1), precision=d.Figure()
            )
        },
    ),
    facets=(d.FacetFinding(facet=d.Facet(id="f1", text="Ärger \u200b"), depths=("retrieved",), where="dropped"),),
    claims=(d.ClaimFinding(claim_id="c1", where="dropped", relation="contradicts"),),
    retrievals=(d.RetrievalFinding(run_id="r", step="find", query="q", candidates=3),),
    stages=(d.Stage(name="query", there=1), d.Stage(name="reranking", there=2, lost=("x",), broken=True)),
)


def test_it_reads_back_with_its_report():
    report = replace(check("It is 5 m.", ["It is 6 m."]), diagnosis=FOUND)
    assert Report.from_json(report.to_json()) == report
    assert Report.from_json(report.to_json(), lenient=True).diagnosis == FOUND


@pytest.mark.parametrize("broken", [{"signature": "bad luck"}, {"signature": "none", "stages": 3}, []])
def test_a_broken_one_is_refused_or_left_out(broken):
    stored = {**json.loads(check("It is 5 m.", ["It is 6 m."]).to_json()), "diagnosis": broken}
    with pytest.raises(ReportError, match="diagnosis"):
        Report.from_json(json.dumps(stored))
    assert Report.from_json(json.dumps(stored), lenient=True).diagnosis is None
