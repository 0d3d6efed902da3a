"""What LangSmith's own client sends for a report."""

import pytest
from sent_runs import TRACE, run_report
from trail_evaluators import langsmith

from trail_callbacks.errors import InputError

pytestmark = [pytest.mark.loopback, pytest.mark.filterwarnings("default")]

ROOT, MODEL, SUMMARY = (f"01a20511-6712-740a-93d5-05520817270{n}" for n in "abc")
PROJECT = "9b1d7a52-0000-4000-8000-000000000001"


@pytest.fixture
def recorded():
    """As `TrailCallbackHandler` records a run that LangSmith traces, too."""
    return run_report(ROOT, MODEL, SUMMARY)


@pytest.fixture
def client(server):
    library = pytest.importorskip("langsmith", reason="langsmith is not installed")
    return library.Client(api_url=server.url, api_key="key", info={})


def feedback(server):
    return [body for method, path, body in server.asked if method == "POST" and path.startswith("/feedback")]


def test_a_recorded_run_needs_no_other_ids(client, server, recorded):
    assert langsmith.send(recorded, client, project_id=PROJECT) == 4
    client.flush()
    sent = feedback(server)
    assert [(each["key"], each["run_id"], each.get("score"), each["value"]) for each in sent] == [
        ("groundedness", ROOT, 0.0, "hallucinated"),
        ("groundedness.claim", ROOT, 0.0, "contradicted"),
        ("groundedness.claim", ROOT, None, "undecided"),
        ("hallucination.entry", SUMMARY, None, "introduced"),
    ]
    assert [each["id"] for each in sent] == [
        each["identifier"] for each in recorded.to_evaluations(higher_is_better=True)
    ]
    assert {each["session_id"] for each in sent} == {PROJECT}
    assert {each["trace_id"] for each in sent} == {ROOT}
    assert not any(each.get("extend_trace_retention") for each in sent)


def test_without_a_run_nothing_is_sent(report, imported):
    for unknown, about in ((report, {}), (imported, {}), (report, {"trace_id": TRACE})):
        with pytest.raises(InputError, match="trace_id=, the id of the root run"):
            langsmith.send(unknown, None, **about)


def test_an_experiment_reads_what_its_retrievers_brought(client, server):
    from langsmith import evaluate, traceable
    from langsmith.schemas import Example

    @traceable(run_type="retriever")
    def shelf(query):
        return [{"page_content": "The tower is 40 m high.", "type": "Document", "metadata": {}}]

    def app(inputs):
        return {"answer": inputs["said"], "found": len(shelf("tower"))}

    id_ = "01a20511-6712-740a-93d5-05520817270"
    said = ["The tower is 40 m high.", "The tower is 53 m high.", "Hello!"]
    data = [
        Example(id=f"{id_}{n}", dataset_id=f"{id_}f", inputs={"said": text, "question": "How high?"}, outputs={})
        for n, text in enumerate(said)
    ]
    rows = list(evaluate(app, data=data, evaluators=[langsmith.evaluator()], upload_results=False, client=client))
    found = {row["run"].outputs["answer"]: row["evaluation_results"]["results"][0] for row in rows}
    assert [found[text].score for text in said] == [1.0, 0.0, None]
    assert [found[text].value for text in said] == ["grounded", "hallucinated", "no_checkable_claims"]
    assert {each.key for each in found.values()} == {"groundedness"}
    assert "53 m" in found[said[1]].comment
    assert found[said[1]].metadata["per_claim"][0]["label"] == "contradicted"
