"""Ten thousand runs on one handler: `python tests/benchmarks/soak.py [--runs N]`. Memory must stay flat. JSON lines.

A retrieval chain with a scripted model is called by eight threads and an event loop, with every kind of call, with
evaluation in the background; of every ten runs one fails, and one starts but never ends. After each tenth of the runs:
memory that Python holds (tracemalloc), resident memory, runs and threads that the handler keeps. `growth_kb_a_run` is
the slope of the first over the second half.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import resource
import threading
import time
import tracemalloc
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from langchain_core.documents import Document
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_trail import TrailCallbackHandler

from trail_callbacks import Retention

TENTHS = 10
FLAT = 0.5  # KB for each run; a kept run takes some 20 KB


def app() -> Runnable[Any, Any]:
    """Two documents, a prompt, an answer; fails for every tenth question."""

    def found(question: str) -> dict[str, Any]:
        texts = [f"Ship {question} was built in 1543.", f"The harbour of {question} is deep."]
        return {"documents": [Document(text) for text in texts], "question": question}

    def shown(x: dict[str, Any]) -> dict[str, Any]:
        return {"context": "\n".join(d.page_content for d in x["documents"]), "question": x["question"]}

    def said(prompt: Any) -> str:
        text: str = prompt.to_messages()[-1].text
        if text.endswith("0?"):
            raise ValueError("no answer today")
        return text.split("\n", maxsplit=1)[0]

    prompt = ChatPromptTemplate.from_template("{context}\n{question}?")
    return RunnableLambda(found) | RunnableLambda(shown) | prompt | RunnableLambda(said)


def some(chain: Runnable[Any, Any], handler: TrailCallbackHandler, first: int, runs: int) -> None:
    def sync(i: int) -> None:
        config = {"callbacks": [handler]}
        with suppress(ValueError):
            if i % 3 == 0:
                list(chain.stream(str(i), config))
            elif i % 3 == 1:
                chain.invoke(str(i), config)
            else:
                chain.batch([str(i)], config, return_exceptions=True)
        if i % 10 == 0:
            handler.on_chain_start({}, "never ends", run_id=uuid.uuid4())

    async def task(i: int) -> None:
        with suppress(ValueError):
            await chain.ainvoke(str(i), {"callbacks": [handler]})

    async def tasks(numbers: range) -> None:
        for at in range(0, len(numbers), 50):
            await asyncio.gather(*(task(i) for i in numbers[at : at + 50]))

    with ThreadPoolExecutor(9) as pool:
        loop = pool.submit(lambda: asyncio.run(tasks(range(first + runs // 2, first + runs))))
        list(pool.map(sync, range(first, first + runs // 2)))
        loop.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--evaluate", default="background", choices=["background", "never"])
    given = parser.parse_args()
    handler = TrailCallbackHandler(evaluate=given.evaluate, keep=Retention(runs=64))
    chain, step = app(), given.runs // TENTHS
    some(chain, handler, 0, min(500, step))  # imports and caches
    handler.flush(60)
    tracemalloc.start()
    held: list[float] = []
    for tenth in range(TENTHS):
        began = time.perf_counter()
        some(chain, handler, tenth * step, step)
        seconds = time.perf_counter() - began
        handler.flush(60)
        gc.collect()
        held.append(tracemalloc.get_traced_memory()[0] / 1024)
        line = {
            "runs": (tenth + 1) * step, "seconds": round(seconds, 1), "held_kb": round(held[-1]),
            "resident_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "reports": len(handler.reports), "skipped": handler.skipped, "threads": threading.active_count(),
            "errors": sorted({type(error).__name__ for error in handler.errors}),
        }  # fmt: skip
        print(json.dumps(line), flush=True)
    handler.close()
    middle = TENTHS // 2
    slope = (held[-1] - held[middle]) / ((TENTHS - 1 - middle) * step)
    print(json.dumps({"growth_kb_a_run": round(slope, 4), "target": FLAT, "met": slope <= FLAT}))


if __name__ == "__main__":
    main()
