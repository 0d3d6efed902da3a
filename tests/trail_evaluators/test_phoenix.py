"""What Phoenix's own client sends for a report."""

import json

import pytest
from sent_runs import SPAN, STEP, TRACE
from trail_evaluators import phoenix

from trail_callbacks.errors import InputError

pytestmark = [pytest.mark.loopback, pytest.mark.filterwarnings("default")]


@pytest.fixture
def client(server):
    library = pytest.importorskip("phoenix.client", reason="arize-phoenix-client is not installed")
    spans = [{"id": str(n)} for n in range(4)]
    server.replies |= {"/v1/span_annotations": {"data": spans}, "/v1/trace_annotations": {"data": spans}}
    return library.Client(base_url=server.url)


def test_an_imported_trace_gets_annotations_on_its_own_spans(client, server, imported):
    assert phoenix.send(imported, client, sync=True) == 4
    (body,) = server.bodies("/v1/span_annotations")
    sent = body["data"]
    assert [(each["name"], each["span_id"]) for each in sent] == [
        ("hallucination", SPAN),
        ("hallucination.claim", SPAN),
        ("hallucination.claim", SPAN),
        ("hallucination.entry", STEP),
    ]
    assert {each["annotator_kind"] for each in sent} == {"CODE"}
    assert [each["identifier"] for each in sent] == [each["identifier"] for each in imported.to_evaluations()]
    answer, wrong, undecided, entry = (each["result"] for each in sent)
    assert (answer["score"], answer["label"]) == (1.0, "hallucinated")
    assert (wrong["score"], wrong["label"]) == (1.0, "contradicted")
    assert undecided["label"] == "undecided"
    assert undecided.get("score") is None
    assert entry.get("score") is None
    assert sent[1]["metadata"]["evidence"][0]["quote"] == "The tower was finished in 1874."


def test_a_recorded_run_is_sent_to_the_span_that_the_app_names(client, server, report):
    phoenix.send(report, client, span_id=SPAN, trace_id=TRACE, spans={"run 2": STEP}, sync=True)
    (body,) = server.bodies("/v1/span_annotations")
    assert [each["span_id"] for each in body["data"]] == [SPAN, SPAN, SPAN, STEP]


def test_what_has_no_span_is_on_the_trace(client, server, report):
    phoenix.send(report, client, trace_id=TRACE, sync=True)
    (body,) = server.bodies("/v1/trace_annotations")
    assert {each["trace_id"] for each in body["data"]} == {TRACE}
    assert server.bodies("/v1/span_annotations") == []


@pytest.mark.parametrize(
    "about", [{}, {"trace_id": "tr-1"}, {"span_id": "run 3"}, {"trace_id": TRACE, "spans": {"run 2": "x"}}]
)
def test_without_an_id_of_phoenix_nothing_is_sent_and_it_says_what_to_give(report, about):
    with pytest.raises(InputError, match="span_id="):
        phoenix.send(report, None, **about)


def test_its_evaluator_in_a_data_frame():
    evals = pytest.importorskip("phoenix.evals", reason="arize-phoenix-evals is not installed")
    pandas = pytest.importorskip("pandas")
    source = "The tower is 40 m high."
    frame = pandas.DataFrame(
        {
            "question": ["How high?"] * 3,
            "output": [source, "The tower is 53 m high.", "The tower is 53 m high."],
            "context": [[source], [source], []],
        }
    )
    ours = evals.bind_evaluator(evaluator=phoenix.evaluator(), input_mapping={"input": "question"})
    done = evals.evaluate_dataframe(dataframe=frame, evaluators=[ours])
    scores = [value if isinstance(value, dict) else json.loads(value) for value in done["hallucination_score"]]
    assert [each.get("score") for each in scores] == [0.0, 1.0, None]
    assert [each["label"] for each in scores] == ["grounded", "hallucinated", "no_evidence"]
    assert {each["direction"] for each in scores} == {"minimize"}


def test_its_evaluator_refuses_an_empty_output():
    pytest.importorskip("phoenix.evals", reason="arize-phoenix-evals is not installed")
    (score,) = phoenix.evaluator().evaluate(
        {"input": "?", "output": "The tower is 53 m high.", "context": "The tower is 40 m high."}
    )
    assert (score.score, score.kind) == (1.0, "code")
    with pytest.raises(InputError, match="output is empty"):
        phoenix.evaluator().evaluate({"input": "?", "output": None, "context": "x"})
