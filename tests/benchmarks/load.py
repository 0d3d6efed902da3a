"""What recording and verifying costs the requests of a busy server: `python tests/benchmarks/load.py [--quick]`.

A LangChain chain retrieves 10 documents, fills a prompt and asks a fake model that sleeps 50 to 200 ms, all in one event
loop, as in a server. Requests arrive at random moments (open loop: a slow one does not hold back those that follow) at 1,
20 and 100 a second, and once in a burst of 400 at the same time.

For each rate, a block of requests without a handler goes before and after each block with one, so that load on the
machine affects both. Each block ends when its last request is answered, and the verification that is still waiting is
dropped, so that it costs nobody else. One JSON line a variant:

- `p50`, `p95`, `p99`: milliseconds of a request; `ratio`: p50, p95 and p99 over those of the blocks without a handler
  beside them.
- `lag`: p99 and maximum of how late, in milliseconds, a task of the event loop woke that sleeps 5 ms, beside those
  without a handler.
- `verified`, `waiting` and `skipped`: share of the runs whose report was there when the last request was answered, that
  waited for it then, and that were never going to get one.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import time
from collections.abc import Iterable
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnablePassthrough
from langchain_trail import TrailCallbackHandler

from trail_callbacks.report import Report
from trail_callbacks.session import Evaluate

VARIANTS: tuple[Evaluate, ...] = ("never", "background", "process", "inline")
RATES = {1: (1, 6), 20: (2, 60), 100: (2, 300)}  # requests a second: blocks, and requests of each
BURST = 400
TOWNS = ("Holm", "Varde", "Skagen", "Ribe", "Nyborg", "Tander", "Lund", "Assens", "Faaborg", "Mariager")
PERCENTILES = (50, 95, 99)


def _document(number: int) -> Document:
    chance = random.Random(number)  # noqa: S311 - no secret
    sentences = (
        f"The harbour of {TOWNS[(number + k) % len(TOWNS)]} was opened in {1800 + chance.randrange(200)} and has "
        f"{chance.randrange(5, 90)} berths for ships of up to {chance.randrange(20, 300)} metres."
        for k in range(6)
    )
    return Document(page_content=" ".join(sentences), metadata={"source": f"harbours/{number}"})


DOCUMENTS = [_document(number) for number in range(len(TOWNS))]


class Retriever(BaseRetriever):
    def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:
        return [document.model_copy() for document in DOCUMENTS]

    async def _aget_relevant_documents(self, query: str, **_: Any) -> list[Document]:
        await asyncio.sleep(0.005)
        return self._get_relevant_documents(query)


_chance = random.Random(11)  # noqa: S311 - no secret


class SlowModel(BaseChatModel):
    """Answers with one sentence of a source and two of its own, after as long as a fast model takes."""

    @property
    def _llm_type(self) -> str:
        return "slow"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **_: Any,
    ) -> ChatResult:
        raise NotImplementedError

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **_: Any,
    ) -> ChatResult:
        await asyncio.sleep(_chance.uniform(0.05, 0.2))
        quoted = _chance.choice(DOCUMENTS).page_content.partition(". ")[0]
        text = f"{quoted}. The harbour of Lund was opened in 1721 and has 4 berths. It is the largest of all."
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=text))])


def app() -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_messages(
        [("system", "Answer from these texts:\n{context}"), ("user", "{question}")]
    )
    context = Retriever() | (lambda found: "\n\n".join(document.page_content for document in found))
    return {"context": context, "question": RunnablePassthrough()} | prompt | SlowModel()


class Block:
    """The requests of one variant, and what they took."""

    def __init__(self, handler: TrailCallbackHandler | None) -> None:
        self.handler = handler
        self.times: list[float] = []
        self.lags: list[float] = []

    async def run(self, chain: Runnable[Any, Any], arrivals: list[float]) -> None:
        ticking = asyncio.create_task(self._tick())
        start = time.perf_counter()
        await asyncio.gather(*(self._request(chain, start + at) for at in arrivals))
        ticking.cancel()

    async def _request(self, chain: Runnable[Any, Any], due: float) -> None:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        callbacks = [] if self.handler is None else [self.handler]
        await chain.ainvoke("When was the harbour of Lund opened?", {"callbacks": callbacks})
        self.times.append(time.perf_counter() - due)

    async def _tick(self) -> None:
        while True:
            started = time.perf_counter()
            await asyncio.sleep(0.005)
            self.lags.append(time.perf_counter() - started - 0.005)


def arrivals(rate: int, requests: int, chance: random.Random) -> list[float]:
    at, found = 0.0, []
    for _ in range(requests):
        at += chance.expovariate(rate)
        found.append(at)
    return found


def percentile(values: list[float], share: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share / 100 * (len(ordered) - 1)))] * 1e3


def block(chain: Runnable[Any, Any], evaluate: Evaluate | None, at: list[float], counts: dict[str, int]) -> Block:
    reports: list[Report] = []
    handler = None if evaluate is None else TrailCallbackHandler(evaluate=evaluate, on_report=reports.append)
    if handler is not None and evaluate != "never":  # a server that has been running for a while
        asyncio.run(chain.ainvoke("When?", {"callbacks": [handler]}))
        handler.report(timeout=60)
    gc.collect()
    measured = Block(handler)
    asyncio.run(measured.run(chain, at))
    if handler is not None:
        counts["verified"] += len(reports) - (evaluate != "never")
        counts["skipped"] += handler.skipped
        counts["runs"] += len(at)
        handler.close(timeout=0)
    return measured


def measure(name: str, chain: Runnable[Any, Any], plans: list[list[float]], variants: Iterable[Evaluate]) -> None:
    for evaluate in variants:
        counts = {"verified": 0, "skipped": 0, "runs": 0}
        blocks: dict[bool, list[Block]] = {False: [], True: []}
        for at in plans:
            blocks[False].append(block(chain, None, at, counts))
            blocks[True].append(block(chain, evaluate, at, counts))
        with_, without = ([t for each in blocks[kind] for t in each.times] for kind in (True, False))
        lags, without_lags = ([t for each in blocks[kind] for t in each.lags] for kind in (True, False))
        line: dict[str, Any] = {"load": name, "evaluate": evaluate, "n": len(with_)}
        line |= {f"p{share}": round(percentile(with_, share), 1) for share in PERCENTILES}
        line["ratio"] = [round(percentile(with_, s) / percentile(without, s), 3) for s in PERCENTILES]
        line["lag"] = [round(percentile(lags, s), 1) for s in (99, 100)]
        line["lag_without"] = [round(percentile(without_lags, s), 1) for s in (99, 100)]
        if evaluate != "never":
            waiting = counts["runs"] - counts["verified"] - counts["skipped"]
            shares = {"verified": counts["verified"], "waiting": waiting, "skipped": counts["skipped"]}
            line |= {kind: round(number / counts["runs"], 3) for kind, number in shares.items()}
        print(json.dumps(line), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a quarter of the requests")
    parser.add_argument("--rates", type=int, nargs="*", default=list(RATES), help="requests a second")
    parser.add_argument("--variants", nargs="*", default=VARIANTS, choices=VARIANTS)
    parser.add_argument("--no-burst", action="store_true")
    given = parser.parse_args()
    chance = random.Random(7)  # noqa: S311 - no secret
    chain = app()
    asyncio.run(Block(None).run(chain, [0.0] * 20))  # imports
    for rate in given.rates:
        blocks, requests = RATES[rate]
        requests = max(2, requests // 4) if given.quick else requests
        measure(f"{rate}/s", chain, [arrivals(rate, requests, chance) for _ in range(blocks)], given.variants)
    if not given.no_burst:
        measure(f"burst of {BURST}", chain, [[0.0] * BURST] * (1 if given.quick else 2), given.variants)


if __name__ == "__main__":
    main()
