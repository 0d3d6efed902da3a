"""Two thousand queries, every tenth of which fails: `python tests/benchmarks/llama_index_soak.py [--queries N]`.

Memory must stay flat, and neither nodes nor generators may outlive their query. Queries are, in turn, plain,
asynchronous, streamed in full, abandoned mid-stream and never read, with evaluation in the background. After each tenth:
memory that Python holds (tracemalloc), resident memory, open runs, spans that are kept. One JSON line each;
`growth_kb_a_query` is the slope of the memory over the second half, and `alive` counts the remaining nodes and streams of
the last tenth.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import resource
import time
import tracemalloc
import weakref
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from llama_index.core import QueryBundle, get_response_synthesizer
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index_trail import instrument, status, uninstrument
from llama_index_trail.tracker import TRACKER

from trail_callbacks import Retention

TENTHS = 10
FLAT = 0.5  # KB for each query; the record of one takes some 10 KB


class Failing(CustomLLM):
    """Answers; every tenth call fails, at once or mid-stream."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="failing")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        if "buoy 9" in prompt:
            raise ConnectionError("no such buoy")
        return CompletionResponse(text="It is green and lies at nine fathoms.")

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Iterator[CompletionResponse]:
        def parts() -> Iterator[CompletionResponse]:
            yield CompletionResponse(text="It is ", delta="It is ")
            if "buoy 9" in prompt:
                raise ConnectionError("the line went dead")
            yield CompletionResponse(text="It is green.", delta="green.")

        return parts()


class Fresh(BaseRetriever):
    """Returns new nodes each time and keeps track of which are alive."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[weakref.ref[Any]] = []

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = [
            NodeWithScore(node=TextNode(text=f"{query_bundle.query_str} It lies at {n} fathoms."), score=1.0)
            for n in (8, 9)
        ]
        self.nodes += [weakref.ref(each) for hit in hits for each in (hit, hit.node)]
        return hits


def query(engines: tuple[RetrieverQueryEngine, RetrieverQueryEngine], i: int, streams: list[weakref.ref[Any]]) -> None:
    """One query, in one of five ways."""
    plain, streaming = engines
    asked = f"What is buoy {i % 10} of channel {i}?"
    way = (i // 10) % 5
    with suppress(ConnectionError):
        if way == 0:
            plain.query(asked)
        elif way == 1:
            asyncio.run(plain.aquery(asked))
        else:
            response: Any = streaming.query(asked)
            streams.append(weakref.ref(response.response_gen))
            if way == 2:
                list(response.response_gen)
            elif way == 3:
                next(response.response_gen)


def soak(queries: int) -> dict[str, Any]:
    """Runs the queries; prints a line for each tenth and returns the summary."""
    retriever = Fresh()
    engines = tuple(
        RetrieverQueryEngine(retriever, get_response_synthesizer(llm=Failing(), streaming=streaming))
        for streaming in (False, True)
    )
    recording = instrument(evaluate="background", keep=Retention(runs=32))
    streams: list[weakref.ref[Any]] = []
    held: list[float] = []
    tracemalloc.start()
    for tenth in range(TENTHS):
        retriever.nodes.clear()
        streams.clear()
        for i in range(tenth * queries // TENTHS, (tenth + 1) * queries // TENTHS):
            query(engines, i, streams)  # type: ignore[arg-type]  # a tuple of two
        recording.flush()
        deadline = time.monotonic() + 10
        while any(ref() is not None for ref in [*retriever.nodes, *streams]) and time.monotonic() < deadline:
            gc.collect()
            time.sleep(0.01)  # the worker may not have returned yet
        held.append(tracemalloc.get_traced_memory()[0] / 1024)
        line = {
            "queries": (tenth + 1) * queries // TENTHS,
            "python_mb": round(held[-1] / 1024, 2),
            "resident_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
            "open_runs": status().open_runs,
            "spans": len(TRACKER._spans),
        }
        print(json.dumps(line), flush=True)
    tracemalloc.stop()
    half = TENTHS // 2
    growth = (held[-1] - held[half - 1]) / (queries / 2)
    alive = sum(ref() is not None for ref in [*retriever.nodes, *streams])
    errors = [repr(error) for error in status().errors]
    uninstrument()
    flat = growth <= FLAT and alive == 0 and not errors
    return {"queries": queries, "growth_kb_a_query": round(growth, 3), "alive": alive, "errors": errors, "flat": flat}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--queries", type=int, default=2_000)
    print(json.dumps(soak(parser.parse_args().queries)))


if __name__ == "__main__":
    main()
