"""The shapes of the lineage suites, recorded by our callback and by OpenInference's instrumentors at once.

The suites are not in the repository: `TRAIL_CONFORMANCE_DIR` names the folder with them. What the imported run shows is
what the live one does, or it is said that the file lacks something, so that no report on it is complete.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import time
from contextlib import closing

import pytest
import recorded_apps as apps

from trail_callbacks.importing import read
from trail_callbacks.verify.pipeline import verify

# The instrumentors use what LangChain and OpenTelemetry call deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")

FOLDER = os.environ.get("TRAIL_CONFORMANCE_DIR")
MODES = ["invoke", "ainvoke", "stream", "batch"]
FEWEST = {"langchain": 30, "llama_index": 15}
"""Shapes that a suite has at least: fewer means that it was not found as it is."""


def suite(name):
    if FOLDER is None:
        pytest.skip("TRAIL_CONFORMANCE_DIR names no folder with the lineage suites")
    if FOLDER not in sys.path:
        sys.path.append(FOLDER)
    return importlib.import_module(name)


def recorded(path, instrumentor, run):
    """Runs an app while its spans go to a file."""
    pytest.importorskip("opentelemetry.exporter.otlp.json.file")
    from opentelemetry.exporter.otlp.json.file import FileSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(str(path))))
    instrumentor.instrument(tracer_provider=provider)
    try:
        return run()
    finally:
        instrumentor.uninstrument()
        provider.shutdown()


def evidence(graph):
    return None if graph.answer is None else (graph.answer.text, apps.paths(graph))


def unsaid(trace, live, differing):
    """Whether an imported run is not the live one, or not on its known paths, and nothing says so."""
    if evidence(trace.graph) == evidence(live) and not differing:
        return False
    return not (trace.lost and verify(trace).state != "assessed")


@pytest.mark.parametrize("mode", MODES)
def test_shapes_of_langchain(mode, tmp_path):
    shapes = suite("langchain_lineage")
    instrumentor = pytest.importorskip("openinference.instrumentation.langchain").LangChainInstrumentor()
    from langchain_trail import TrailCallbackHandler

    assert len(shapes.CASES) >= FEWEST["langchain"]
    for shape in shapes.CASES:
        if shape.needs and importlib.util.find_spec(shape.needs) is None:
            continue
        path = tmp_path / f"{shape.name}.jsonl"
        with closing(TrailCallbackHandler(evaluate="never")) as handler:
            recorded(path, instrumentor, lambda: shape.run({"callbacks": [handler]}, mode))  # noqa: B023 - called here
            live = handler.graph()
        traces = list(read(path))
        assert len(traces) == (2 if mode == "batch" else 1), shape.name
        for trace in traces:
            differing = [link for link in shape.links if shapes.holds(trace.graph, *link) != shapes.holds(live, *link)]
            assert not unsaid(trace, live, differing), shape.name


def test_shapes_of_llama_index(tmp_path):
    suite("llama_index_lineage")
    kit = suite("llama_index_lineage_kit")
    instrumentor = pytest.importorskip("openinference.instrumentation.llama_index").LlamaIndexInstrumentor()
    import llama_index_trail

    single = [(shape, mode) for shape in kit.CASES if shape.expected for mode in shape.modes]
    assert len({shape.name for shape, _ in single}) >= FEWEST["llama_index"]
    llama_index_trail.instrument(evaluate="never")
    try:
        for shape, mode in single:
            path = tmp_path / f"{shape.name}-{mode}.jsonl"
            (run,) = recorded(path, instrumentor, lambda: ended(shape.run(mode, never)))  # noqa: B023 - called here
            (trace,) = [each for each in read(path) if each.answer]
            differing = [
                each
                for each in disagreeing(kit, run, trace.graph)
                if each not in disagreeing(kit, run, run.trail.graph)
            ]
            assert not unsaid(trace, run.trail.graph, differing), (shape.name, mode)
    finally:
        llama_index_trail.uninstrument()


def never():
    from llama_index_trail import trail

    return trail(evaluate="never")


def ended(runs):
    """Waits for the graph of a stream, which a thread of the framework ends."""
    for run in runs:
        for _ in range(400):
            if run.trail.graph is not None and run.trail.graph.answer is not None:
                break
            time.sleep(0.05)
    return runs


def disagreeing(kit, run, graph):
    """The paths of a run that are wrong in a graph."""
    return [each for each in kit.problems(run, graph) if "path from" in each or "no node says" in each]
