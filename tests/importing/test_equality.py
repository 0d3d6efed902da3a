"""One run, recorded by our callback and by another tool's tracer at once: the imported graph is the live one."""

from __future__ import annotations

import json

import pytest
import recorded_apps as apps

from trail_callbacks.importing import read

# The instrumentors use what LangChain and OpenTelemetry call deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")

WAYS = ["invoke", "stream", "ainvoke", "astream"]
APPS = {"chain": (apps.chain, apps.QUESTION), "agent": (apps.agent, {"messages": [("user", apps.QUESTION)]})}


def check_equal(trace, live):
    graph = trace.graph
    assert graph.answer is not None
    assert graph.answer.text == live.answer.text
    assert graph.question is not None
    assert graph.question.text == live.question.text
    assert apps.paths(graph) == apps.paths(live)
    assert trace.lost == ()


@pytest.fixture
def live():
    from langchain_trail import TrailCallbackHandler

    handler = TrailCallbackHandler(evaluate="never")
    yield handler
    handler.close()
    assert handler.errors == []


@pytest.fixture
def exporter(tmp_path):
    """A tracer provider whose spans go to a file, and that file."""
    pytest.importorskip("opentelemetry.exporter.otlp.json.file")
    from opentelemetry.exporter.otlp.json.file import FileSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    path = tmp_path / "spans.jsonl"
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(str(path))))
    yield provider, path
    provider.shutdown()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", APPS)
def test_langchain_by_openinference(name, way, live, exporter):
    instrumentor = pytest.importorskip("openinference.instrumentation.langchain").LangChainInstrumentor()
    provider, path = exporter
    make, given = APPS[name]
    instrumentor.instrument(tracer_provider=provider)
    try:
        apps.invoke(make(), given, {"callbacks": [live]}, way)
    finally:
        instrumentor.uninstrument()
    (trace,) = read(path)
    check_equal(trace, live.graph())


class Kept:
    """What LangSmith's tracer would send: each run as it was when it ended."""

    def __init__(self):
        self.runs = {}

    def create_run(self, **run):
        self.runs[str(run["id"])] = dict(run)

    def update_run(self, run_id, **run):
        known = self.runs[str(run_id)]
        known.update({key: value for key, value in run.items() if value is not None})


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", APPS)
def test_langchain_by_langsmith(name, way, live, tmp_path):
    from langchain_core.tracers import LangChainTracer
    from langsmith._internal._serde import dumps_json  # what its client sends

    kept = Kept()
    tracer = LangChainTracer(client=kept, project_name="p")
    make, given = APPS[name]
    apps.invoke(make(), given, {"callbacks": [live, tracer]}, way)
    runs = [json.loads(dumps_json(run)) for run in kept.runs.values()]
    path = tmp_path / "runs.json"
    path.write_text(json.dumps({"runs": runs}), encoding="utf-8")
    (trace,) = read(path)
    check_equal(trace, live.graph())


def engine(streaming):
    from llama_index.core import MockEmbedding, VectorStoreIndex
    from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
    from llama_index.core.llms.callbacks import llm_completion_callback
    from llama_index.core.schema import TextNode

    class Model(CustomLLM):
        @property
        def metadata(self):
            return LLMMetadata(model_name="m-1")

        @llm_completion_callback()
        def complete(self, prompt, formatted=False, **kwargs):
            return CompletionResponse(text=apps.ANSWER)

        @llm_completion_callback()
        def stream_complete(self, prompt, formatted=False, **kwargs):
            words = apps.ANSWER.split(" ")
            return (
                CompletionResponse(text=" ".join(words[: i + 1]), delta=word if i == 0 else f" {word}")
                for i, word in enumerate(words)
            )

    nodes = [TextNode(text=text, metadata={"file_name": f"{i}.md"}) for i, text in enumerate(apps.TEXTS)]
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=8))
    return index.as_query_engine(llm=Model(), streaming=streaming, similarity_top_k=2)


@pytest.mark.parametrize("way", ["sync", "async", "stream"])
def test_llama_index_by_openinference(way, exporter):
    import asyncio

    import llama_index_trail

    instrumentor = pytest.importorskip("openinference.instrumentation.llama_index").LlamaIndexInstrumentor()
    provider, path = exporter
    llama_index_trail.instrument(evaluate="never")
    instrumentor.instrument(tracer_provider=provider)
    try:
        with llama_index_trail.trail() as recorded:
            asked = engine(way == "stream")
            if way == "async":
                asyncio.run(asked.aquery(apps.QUESTION))
            elif way == "stream":
                assert "".join(asked.query(apps.QUESTION).response_gen) == apps.ANSWER
            else:
                asked.query(apps.QUESTION)
        live = recorded.graph
    finally:
        instrumentor.uninstrument()
        llama_index_trail.uninstrument()
    (trace,) = [each for each in read(path) if each.answer]
    check_equal(trace, live)


def test_langchain_by_langfuse(live, exporter):
    langfuse = pytest.importorskip("langfuse")
    from langfuse.langchain import CallbackHandler

    provider, path = exporter
    client = langfuse.Langfuse(
        public_key="pk-test", secret_key="sk-test", host="http://127.0.0.1:9", tracer_provider=provider
    )
    for make, given in APPS.values():
        make().invoke(given, {"callbacks": [live, CallbackHandler(public_key="pk-test")]})
        provider.force_flush()
    traces = list(read(path))
    client.shutdown()
    assert [trace.answer for trace in traces] == [apps.ANSWER, "It opened in 1986."]
    assert {text for _, _, text in apps.paths(traces[0].graph)} == set(apps.TEXTS)
    assert apps.paths(traces[1].graph) == apps.paths(live.graph())


def test_langchain_by_mlflow(live, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    pytest.importorskip("pandas")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    mlflow.langchain.autolog()
    path = tmp_path / "traces.jsonl"
    try:
        for make, given in APPS.values():
            make().invoke(given, {"callbacks": [live]})
            mlflow.flush_trace_async_logging()
            with path.open("a", encoding="utf-8") as out:
                out.write(mlflow.get_trace(mlflow.get_last_active_trace_id()).to_json() + "\n")
            (*_, trace) = read(path)
            check_equal(trace, live.graph())
            assert trace.id.startswith("tr-")
    finally:
        mlflow.langchain.autolog(disable=True)
