"""How long one turn of an event loop takes, in CPU time of its thread, while an app is guarded: longest turn of each call.

An answer of 4,000 sentences rests on sources of 4 MB. Beside each guard stands the same app without one: what frameworks
do on the loop is theirs. The rounds with garbage collection and without it differ by its pauses. CPU time of the thread
does not depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "attack"))
from apps_langchain import ASKED, GIVEN, Answers, Shelf
from apps_llama_index import Chats, Nodes, Says
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_trail import TrailCallbackHandler, TrailGuard, guarded
from llama_index.core import get_response_synthesizer
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index_trail import GuardedChatEngine, GuardedQueryEngine, areport_for, guard_agent, trail

from trail_callbacks import acheck

Call = Callable[[], Awaitable[Any]]


def texts(sentences: int, characters: int) -> tuple[str, str]:
    """Returns an answer of so many sentences, and a source of so many characters."""
    answer = " ".join(f"Lamp {i} of the lighthouse burns for {i % 90 + 5} hours." for i in range(sentences))
    line = "The lighthouse {} of Genoa was rebuilt in {} and is 77 metres tall. "
    source = "".join(line.format(i, 1100 + i % 900) for i in range(characters // 64))
    return answer, source[:characters]


@contextmanager
def holds() -> Iterator[list[tuple[float, Any]]]:
    """Lists the turns of event loops while it is open: seconds of CPU, and what ran."""
    found: list[tuple[float, Any]] = []
    run = asyncio.Handle._run

    def timed(handle: Any) -> None:
        ran, began = handle._callback, time.thread_time()
        try:
            run(handle)
        finally:
            found.append((time.thread_time() - began, ran))

    asyncio.Handle._run = timed  # type: ignore[method-assign]  # there is no hook for it
    try:
        yield found
    finally:
        asyncio.Handle._run = run  # type: ignore[method-assign]  # as it was


def _chain(answer: str, source: str) -> Any:
    prompt = ChatPromptTemplate.from_template("{context}\n{question}")
    context = (lambda given: given["question"]) | Shelf(source=source)
    return RunnablePassthrough.assign(context=context) | prompt | Answers(message=AIMessage(answer)) | StrOutputParser()


def _engine(answer: str, source: str, *, streaming: bool = False) -> Any:
    return RetrieverQueryEngine(
        Nodes(source),
        get_response_synthesizer(llm=Says(answer=answer), response_mode="simple_summarize", streaming=streaming),
    )


def _chat(answer: str, source: str) -> Any:
    return ContextChatEngine.from_defaults(
        retriever=Nodes(source), llm=Says(answer=answer), memory=ChatMemoryBuffer.from_defaults(token_limit=100_000_000)
    )


async def _drained(stream: Any) -> None:
    async for _ in stream:
        pass


async def _run(agent: Any) -> None:
    handler = agent.run(ASKED)
    async for _ in handler.stream_events():
        pass
    await handler


async def _reported(answer: str, source: str) -> None:
    handler = TrailCallbackHandler(evaluate="never")
    await _chain(answer, source).ainvoke(GIVEN, {"callbacks": [handler]})
    await handler.areport()


async def _reported_engine(answer: str, source: str) -> None:
    with trail(evaluate="never"):
        response = await _engine(answer, source).aquery(ASKED)
        await areport_for(response)


async def _chat_stream(engine: Any) -> None:
    reply = await engine.astream_chat(ASKED)
    await _drained(reply.async_response_gen())


async def _query_stream(engine: Any) -> None:
    response = await engine.aquery(ASKED)
    await _drained(response.async_response_gen())


def _agent(answer: str, source: str, middleware: list[Any]) -> Any:
    return create_agent(Answers(message=AIMessage(answer)), [], system_prompt=source, middleware=middleware)


ASK: Any = {"messages": [("user", ASKED)]}
BLOCK: Any = {"judge": "local", "on_fail": "block", "timeout": 3.0}
SHOW: Any = {"judge": "local", "on_fail": "annotate", "timeout": 3.0}
CASES: dict[str, tuple[Callable[[str, str], Awaitable[Any]], Callable[[str, str], Awaitable[Any]] | None]] = {
    "acheck": (lambda a, s: acheck(a, [s]), None),
    "areport": (_reported, lambda a, s: _chain(a, s).ainvoke(GIVEN)),
    "guarded, ainvoke": (
        lambda a, s: guarded(_chain(a, s), **BLOCK).ainvoke(GIVEN),
        lambda a, s: _chain(a, s).ainvoke(GIVEN),
    ),
    "guarded, astream": (
        lambda a, s: _drained(guarded(_chain(a, s), **BLOCK).astream(GIVEN)),
        lambda a, s: _drained(_chain(a, s).astream(GIVEN)),
    ),
    "guarded, astream, annotate": (
        lambda a, s: _drained(guarded(_chain(a, s), **SHOW).astream(GIVEN)),
        lambda a, s: _drained(_chain(a, s).astream(GIVEN)),
    ),
    "TrailGuard, ainvoke": (
        lambda a, s: _agent(a, s, [TrailGuard(**BLOCK)]).ainvoke(ASK),
        lambda a, s: _agent(a, s, []).ainvoke(ASK),
    ),
    "TrailGuard, astream": (
        lambda a, s: _drained(_agent(a, s, [TrailGuard(**SHOW)]).astream(ASK, stream_mode=["updates", "messages"])),
        lambda a, s: _drained(_agent(a, s, []).astream(ASK, stream_mode=["updates", "messages"])),
    ),
    "areport_for": (_reported_engine, lambda a, s: _engine(a, s).aquery(ASKED)),
    "GuardedQueryEngine, aquery": (
        lambda a, s: GuardedQueryEngine(_engine(a, s), **BLOCK).aquery(ASKED),
        lambda a, s: _engine(a, s).aquery(ASKED),
    ),
    "GuardedQueryEngine, stream": (
        lambda a, s: _query_stream(GuardedQueryEngine(_engine(a, s, streaming=True), **SHOW)),
        lambda a, s: _query_stream(_engine(a, s, streaming=True)),
    ),
    "GuardedChatEngine, achat": (
        lambda a, s: GuardedChatEngine(_chat(a, s), **BLOCK).achat(ASKED),
        lambda a, s: _chat(a, s).achat(ASKED),
    ),
    "GuardedChatEngine, stream": (
        lambda a, s: _chat_stream(GuardedChatEngine(_chat(a, s), **BLOCK)),
        lambda a, s: _chat_stream(_chat(a, s)),
    ),
    "guard_agent": (
        lambda a, s: _run(guard_agent(FunctionAgent(llm=Chats(answer=a), system_prompt=s), **BLOCK)),
        lambda a, s: _run(FunctionAgent(llm=Chats(answer=a), system_prompt=s)),
    ),
}
"""By name: the call, and the same app without us; each takes an answer and a source."""


def longest(call: Callable[..., Awaitable[Any]], *given: Any) -> tuple[float, Any]:
    """The longest turn of the loop during a call: seconds, and what ran."""

    async def made() -> None:
        await call(*given)

    with holds() as found:
        asyncio.run(made())
    return max(found, key=lambda turn: turn[0])


def _name(ran: Any) -> str:
    task = getattr(ran, "__self__", None)
    coroutine = task.get_coro() if isinstance(task, asyncio.Task) else None
    return getattr(coroutine, "__qualname__", None) or getattr(ran, "__qualname__", repr(ran))


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=4000)
    parser.add_argument("--characters", type=int, default=4_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    answer, source = texts(chosen.sentences, chosen.characters)
    small = texts(3, 1000)
    idle = [1000 * longest(asyncio.sleep, 0.1)[0] for _ in range(chosen.rounds)]
    print(
        f"a plain loop: median {statistics.median(idle):.2f} ms, worst {max(idle):.2f} ms; n = {chosen.rounds} rounds each"
    )
    print(
        "ms, median / worst: ours with gc | ours without | the plain app with gc | without | what our longest turn ran"
    )
    for name, (ours, plain) in CASES.items():
        if chosen.only not in name:
            continue
        cells = []
        for call in (ours, plain):
            for collects in (True, False):
                if call is None:
                    cells.append(" " * 17)
                    continue
                asyncio.run(_awaited(call, small))  # loads what is loaded at first use
                gc.collect()
                if not collects:
                    gc.disable()
                try:
                    turns = [longest(call, answer, source) for _ in range(chosen.rounds)]
                finally:
                    gc.enable()
                milliseconds = [1000 * seconds for seconds, _ in turns]
                cells.append(f"{statistics.median(milliseconds):7.1f} /{max(milliseconds):7.1f}")
                if call is ours and not collects:
                    where = _name(max(turns, key=lambda turn: turn[0])[1])
        print(f"{name:28} {' | '.join(cells)} | {where}", flush=True)


async def _awaited(call: Callable[[str, str], Awaitable[Any]], small: tuple[str, str]) -> None:
    await call(*small)


if __name__ == "__main__":
    main()
