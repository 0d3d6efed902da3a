"""Judging live with a model that takes its time: `python tests/benchmarks/live.py [--short] [--only NAME ...]`.

A server on loopback speaks OpenAI's protocol, over real HTTP, in a process of its own, and takes .5 s (and 3 s) for each
call of the judge, which needs two for a report. Beside each figure stands one of the same process without what is
measured. One JSON line each, medians with their number of rounds:

- `waiting`: runs with `evaluate="inline"` on as many threads, and in one event loop, over a single run; of a LangChain
  chain and of a LlamaIndex query engine.
- `burst`: runs that end at once, judged in the background: seconds until all are reported, over what 16 at once allow;
  how many were skipped; bytes of memory that a run takes while it waits.
- `app`: p50 and p99 of requests to an app in an event loop while they are judged in the background, over those of the
  same requests without a handler, rounds in turn. Once as it is, where collecting the garbage of a process that holds
  both frameworks stops it for a quarter of a second whoever made the garbage, and once with `gc.freeze()`.
- `refused`: the same server answers a fifth of the calls with 429.
- `hangs`: it never answers a twentieth of the runs: how long the others took, beside those that nobody hangs beside.
- `exit`: a process that ends with runs under way: how many were reported, and what it says about the others.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import subprocess
import sys
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from langchain_core.documents import Document as Passage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from langchain_trail import TrailCallbackHandler
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.base.llms.types import CompletionResponse
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms import CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index_trail import trail

from trail_callbacks import LLMJudge, Retention
from trail_callbacks.models.gate import gate_of

TESTS = Path(__file__).parents[1]
AT_ONCE = 16
ANSWER = "The harbour of Holm was opened in 1874. It has 4 berths for ships."
SOURCE = f"{ANSWER} The quarry was closed in 1902."
HANGS = "The tower of Varde hangs over the sea."

SERVER = """
import random, sys, threading, time
sys.path.insert(0, {wire!r})
from endpoint import Answer, Endpoint, error, fair
delay, refused, chance, lock = float(sys.argv[1]), float(sys.argv[2]), random.Random(7), threading.Lock()
def script(asked):
    if {hangs!r} in asked.prompt:
        return Answer(200, b"", fault="silent")
    with lock:
        no = chance.random() < refused
    if no:
        return error(429, "slow down")
    time.sleep(delay)  # the time that the model takes
    return fair(asked)
