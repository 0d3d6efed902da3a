"""Overhead of capture for a query: `python tests/benchmarks/llama_index_overhead.py [--rounds N]`. JSON lines.

A query retrieves three nodes and synthesizes an answer with a scripted model; a stream is 1,000 tokens of one query.
Variants run in interleaved rounds of some calls each, so that load affects all equally; evaluation is switched off.
`ratio` is the median over rounds of (variant / baseline), `interval` its 95 % bootstrap interval; `cpu_ratio` and
`cpu_interval` are the same for processor time, which other programs disturb less; `us` is the median of (variant -
baseline) for each call. Variants: `none` (no handler), `noop` (a span and an event handler that do nothing), `capture` (ours) and
`openinference`, if openinference-instrumentation-llama-index is installed, with an exporter that drops everything.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llama_index.core import MockEmbedding, Settings, VectorStoreIndex
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.span_handlers import NullSpanHandler
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.schema import TextNode
from llama_index_trail import instrument, uninstrument

Seconds = tuple[float, float]
"""Wall-clock and processor time."""
TOKENS = 1_000
TARGETS = {("query", "none"): 1.10, ("aquery", "none"): 1.10, ("stream", "noop"): 1.20, ("astream", "noop"): 1.20}
CALLS = {"query": 5, "aquery": 5}  # calls in a round; one for streams
NODES = [f"Beehive number {n} stands in the orchard and gave {n + 20} pounds of honey last year." for n in range(3)]


class Scripted(CustomLLM):
    """Returns the same answer at once or as a thousand tokens."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text="Twenty to twenty-two pounds each.")

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Iterator[CompletionResponse]:
        def parts() -> Iterator[CompletionResponse]:
            text = ""
            for _ in range(TOKENS):
                text += "word "
                yield CompletionResponse(text=text, delta="word ")

        return parts()


class NoopEvents(BaseEventHandler):
    """A span handler that does nothing."""

    def handle(self, event: Any, **kwargs: Any) -> None:
        return None


class NoopSpans(NullSpanHandler):
    """An event handler that does nothing."""


Handlers = tuple[list[Any], list[Any]]


def openinference() -> Handlers | None:
    """Its span and event handlers, or None if it is not installed."""
    try:
        from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
    except ImportError:
        return None

    class Nowhere(SpanExporter):
        def export(self, spans: Any) -> SpanExportResult:
            return SpanExportResult.SUCCESS

    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(Nowhere()))
    root = get_dispatcher()
    before = list(root.span_handlers), list(root.event_handlers)
    LlamaIndexInstrumentor().instrument(tracer_provider=provider, skip_dep_check=True)
    added = (
        [h for h in root.span_handlers if not any(h is known for known in before[0])],
        [h for h in root.event_handlers if not any(h is known for known in before[1])],
    )
    root.span_handlers, root.event_handlers = before
    return added


@contextmanager
def listening(variant: str, peer: Handlers | None = None) -> Iterator[None]:
    root = get_dispatcher()
    spans, events = list(root.span_handlers), list(root.event_handlers)
    if variant == "noop":
        root.add_span_handler(NoopSpans())
        root.add_event_handler(NoopEvents())
    elif variant == "openinference" and peer is not None:
        root.span_handlers, root.event_handlers = spans + peer[0], events + peer[1]
    elif variant == "capture":
        instrument(evaluate="never")
    try:
        yield
    finally:
        uninstrument()
        root.span_handlers, root.event_handlers = spans, events


def calls() -> dict[str, Callable[[], Any]]:
    Settings.llm, Settings.embed_model = Scripted(), MockEmbedding(embed_dim=8)
    index = VectorStoreIndex([TextNode(text=text) for text in NODES])
    engine = index.as_query_engine(similarity_top_k=3)
    streaming = index.as_query_engine(similarity_top_k=3, streaming=True)
    loop = asyncio.new_event_loop()

    async def consume() -> None:
        async for _ in (await streaming.aquery("How much honey?")).async_response_gen():
            pass

    return {
        "query": lambda: engine.query("How much honey?"),
        "aquery": lambda: loop.run_until_complete(engine.aquery("How much honey?")),
        "stream": lambda: list(streaming.query("How much honey?").response_gen),
        "astream": lambda: loop.run_until_complete(consume()),
    }


def measure(call: Callable[[], Any], rounds: int, each: int, peer: Handlers | None) -> dict[str, list[Seconds]]:
    variants = ["none", "noop", "capture", *(["openinference"] if peer else [])]
    seconds: dict[str, list[Seconds]] = {name: [] for name in variants}
    for name in variants:  # warm up
        with listening(name, peer):
            call()
    gc.collect()
    for _ in range(rounds):
        for name in random.sample(variants, len(variants)):
            with listening(name, peer):
                call()  # the first call after a change of handlers has cold caches
                wall, cpu = time.perf_counter(), time.process_time()
                for _ in range(each):
                    call()
                seconds[name].append(((time.perf_counter() - wall) / each, (time.process_time() - cpu) / each))
    return seconds


def bootstrap(values: list[float], draws: int = 2_000) -> list[float]:
    medians = sorted(statistics.median(random.choices(values, k=len(values))) for _ in range(draws))  # noqa: S311 - no secret
    return [round(medians[int(draws * q)], 3) for q in (0.025, 0.975)]


def compared(ours: list[Seconds], theirs: list[Seconds]) -> dict[str, Any]:
    wall = [a / b for (a, _), (b, _) in zip(ours, theirs, strict=True)]
    cpu = [a / b for (_, a), (_, b) in zip(ours, theirs, strict=True)]
    more = [a - b for (a, _), (b, _) in zip(ours, theirs, strict=True)]
    return {
        "rounds": len(ours),
        "baseline_ms": round(1e3 * statistics.median(b for b, _ in theirs), 3),
        "ratio": round(statistics.median(wall), 3),
        "interval": bootstrap(wall),
        "cpu_ratio": round(statistics.median(cpu), 3),
        "cpu_interval": bootstrap(cpu),
        "us": round(1e6 * statistics.median(more), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--only", choices=[*calls()], default=None)
    arguments = parser.parse_args()
    random.seed(0)
    peer = openinference()
    for name, call in calls().items():
        if arguments.only not in (None, name):
            continue
        each = CALLS.get(name, 1)
        seconds = measure(call, arguments.rounds, each, peer)
        pairs = [
            ("noop", "none"),
            ("capture", "none"),
            ("capture", "noop"),
            *([("openinference", "none")] if peer else []),
        ]
        for variant, baseline in pairs:
            line = {"call": name, "variant": variant, "baseline": baseline, "calls_a_round": each}
            line |= compared(seconds[variant], seconds[baseline])
            if variant == "capture" and (target := TARGETS.get((name, baseline))) is not None:
                line |= {"target": target, "met": line["ratio"] <= target}
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
