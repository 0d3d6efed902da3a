"""What capture costs an app: `python tests/benchmarks/langchain_overhead.py [--rounds N]`. One JSON line a measurement.

Chains are 200 steps (402 events) around a payload of 2 KB; streams are 1,000 tokens from one chat model. Variants run in
interleaved rounds, so that a busy machine slows all alike; each sample is one call with a new handler, evaluation
switched off. `ratio` is the median over rounds of (capture / baseline), `interval` its 95 % bootstrap interval, and
`us_per_event` the median of (capture - baseline) over the number of events. Baselines: `none` (no handler) and `noop` (a
handler with `run_inline` that does nothing). Python's
collector runs as it does in an app.
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
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_trail import TrailCallbackHandler

STEPS = 200
TOKENS = 1_000
EVENTS = 2 * STEPS + 2
TARGETS = {
    ("sync chain", "none"): 1.15,
    ("async chain", "none"): 1.15,
    ("sync stream", "noop"): 1.10,
    ("async stream", "noop"): 1.10,
}


class Noop(BaseCallbackHandler):
    """Is there, and hears of everything but tokens."""

    run_inline = True

    def _ignore(self, *args: Any, **kwargs: Any) -> None:
        return None

    on_chain_start = on_chain_end = on_chat_model_start = on_llm_end = _ignore


def chain() -> Runnable[Any, Any]:
    """Under `ainvoke` each step of this chain is handed to a thread, as LangChain does with sync functions."""
    whole: Runnable[Any, Any] = RunnableLambda(lambda state: {**state})
    for _ in range(STEPS - 1):
        whole |= RunnableLambda(lambda state: {**state})
    return whole


def native_chain() -> Runnable[Any, Any]:
    """Steps that are coroutines: there is less of LangChain's own work for the same number of events."""

    async def step(state: dict[str, str]) -> dict[str, str]:
        return {**state}

    whole: Runnable[Any, Any] = RunnableLambda(step)
    for _ in range(STEPS - 1):
        whole |= RunnableLambda(step)
    return whole


def model() -> GenericFakeChatModel:
    def replies() -> Iterator[AIMessage]:
        while True:
            # GenericFakeChatModel streams words and blanks as tokens of their own.
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


def measure(call: Callable[[list[Any]], None], rounds: int) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {name: [] for name in VARIANTS}
    for make in VARIANTS.values():  # warm up
        call(make())
    for _ in range(rounds):
        for name in random.sample(list(VARIANTS), len(VARIANTS)):
            handlers = VARIANTS[name]()
            gc.collect()
            started = time.perf_counter()
            call(handlers)
            seconds[name].append(time.perf_counter() - started)
    return seconds


def bootstrap(values: list[float], draws: int = 2_000) -> list[float]:
    medians = sorted(statistics.median(random.choices(values, k=len(values))) for _ in range(draws))  # noqa: S311 - no secret
    return [round(medians[int(draws * q)], 3) for q in (0.025, 0.975)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    random.seed(0)
    for name, (call, events) in calls().items():
        seconds = measure(call, rounds)
        for baseline in ("none", "noop"):
            pairs = list(zip(seconds["capture"], seconds[baseline], strict=True))
            ratios = [ours / theirs for ours, theirs in pairs]
            line = {
                "call": name,
                "baseline": baseline,
                "n": rounds,
                "baseline_ms": round(1e3 * statistics.median(seconds[baseline]), 2),
                "ratio": round(statistics.median(ratios), 3),
                "interval": bootstrap(ratios),
                "us_per_event": round(1e6 * statistics.median(ours - theirs for ours, theirs in pairs) / events, 2),
            }
            if (target := TARGETS.get((name, baseline))) is not None:
                line |= {"target": target, "met": line["ratio"] <= target}
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
