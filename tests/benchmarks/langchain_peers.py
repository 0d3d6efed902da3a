"""Other callback handlers for LangChain, if installed, with exporters that keep or drop what they receive.

None of them is a dependency, not even for development: `pip install openinference-instrumentation-langchain
opentelemetry-sdk mlflow-tracing mlflow-skinny pandas langfuse`. No exporter reaches a network, so their measured cost is
a lower bound.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable
from typing import Any

from langchain_core.runnables import RunnableLambda

Make = Callable[[], list[Any]]
_NOWHERE = "http://127.0.0.1:9"


def peers() -> tuple[dict[str, Make], dict[str, str]]:
    """Returns a factory for each handler that works here, and why the others do not."""
    found: dict[str, Make] = {}
    missing: dict[str, str] = {}
    for name, prepare in (
        ("LangChainTracer", _langsmith),
        ("openinference", _openinference),
        ("mlflow", _mlflow),
        ("langfuse", _langfuse),
    ):
        made = _attempted(prepare)
        if isinstance(made, str):
            missing[name] = made
        else:
            found[name] = made
    return found, missing


def _attempted(prepare: Callable[[], Make]) -> Make | str:
    try:
        make = prepare()
        make()
    except Exception as error:  # noqa: BLE001 - the others can still be measured
        return f"{type(error).__name__}: {error}"
    return make


def _langsmith() -> Make:
    from langchain_core.tracers import LangChainTracer
    from langsmith import Client

    class Deaf(Client):
        """Receives runs and drops them."""

        def create_run(self, *args: Any, **kwargs: Any) -> None:
            """Drops the run."""

        def update_run(self, *args: Any, **kwargs: Any) -> None:
            """Drops the update."""

    client = Deaf(api_url=_NOWHERE, api_key="none", auto_batch_tracing=False)
    return lambda: [LangChainTracer(client=client)]


def _openinference() -> Make:
    from openinference.instrumentation import OITracer, TraceConfig
    from openinference.instrumentation.langchain._tracer import OpenInferenceTracer
    from opentelemetry.sdk.trace import TracerProvider

    tracer = OITracer(TracerProvider().get_tracer("benchmark"), config=TraceConfig())
    return lambda: [OpenInferenceTracer(tracer, separate_trace_from_runtime_context=False)]


def _mlflow() -> Make:
    logging.getLogger("mlflow").setLevel(logging.ERROR)
    os.environ.setdefault("MLFLOW_TRACKING_URI", f"file://{tempfile.mkdtemp()}")
    os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")
    import mlflow
    from mlflow.langchain.langchain_tracer import MlflowLangchainTracer

    RunnableLambda(str).invoke("x", {"callbacks": [MlflowLangchainTracer()]})
    if mlflow.get_last_active_trace_id() is None:  # it only logs what is missing
        raise RuntimeError("it starts no span here: its store lacks something")
    return lambda: [MlflowLangchainTracer()]


def _langfuse() -> Make:
    from langfuse import Langfuse
    from langfuse.langchain import CallbackHandler
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    key = "pk-lf-benchmark"
    Langfuse(public_key=key, secret_key="none", base_url=_NOWHERE, span_exporter=InMemorySpanExporter())
    return lambda: [CallbackHandler(public_key=key)]
