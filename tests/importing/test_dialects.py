"""The other dialects, as their tools write them: runs of LangSmith, observations of Langfuse, GenAI, traces of MLflow."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import spans_by_hand as made

from trail_callbacks.importing import read
from trail_callbacks.verify.pipeline import verify

DUMPS = Path(os.environ.get("TRAIL_DATA_DIR", "/nonexistent")) / "traces"


@pytest.fixture
def traces(tmp_path):
    def make(content):
        path = tmp_path / "file.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return list(read(path))

    return make


def sources(trace):
    return [node.text for node in trace.graph.leaves("answer") if node.kind == "document"]


def observations(spelling):
    """A trace of Langfuse; exports write `snake` case and payloads as texts, the API `camel` case."""
    rows = [
        {"id": "o1", "trace_id": "t", "parent_observation_id": "", "type": "CHAIN", "name": "app",
         "input": made.QUESTION, "output": made.ANSWER, "start_time": "2027-01-15T08:00:01Z",
         "end_time": "2027-01-15T08:00:09Z"},
        {"id": "o2", "trace_id": "t", "parent_observation_id": "o1", "type": "RETRIEVER", "name": "search",
         "input": made.QUESTION, "output": [{"page_content": made.TEXT, "metadata": {"source": "a.md"}, "id": "d-1"}],
         "start_time": "2027-01-15T08:00:02Z", "end_time": "2027-01-15T08:00:03Z"},
        {"id": "o3", "trace_id": "t", "parent_observation_id": "o1", "type": "GENERATION", "name": "model",
         "model": "m-1", "usage_details": {"input": 30, "output": 5, "total": 35},
         "input": [{"role": "system", "content": made.PROMPT}], "output": {"role": "assistant", "content": made.ANSWER},
         "start_time": "2027-01-15T08:00:04Z", "end_time": "2027-01-15T08:00:08Z"},
        {"id": "o4", "trace_id": "t", "parent_observation_id": "o1", "type": "EVENT", "name": "token",
         "start_time": "2027-01-15T08:00:05Z"},
    ]  # fmt: skip
    if spelling == "camel":
        names = {"trace_id": "traceId", "parent_observation_id": "parentObservationId", "start_time": "startTime",
                 "end_time": "endTime", "usage_details": "usageDetails"}  # fmt: skip
        return [{names.get(key, key): value or None for key, value in row.items()} for row in rows]
    return [
        {key: json.dumps(value) if isinstance(value, dict | list) else value for key, value in row.items()}
        for row in rows
    ]


@pytest.mark.parametrize("spelling", ["snake", "camel"])
@pytest.mark.parametrize("layout", ["lines", "array", "data", "trace"])
def test_observations_of_langfuse(spelling, layout, traces):
    rows = observations(spelling)
    about = {"id": "t", "name": "app", "sessionId": "s", "userId": "u", "observations": rows}
    content = {"lines": made.lines(rows), "array": rows, "data": {"data": rows, "meta": {}}, "trace": about}[layout]
    (trace,) = traces(content)
    assert (trace.id, trace.question, trace.answer) == ("t", made.QUESTION, made.ANSWER)
    assert sources(trace) == [made.TEXT]
    (call,) = trace.calls
    assert (call.model, call.prompt_tokens, call.completion_tokens) == ("m-1", 30, 5)
    assert trace.retrievals[0].candidates[0].id == "d-1"
    if layout == "trace":
        assert (trace.context.session, trace.context.user) == ("s", "u")


def test_a_trace_of_langfuse_whose_observations_have_no_root(traces):
    rows = [{**row, "parentObservationId": None} for row in observations("camel")[1:3]]
    about = {"id": "t", "input": made.QUESTION, "output": made.ANSWER, "observations": rows}
    (trace,) = traces(about)
    assert (trace.question, trace.answer, sources(trace), trace.lost) == (made.QUESTION, made.ANSWER, [made.TEXT], ())


def genai():
    message = [{"role": "system", "parts": [{"type": "text", "content": made.PROMPT}]},
               {"role": "user", "parts": [{"type": "text", "content": made.QUESTION}]}]  # fmt: skip
    answer = [{"role": "assistant", "parts": [{"type": "text", "content": made.ANSWER}], "finish_reason": "stop"}]
    key = "gen_ai.operation.name"
    return [
        made.span(1, None, "invoke_workflow app", None, **{key: "invoke_workflow"}),
        made.span(2, 1, "retrieval", None, **{key: "retrieval", "gen_ai.retrieval.query.text": made.QUESTION,
                  "gen_ai.retrieval.documents": '[{"id": "doc-1", "score": null}]'}),
        made.span(3, 1, "chat m-1", None, **{key: "chat", "gen_ai.request.model": "m-1",
                  "gen_ai.input.messages": json.dumps(message), "gen_ai.output.messages": json.dumps(answer),
                  "gen_ai.usage.input_tokens": 30}),
    ]  # fmt: skip


def test_of_genai_the_prompt_is_the_source_and_the_report_says_so(traces):
    (trace,) = traces(made.otlp(genai()))
    assert (trace.question, trace.answer) == (made.QUESTION, made.ANSWER)
    assert any(made.TEXT in text for text in sources(trace))
    (sentence,) = trace.lost
    assert "1 documents of retrieval are not in the file, or have no text in it" in sentence
    report = verify(trace)
    assert report.state == "partial"
    assert sentence in report.warnings


def langsmith():
    start = "20270115T080000{:06d}Z{}"

    def order(*ids):
        return ".".join(start.format(i, id_) for i, id_ in enumerate(ids))

    return [
        {"id": "r3", "dotted_order": order("r1", "r3"), "run_type": "llm", "name": "model",
         "inputs": {"messages": [[{"lc": 1, "id": ["langchain", "schema", "messages", "SystemMessage"],
                                   "kwargs": {"content": made.PROMPT, "type": "system"}}]]},
         "outputs": {"generations": [[{"text": made.ANSWER, "message": {"lc": 1, "type": "constructor",
                     "id": ["langchain", "schema", "messages", "AIMessage"], "kwargs": {"content": made.ANSWER}}}]]},
         "extra": {"metadata": {"ls_model_name": "m-1", "LANGSMITH_API_KEY": "secret"}},
         "start_time": "2027-01-15T08:00:04+00:00", "end_time": "2027-01-15T08:00:05+00:00"},
        {"id": "r1", "dotted_order": order("r1"), "run_type": "chain", "name": "app", "session_name": "p",
         "inputs": {"input": made.QUESTION}, "outputs": {"output": made.ANSWER}, "tags": ["beta"],
         "extra": {"metadata": {"user_id": "u", "LANGCHAIN_PROJECT": "secret"}},
         "start_time": "2027-01-15T08:00:01+00:00", "end_time": "2027-01-15T08:00:06+00:00"},
        {"id": "r2", "dotted_order": order("r1", "r2"), "run_type": "retriever", "name": "search",
         "inputs": {"query": made.QUESTION},
         "outputs": {"documents": [{"page_content": made.TEXT, "metadata": {"source": "a.md"}, "id": "d-1",
                                    "type": "Document"}]},
         "start_time": "2027-01-15T08:00:02+00:00", "end_time": "2027-01-15T08:00:03+00:00"},
    ]  # fmt: skip


def test_runs_of_langsmith_in_any_order(traces):
    (trace,) = traces(langsmith())
    assert (trace.id, trace.question, trace.answer) == ("r1", made.QUESTION, made.ANSWER)
    assert sources(trace) == [made.TEXT]
    assert trace.retrievals[0].candidates[0].id == "d-1"
    assert trace.calls[0].model == "m-1"
    assert (trace.context.user, trace.context.tags) == ("u", ("beta",))
    assert "secret" not in trace.to_json()  # the tracer sends the environment along


def test_runs_of_langsmith_inside_each_other(traces):
    model, root, search = ({key: x for key, x in each.items() if key != "dotted_order"} for each in langsmith())
    (trace,) = traces({**root, "child_runs": [search, model]})
    assert (trace.answer, sources(trace)) == (made.ANSWER, [made.TEXT])


def test_runs_of_langsmith_whose_texts_are_stored_elsewhere(traces):
    runs = langsmith()
    runs[2] = {**runs[2], "outputs": None, "outputs_s3_urls": {"outputs": "https://x"}}
    (trace,) = traces(runs)
    assert trace.lost == (
        "inputs or outputs of search are stored elsewhere (inputs_s3_urls, outputs_s3_urls): add them",
    )


def test_a_trace_of_mlflow(traces):
    spans = [
        ("AAAAAAAAAAE=", None, "app", "CHAIN", made.QUESTION, made.ANSWER),
        ("AAAAAAAAAAI=", "AAAAAAAAAAE=", "search", "RETRIEVER", made.QUESTION,
         [{"page_content": made.TEXT, "metadata": {"doc_uri": "a.md"}, "id": "d-1"}]),
        ("AAAAAAAAAAM=", "AAAAAAAAAAE=", "model", "CHAT_MODEL",
         {"messages": [{"role": "system", "content": made.PROMPT}]},
         {"choices": [{"message": {"role": "assistant", "content": made.ANSWER}}]}),
    ]  # fmt: skip
    written = [
        {"trace_id": "CNsAUuxb2xeiXSBZp1dEQg==", "span_id": id_, "parent_span_id": parent, "name": name,
         "start_time_unix_nano": 1_800_000_000_000_000_000 + i, "end_time_unix_nano": 1_800_000_009_000_000_000 + 3 * i,
         "status": {"code": "STATUS_CODE_OK"}, "events": [],
         "attributes": {"mlflow.spanType": json.dumps(kind), "mlflow.spanInputs": json.dumps(given),
                        "mlflow.spanOutputs": json.dumps(returned)}}
        for i, (id_, parent, name, kind, given, returned) in enumerate(spans)
    ]  # fmt: skip
    info = {
        "trace_id": "tr-1",
        "state": "OK",
        "trace_metadata": {"mlflow.trace.session": "s"},
        "tags": {"app_version": "2"},
    }
    (trace,) = traces({"info": info, "data": {"spans": written}})
    assert (trace.id, trace.question, trace.answer) == ("tr-1", made.QUESTION, made.ANSWER)
    assert sources(trace) == [made.TEXT]
    assert (trace.context.session, trace.versions.app) == ("s", "2")


@pytest.mark.skipif(not DUMPS.is_dir(), reason="TRAIL_DATA_DIR has no traces")
@pytest.mark.parametrize("path", sorted(DUMPS.glob("*.json*")), ids=lambda path: path.name)
def test_dumps_of_real_tools(path):
    for trace in read(path):
        assert trace.question
        assert trace.answer
        assert trace.lost == ()
        assert any(node.kind in {"document", "tool_result"} for node in trace.graph.leaves("answer"))
        assert verify(trace).hallucination_score == 1.0  # all of them say 1986 where the source says 1968
