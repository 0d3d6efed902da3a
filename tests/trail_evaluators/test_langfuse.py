"""What Langfuse's own client sends for a report."""

import pytest
from sent_runs import SPAN, STEP, TRACE, run_report
from trail_evaluators import langfuse

from trail_callbacks.errors import InputError

pytestmark = [pytest.mark.loopback, pytest.mark.filterwarnings("default")]


@pytest.fixture
def client(server):
    library = pytest.importorskip("langfuse", reason="langfuse is not installed")
    server.replies["/api/public/ingestion"] = {"successes": [], "errors": []}
    client = library.Langfuse(public_key=server.url, secret_key="sk", base_url=server.url, tracing_enabled=True)
    yield client
    client.shutdown()


def scores(server):
    for body in server.bodies("/api/public/scores"):
        yield from body if isinstance(body, list) else [body]


def test_scores_are_numeric_where_there_is_one_and_categorical_where_there_is_none(client, server, imported):
    assert langfuse.send(imported, client) == 4
    client.flush()
    sent = list(scores(server))
    assert [(each["name"], each["value"], each["dataType"]) for each in sent] == [
        ("hallucination", 1.0, "NUMERIC"),
        ("hallucination.claim", 1.0, "NUMERIC"),
        ("hallucination.claim.outcome", "undecided", "CATEGORICAL"),
        ("hallucination.entry.outcome", "introduced", "CATEGORICAL"),
    ]
    assert {each["traceId"] for each in sent} == {TRACE}
    assert [each["observationId"] for each in sent] == [SPAN, SPAN, SPAN, STEP]
    assert [each["id"] for each in sent] == [each["identifier"] for each in imported.to_evaluations()]
    assert "1847, not 1874" in sent[1]["comment"]
    assert sent[1]["metadata"]["label"] == "contradicted"


@pytest.mark.parametrize("trace", ["my-trace", "5f1b7c1e-0000-4000-8000-000000000000"])
def test_an_id_that_is_given_may_look_otherwise(client, server, trace):
    first, second = "5f1b7c1e-0000-4000-8000-000000000001", "5f1b7c1e-0000-4000-8000-000000000002"
    langfuse.send(run_report(trace, first, second), client, trace_id=trace)
    client.flush()
    assert {each["traceId"] for each in scores(server)} == {trace}
    assert [each.get("observationId") for each in scores(server)] == [None, None, None, second]


@pytest.mark.parametrize("about", [{}, {"trace_id": ""}, {"span_id": SPAN}])
def test_without_a_trace_nothing_is_sent(report, about):
    with pytest.raises(InputError, match="trace_id="):
        langfuse.send(report, None, **about)
