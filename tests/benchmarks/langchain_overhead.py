"""Overhead of capture: `python tests/benchmarks/langchain_overhead.py [--rounds N] [--calls NAME ...]`. JSON lines.

Chains are 200 steps (402 events) with a payload of 2 KB; streams are 1,000 tokens from one chat model. Variants run in
interleaved rounds, so that load on the machine affects all equally; each sample is one call with a new handler, without
evaluation. `ratio` is the median over rounds of (capture / baseline), `interval` its 95 % bootstrap interval, and
`us_per_event` the median of (capture - baseline) over the number of events. Baselines: `none` (no handler) and `noop` (a
handler with `run_inline` that does nothing). Times are wall-clock times; `cpu_ratio` is the same for processor time,
which other programs disturb less. Garbage collection runs as in an app.

Other projects' handlers are measured too if they are installed (see langchain_peers.py), for the `sync chain`; those
that are missing are listed. `times_ours` is their cost per event over ours, both relative to `none`.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_trail import TrailCallbackHandler

sys.path.insert(0, str(Path(__file__).parent))
from langchain_peers import peers

STEPS = 200
TOKENS = 1_000
PEERS = 4.0  # the cheapest peer's cost of an event over ours
EVENTS = 2 * STEPS + 2
TARGETS = {
    ("sync chain", "none"): 1.10,
    ("async chain", "none"): 1.10,
    ("sync stream", "noop"): 1.10,
    ("async stream", "noop"): 1.10,
}


class Noop(BaseCallbackHandler):
    """A handler that receives all events except tokens and does nothing."""

    run_inline = True

    def _ignore(self, *args: Any, **kwargs: Any) -> None:
        return None

    on_chain_start = on_chain_end = on_chat_model_start = on_llm_end = _ignore


def chain() -> Runnable[Any, Any]:
    """A chain of sync functions; under `ainvoke` LangChain runs each of them in a thread."""
    whole: Runnable[Any, Any] = RunnableLambda(lambda state: {**state})
    for _ in range(STEPS - 1):
        whole |= RunnableLambda(lambda state: {**state})
    return whole


def native_chain() -> Runnable[Any, Any]:
    """A chain of coroutines: less work by LangChain itself for the same number of events."""

    async def step(state: dict[str, str]) -> dict[str, str]:
        return {**state}

    whole: Runnable[Any, Any] = RunnableLambda(step)
    for _ in range(STEPS - 1):
        whole |= RunnableLambda(step)
    return whole


def model() -> GenericFakeChatModel:
    def replies() -> Iterator[AIMessage]:
        while True:
            # GenericFakeChatModel streams words and spaces as separate tokens.
            yield AIMessage(" ".join(["word"] * (TOKENS // 2)))

    return GenericFakeChatModel(messages=replies())


def calls() -> dict[str, tuple[Callable[[list[Any]], None], int]]:
    steps, native, chat = chain(), native_chain(), model()
    state = {"text": "x" * 1_900, "question": "q" * 100}

    async def consume(handlers: list[Any]) -> None:
        async for _ in chat.astream("Tell me.", {"callbacks": handlers}):
            pass

    def stream(handlers: list[Any]) -> None:
        for _ in chat.stream("Tell me.", {"callbacks": handlers}):
            pass

    loop = asyncio.new_event_loop()
    return {
        "sync chain": (lambda handlers: steps.invoke(state, {"callbacks": handlers}), EVENTS),
        "async chain": (
            lambda handlers: loop.run_until_complete(steps.ainvoke(state, {"callbacks": handlers})),
            EVENTS,
        ),
        "async chain of coroutines": (
            lambda handlers: loop.run_until_complete(native.ainvoke(state, {"callbacks": handlers})),
            EVENTS,
        ),
        "sync stream": (stream, TOKENS),
        "async stream": (lambda handlers: loop.run_until_complete(consume(handlers)), TOKENS),
    }


VARIANTS: dict[str, Callable[[], list[Any]]] = {
    "none": list,
    "noop": lambda: [Noop()],
    "capture": lambda: [TrailCallbackHandler(evaluate="never")],
}


Seconds = tuple[float, float]
"""Wall-clock and processor time."""


def measure(
    call: Callable[[list[Any]], None], rounds: int, variants: dict[str, Callable[[], list[Any]]]
) -> dict[str, list[Seconds]]:
    seconds: dict[str, list[Seconds]] = {name: [] for name in variants}
    for make in variants.values():  # warm up
        call(make())
    for _ in range(rounds):
        for name in random.sample(list(variants), len(variants)):
            handlers = variants[name]()
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            call(handlers)
            seconds[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    return seconds


def bootstrap(values: list[float], draws: int = 2_000) -> list[float]:
    medians = sorted(statistics.median(random.choices(values, k=len(values))) for _ in range(draws))  # noqa: S311 - no secret
    return [round(medians[int(draws * q)], 3) for q in (0.025, 0.975)]


def compared(ours: list[Seconds], theirs: list[Seconds], events: int) -> dict[str, Any]:
    """Ratio of the times of two variants, for each round."""
    wall = [a / b for (a, _), (b, _) in zip(ours, theirs, strict=True)]
    cpu = [a / b for (_, a), (_, b) in zip(ours, theirs, strict=True)]
    more = [a - b for (a, _), (b, _) in zip(ours, theirs, strict=True)]
    return {
        "n": len(ours),
        "baseline_ms": round(1e3 * statistics.median(b for b, _ in theirs), 2),
        "ratio": round(statistics.median(wall), 3),
        "interval": bootstrap(wall),
        "cpu_ratio": round(statistics.median(cpu), 3),
        "cpu_interval": bootstrap(cpu),
        "us_per_event": round(1e6 * statistics.median(more) / events, 2),
    }


def against_peers(call: Callable[[list[Any]], None], rounds: int) -> Iterator[dict[str, Any]]:
    found, missing = peers()
    for name, why in missing.items():
        yield {"peer": name, "skipped": why}
    if not found:
        return
    seconds = measure(call, rounds, VARIANTS | found)

    def cost(name: str) -> float:
        """Processor time beyond that without a handler, in the fastest rounds, which other programs disturbed least."""
        return min(c for _, c in seconds[name]) - min(c for _, c in seconds["none"])

    for name in ("capture", *found):
        line = compared(seconds[name], seconds["none"], EVENTS)
        yield {"call": "sync chain", "peer": name} | line | {"times_ours": round(cost(name) / cost("capture"), 2)}
    cheapest = min(found, key=cost)
    times = round(cost(cheapest) / cost("capture"), 2)
    yield {"cheapest_peer": cheapest, "times_ours": times, "target": PEERS, "met": times >= PEERS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--calls", nargs="*", default=list(calls()))
    given = parser.parse_args()
    random.seed(0)
    for name, (call, events) in calls().items():
        if name not in given.calls:
            continue
        seconds = measure(call, given.rounds, VARIANTS)
        for baseline in ("none", "noop"):
            line = {"call": name, "baseline": baseline} | compared(seconds["capture"], seconds[baseline], events)
            if (target := TARGETS.get((name, baseline))) is not None:
                line |= {"target": target, "met": line["ratio"] <= target}
            print(json.dumps(line), flush=True)
        if name == "sync chain":
            for line in against_peers(call, max(5, given.rounds // 4)):
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
