"""MLflow on a store of its own: what it has after a report was sent."""

import json

import pytest
from sent_runs import run_report
from trail_evaluators import mlflow as ours

from trail_callbacks.errors import InputError

pytestmark = [pytest.mark.filterwarnings("default")]


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    library = pytest.importorskip("mlflow", reason="mlflow is not installed")
    pytest.importorskip("sqlalchemy", reason="mlflow without its store: sqlalchemy is not installed")
    monkeypatch.chdir(tmp_path)  # artifacts go into the working folder
    library.set_tracking_uri(f"sqlite:///{tmp_path}/store.db")
    return library


@pytest.fixture
def traced(mlflow):
    with mlflow.start_span("answer") as span, mlflow.start_span("summarise") as inner:
        pass
    mlflow.flush_trace_async_logging()
    return span.trace_id, span.span_id, inner.span_id


def stored(mlflow, trace):
    return {
        (each.name, (each.metadata or {}).get("claim_id")): each for each in mlflow.get_trace(trace).info.assessments
    }


def test_a_report_is_stored_once_however_often_it_is_sent(mlflow, traced):
    trace, span, inner = traced
    report = run_report(trace, span, inner)
    assert ours.send(report, mlflow) == 4
    found = stored(mlflow, trace)
    assert ours.send(report, mlflow) == 4
    again = stored(mlflow, trace)
    assert len(mlflow.get_trace(trace).info.assessments) == 4
    assert {key: each.assessment_id for key, each in again.items()} == {
        key: each.assessment_id for key, each in found.items()
    }
    answer, wrong = found["hallucination", None], found["hallucination.claim", "c1"]
    assert (answer.value, answer.span_id, answer.source.source_type) == (1.0, span, "CODE")
    assert wrong.metadata["label"] == "contradicted"
    assert json.loads(wrong.metadata["evidence"])[0]["quote"] == "The tower was finished in 1874."
    undecided = found["hallucination.claim", "c2"]
    assert undecided.value is None
    assert undecided.error.error_code == "undecided"
    entry = found["hallucination.entry", None]
    assert (entry.value, entry.span_id) == ("introduced", inner)


def test_without_a_trace_nothing_is_sent(report):
    pytest.importorskip("mlflow")
    with pytest.raises(InputError, match="trace_id="):
        ours.send(report, None)


def test_a_scorer_reads_what_the_spans_brought(mlflow):
    @mlflow.trace(span_type="RETRIEVER")
    def shelf(query):
        return [{"page_content": "The tower is 40 m high.", "metadata": {}, "id": "1"}]

    @mlflow.trace
    def app(said):
        shelf("tower")
        return said

    data = [{"inputs": {"said": text}} for text in ("The tower is 40 m high.", "The tower is 53 m high.", "Hello!")]
    result = mlflow.genai.evaluate(data=data, predict_fn=app, scorers=[ours.scorer()])
    found = {}
    for trace in mlflow.search_traces(run_id=result.run_id, return_type="list"):
        (ours_,) = [each for each in trace.info.assessments if each.name == "groundedness"]
        found[trace.data.spans[0].outputs] = ours_
    assert found["The tower is 40 m high."].value == 1.0
    assert found["The tower is 53 m high."].value == 0.0
    assert "53 m" in found["The tower is 53 m high."].rationale
    assert found["Hello!"].value is None
    assert found["Hello!"].error.error_code == "no_checkable_claims"
