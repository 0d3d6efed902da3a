"""A hook that marks the app's own OpenTelemetry span: in the thread, in an event loop, and when the span has ended."""

import asyncio
import json
import subprocess
import sys
import threading

import pytest
from langchain_trail import TrailCallbackHandler

from trail_callbacks.export import annotate_span

trace = pytest.importorskip("opentelemetry.trace")
sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="opentelemetry-sdk is not installed")
export = pytest.importorskip("opentelemetry.sdk.trace.export")
memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")

from langchain_core.documents import Document  # noqa: E402 - what is above may skip
from langchain_core.language_models import FakeListChatModel  # noqa: E402
from langchain_core.runnables import RunnableLambda  # noqa: E402

SOURCE, WRONG = "The tower is 40 m high.", "The tower is 53 m high."


@pytest.fixture
def finished(monkeypatch):
    spans = memory.InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(spans))
    # A process sets its provider once, and tests of other tools may have been first.
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    return lambda: {span.name: span for span in spans.get_finished_spans()}


def chain():
    from langchain_core.retrievers import BaseRetriever

    class Shelf(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            return [Document(SOURCE)]

    model = FakeListChatModel(responses=[WRONG])
    return Shelf() | RunnableLambda(lambda found: f"Context: {found[0].page_content}") | model


def value(span, key, n=0):
    return span.attributes.get(f"evaluations.{n}.evaluation.{key}")


def test_inline_it_is_on_the_span_that_is_open(finished):
    handler = TrailCallbackHandler(evaluate="inline", on_report=annotate_span)
    with trace.get_tracer("app").start_as_current_span("request"):
        chain().invoke("How high is it?", config={"callbacks": [handler]})
    assert handler.errors == []
    (span,) = finished().values()
    assert (value(span, "name"), value(span, "score"), value(span, "label")) == ("hallucination", 1.0, "hallucinated")
    about = json.loads(value(span, "metadata"))
    assert (about["trace_id"], about["span_id"]) == (f"{span.context.trace_id:032x}", f"{span.context.span_id:016x}")
    assert about["unsupported"][0]["claim"] == WRONG


async def test_inline_in_an_event_loop_each_request_has_its_own(finished):
    handler = TrailCallbackHandler(evaluate="inline", on_report=annotate_span)

    async def request(n):
        with trace.get_tracer("app").start_as_current_span(f"request {n}"):
            await chain().ainvoke("How high is it?", config={"callbacks": [handler], "metadata": {"n": n}})

    await asyncio.gather(*map(request, range(4)))
    assert handler.errors == []
    spans = finished()
    assert sorted(spans) == [f"request {n}" for n in range(4)]
    ids = {value(span, "identifier") for span in spans.values()}
    assert len(ids) == 4
    for span in spans.values():
        assert json.loads(value(span, "metadata"))["span_id"] == f"{span.context.span_id:016x}"


def test_a_span_that_has_ended_is_linked_to(finished):
    may, judged = threading.Event(), threading.Event()

    def hook(report):
        may.wait(60)
        annotate_span(report)
        judged.set()

    handler = TrailCallbackHandler(on_report=hook)
    with trace.get_tracer("app").start_as_current_span("request"):
        chain().invoke("How high is it?", config={"callbacks": [handler]})
    may.set()
    assert judged.wait(60)
    handler.close()
    assert handler.errors == []
    spans = finished()
    request, carrier = spans["request"], spans["trail evaluation"]
    assert value(request, "name") is None
    (link,) = carrier.links
    assert (link.context.span_id, carrier.context.trace_id) == (request.context.span_id, request.context.trace_id)
    assert carrier.attributes["openinference.span.kind"] == "EVALUATOR"
    assert value(carrier, "score") == 1.0


def test_opentelemetry_is_never_imported_for_it():
    code = (
        "import sys; from trail_callbacks import check; from trail_callbacks.export import annotate_span\n"
        "assert annotate_span(check('It is so.', ['It is so.'])) is False\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