print(Endpoint(script).url, flush=True)
sys.stdin.read()
import os; os._exit(0)
"""


@contextmanager
def server(delay: float, refused: float = 0.0) -> Iterator[str]:
    code = SERVER.format(wire=str(TESTS / "wire"), hangs=HANGS)
    command = [sys.executable, "-c", code, str(delay), str(refused)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(10)


def judge_at(url: str, **settings: Any) -> LLMJudge:
    return LLMJudge("openai/m", base_url=url, api_key="k", **settings)


class Shelf(BaseRetriever):
    def _get_relevant_documents(self, query: str, **_: Any) -> list[Passage]:
        return [Passage(page_content=SOURCE)]


def chain(delay: float = 0.0) -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_template("Answer from this: {context}\n{question}")

    async def slowly(shown: Any) -> str:
        await asyncio.sleep(delay)
        return answer(shown)

    def answer(shown: Any) -> str:
        return HANGS if "hangs?" in str(shown) else ANSWER

    context = Shelf() | (lambda found: found[0].page_content)
    return {"context": context, "question": RunnablePassthrough()} | prompt | RunnableLambda(answer, slowly)


class Says(CustomLLM):
    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="says")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        return CompletionResponse(text=ANSWER)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
        raise NotImplementedError


def say(name: str, **figures: Any) -> None:
    print(json.dumps({"measured": name} | figures), flush=True)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def asked(handler: TrailCallbackHandler | None, question: str = "When?") -> None:
    chain().invoke(question, {"callbacks": [handler] if handler else []})


def waiting(delay: float, runs: int, rounds: int) -> None:
    with server(delay) as url, ThreadPoolExecutor(runs) as pool:
        handler = TrailCallbackHandler(judge=judge_at(url), evaluate="inline", concurrency=runs)
        engine = VectorStoreIndex.from_documents([Document(text=SOURCE)], embed_model=MockEmbedding(8)).as_query_engine(
            llm=Says()
        )

        def query(_: int) -> None:
            with trail(judge=judge, evaluate="inline"):
                engine.query("When?")

        async def together() -> None:
            await asyncio.gather(*(chain().ainvoke("When?", {"callbacks": [handler]}) for _ in range(runs)))

        judge = judge_at(url)
        ways: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
            "langchain threads": (
                lambda: asked(handler),
                lambda: list(pool.map(lambda _: asked(handler), range(runs))),
            ),
            "langchain loop": (lambda: asked(handler), lambda: asyncio.run(together())),
            "llama_index threads": (lambda: query(0), lambda: list(pool.map(query, range(runs)))),
        }
        for name, (one, all_) in ways.items():
            one(), all_()  # imports, connections
            times = [(timed(one), timed(all_)) for _ in range(rounds)]
            alone, many = (median(each) for each in zip(*times, strict=True))
            say("waiting", way=name, delay=delay, runs=runs, n=rounds, one=alone, all=many, ratio=many / alone)


def burst(delay: float, runs: int, refused: float = 0.0) -> None:
    with server(delay, refused) as url:
        judge = judge_at(url)
        handler = TrailCallbackHandler(judge=judge, evaluate="background", keep=Retention(runs=runs + 4 * AT_ONCE + 1))
        asked(handler)
        handler.report(timeout=60)
        tracemalloc.start()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(4 * AT_ONCE):
            asked(handler)
        each = (tracemalloc.get_traced_memory()[0] - before) / (4 * AT_ONCE)
        tracemalloc.stop()
        handler.flush(300)
        start = time.perf_counter()
        for _ in range(runs):
            asked(handler)
        threads = sum(thread.name.startswith("trail") for thread in threading.enumerate())
        assert handler.flush(900)
        seconds = time.perf_counter() - start
        allowed = -(-runs // AT_ONCE) * 2 * delay
        states = Counter(report.state for report in handler.reports.values())
        say(
            "refused" if refused else "burst",
            delay=delay,
            runs=runs,
            n=1,
            seconds=seconds,
            allowed=allowed,
            ratio=seconds / allowed,
            skipped=handler.skipped,
            states=states,
            threads=threads,
            bytes_a_waiting_run=round(each),
            calls_at_once=str(gate_of(judge.model).most),
        )
        handler.close()


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[round(share * (len(values) - 1))] * 1e3


def app(delay: float, requests: int, rounds: int, *, frozen: bool, rate: float = 20.0) -> None:
    chance = random.Random(3)  # noqa: S311 - no secret

    async def block(handler: TrailCallbackHandler | None) -> list[float]:
        times, built = [], chain(0.1)

        async def request(at: float) -> None:
            await asyncio.sleep(at)
            start = time.perf_counter()
            await built.ainvoke("When?", {"callbacks": [handler] if handler else []})
            times.append(time.perf_counter() - start)

        at = [n / rate + chance.uniform(0, 0.05) for n in range(requests)]
        await asyncio.gather(*(request(each) for each in at))
        return times

    with server(delay) as url:
        handler = TrailCallbackHandler(judge=judge_at(url), evaluate="background", keep=Retention(runs=4096))
        asyncio.run(block(handler))
        handler.flush(300)
        if frozen:
            gc.collect()
            gc.freeze()
        without, beside = [], []
        for _ in range(rounds):
            without.append(asyncio.run(block(None)))
            beside.append(asyncio.run(block(handler)))
            handler.flush(300)
        figures = {}
        for name, share in (("p50", 0.5), ("p99", 0.99)):
            plain, judged = ([percentile(times, share) for times in each] for each in (without, beside))
            figures[name] = [round(median(plain), 1), round(median(judged), 1)]
            figures[f"{name}_ratio"] = round(median(b / a for a, b in zip(plain, judged, strict=True)), 3)
        states = {report.state for report in handler.reports.values()}
        gc.unfreeze()
        say(
            "app",
            frozen=frozen,
            rate=rate,
            requests=requests,
            n=rounds,
            skipped=handler.skipped,
            states=sorted(states),
            **figures,
        )
        handler.close()


def hangs(delay: float, runs: int) -> None:
    with server(delay) as url:
        took = {}
        for share in (0, 20):
            handler = TrailCallbackHandler(judge=judge_at(url, timeout=5.0), evaluate="background")
            start = time.perf_counter()
            for n in range(runs):
                asked(handler, "hangs?" if share and n % share == 0 else "When?")
            while sum(report.state == "assessed" for report in handler.reports.values()) < runs - (
                share and runs // share
            ):
                time.sleep(0.02)  # polled: the handler has no call that waits for some of its runs
            took[share] = time.perf_counter() - start
            handler.flush(60)
            failed = sum(report.state == "error" for report in handler.reports.values())
            handler.close()
        say(
            "hangs",
            delay=delay,
            runs=runs,
            n=1,
            others=took[20],
            without=took[0],
            ratio=took[20] / took[0],
            failed=failed,
        )


EXIT = """
import logging, sys
sys.path[:0] = {path!r}
import live
from trail_callbacks.models import lane
logging.basicConfig(format="%(message)s")
lane._LAST = {patience}
handler = live.TrailCallbackHandler(judge=live.judge_at({url!r}), on_report=lambda _: print("reported", flush=True))
for _ in range(40):
    live.asked(handler, {question!r})
"""


def exits(delay: float) -> None:
    with server(delay) as url:
        for name, question, patience in (("answers", "When?", 60.0), ("hangs", "hangs?", 2.0)):
            code = EXIT.format(path=[str(Path(__file__).parent)], url=url, question=question, patience=patience)
            start = time.perf_counter()
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            say(
                "exit",
                endpoint=name,
                patience=patience,
                seconds=time.perf_counter() - start,
                reported=done.stdout.count("reported"),
                said=done.stderr.strip().splitlines()[-1:],
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="about a minute")
    parser.add_argument("--only", nargs="*", default=["waiting", "burst", "app", "refused", "hangs", "exit"])
    given = parser.parse_args()
    short = given.short
    parts: dict[str, Callable[[], None]] = {
        "waiting": lambda: (
            [waiting(delay, 20, 1 if short else 5) for delay in ([0.5] if short else [0.5, 3.0])] and None
        ),
        "burst": lambda: burst(0.5, 100 if short else 400),
        "app": lambda: (
            [app(0.5, 100 if short else 400, 2 if short else 5, frozen=each) for each in (False, True)] and None
        ),
        "refused": lambda: burst(0.1 if short else 0.5, 20 if short else 200, 0.2),
        "hangs": lambda: hangs(0.1 if short else 0.5, 60 if short else 200),
        "exit": lambda: exits(0.1 if short else 0.5),
    }
    for name in given.only:
        parts[name]()


if __name__ == "__main__":
    main()
