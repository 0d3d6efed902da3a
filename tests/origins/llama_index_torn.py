"""Generated apps of LlamaIndex that another worker continues: their report must be that of the app that nothing tore."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_torn import Literal, found
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.chat_engine import ContextChatEngine, SimpleChatEngine
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import (
    Context,
    Event,
    HumanResponseEvent,
    InputRequiredEvent,
    StartEvent,
    StopEvent,
    Workflow,
    step,
)  # fmt: skip
from llama_index_model import Scripted, Shelf
from llama_index_trail import instrument, uninstrument
from story import Story, Tally, Violation, check

from trail_callbacks.report import Report
from trail_callbacks.store import Store

TEARS = ("next run", "waiting", "agent", "chat", "by hand")
WORKERS = ("same", "store", "nothing")
SHAPES: dict[str, Callable[[str, str], Any]] = {
    "dict": lambda pages, draft: {"pages": pages, "draft": draft},
    "list": lambda pages, draft: [pages, [draft]],
    "text": lambda pages, draft: f"Pages:\n{pages}\n\nDraft:\n{draft}",
    "json": lambda pages, draft: json.dumps({"pages": pages, "draft": draft}, ensure_ascii=False),
}


class Drafted(Event):
    """What was made so far, unless the store has it."""

    work: Any


class Flow(Workflow):
    """Retrieves and drafts, and then writes: in one run, or in two over one state; it may ask its user between."""

    def __init__(self, torn: Torn, llm: Any, *, asks: bool) -> None:
        super().__init__()
        self.torn, self.llm, self.asks = torn, llm, asks

    @step
    async def begin(self, ctx: Context, event: StartEvent) -> Drafted | StopEvent:
        work = None
        if not event.again:
            pages = "\n".join(each.text for each in await self.torn.shelf.aretrieve(self.torn.story.question))
            draft = (await self.llm.acomplete(f"Draft an answer from this:\n{pages}")).text
            work = SHAPES[self.torn.shape](pages, draft)
            if not self.asks:
                await ctx.store.set("work", work)
        return StopEvent(result="kept") if event.stops else Drafted(work=work if self.asks else None)

    @step
    async def write(self, ctx: Context, event: Drafted) -> StopEvent:
        work = event.work if self.asks else await ctx.store.get("work")
        said = ""
        if self.asks:
            asked = InputRequiredEvent(prefix="Go on?")
            said = (await ctx.wait_for_event(HumanResponseEvent, waiter_event=asked, waiter_id="go")).response
        shown = work if isinstance(work, str) else json.dumps(work, ensure_ascii=False)
        reply = await self.llm.acomplete(f"You write for a site about towns.\n\n{shown}\n\n{said}\n\nWrite the answer.")
        return StopEvent(result=reply.text)


@dataclass
class Torn:
    """An app, and how it is torn; the same seed makes the same app."""

    seed: str
    tear: str
    torn: bool

    def __post_init__(self) -> None:
        self.story = story = Story.seeded(self.seed)
        self.shape = story.random.choice(list(SHAPES))
        self.pages = [story.page("documents") for _ in range(story.random.randint(1, 3))]
        self.shelf, self.llm = Shelf(self.pages), Scripted(story=story, chats=story.chance(0.5))
        draft = story.draft("a draft before the tear")
        story.replies.extend([[("lookup", {"about": "all"})], draft] if self.tear == "agent" else [draft])
        story.replies.append(story.answer())
        story.blocks += ["torn", self.tear, self.shape]

    async def run(self, between: Callable[[], None]) -> None:
        """Runs the app; `between` what was before and what comes after, if it is torn, workers change."""
        await {"next run": self._flow, "waiting": self._flow, "by hand": self._hand}.get(self.tear, self._talk)(between)

    async def _flow(self, between: Callable[[], None]) -> None:
        asks = self.tear == "waiting"
        flow = Flow(self, self.llm, asks=asks)
        handler = flow.run(stops=self.torn and not asks, again=False)
        if asks:
            async for event in handler.stream_events():
                if isinstance(event, InputRequiredEvent):
                    break
        if self.torn:
            if not asks:
                await handler
            kept = json.dumps(handler.ctx.to_dict())
            if asks:
                await handler.cancel_run()
                with suppress(BaseException):
                    await handler
            between()
            flow = Flow(self, self.llm, asks=asks)
            handler = flow.run(ctx=Context.from_dict(flow, json.loads(kept)), stops=False, again=True)
        if asks:
            handler.ctx.send_event(HumanResponseEvent(response="Go on, and make it short."))
        await handler

    async def _talk(self, between: Callable[[], None]) -> None:
        store = SimpleChatStore()
        for turn, question in enumerate(self.story.questions[:2]):
            if turn and self.torn:
                between()
                said = [each.model_dump(mode="json") for each in store.get_messages(self.seed)]
                store = SimpleChatStore(
                    store={self.seed: [ChatMessage(**each) for each in json.loads(json.dumps(said))]}
                )
            memory = ChatMemoryBuffer.from_defaults(token_limit=100_000, chat_store=store, chat_store_key=self.seed)
            if self.tear == "agent":
                tool = FunctionTool.from_defaults(
                    lambda about: "\n".join(self.pages), name="lookup", description="facts"
                )
                await FunctionAgent(tools=[tool], llm=self.llm).run(question, memory=memory)
            elif turn:
                await SimpleChatEngine.from_defaults(llm=self.llm, memory=memory).achat(question)
            else:
                await ContextChatEngine.from_defaults(self.shelf, llm=self.llm, memory=memory).achat(question)

    async def _hand(self, between: Callable[[], None]) -> None:
        pages = "\n".join(each.text for each in await self.shelf.aretrieve(self.story.question))
        draft = (await self.llm.acomplete(f"Draft an answer:\n{pages}")).text
        between()
        await self.llm.acomplete(f"Improve this:\n{draft}\n\nSources:\n{pages}")


def report_of(app: Torn, worker: str, folder: Path) -> Report:
    """Runs an app, with another recording after the tear unless it is the same worker."""

    def recording() -> Any:
        kept = {"store": Store(folder / "runs.db")} if worker == "store" else {"evaluate": "never"}
        return instrument(judge=Literal(), **kept)

    def between() -> None:
        if worker != "same":
            if worker == "store":
                recorded[-1].close(30)
            uninstrument()
            recorded.append(recording())

    recorded = [recording()]
    try:
        asyncio.run(app.run(between))
        return recorded[-1].report
    finally:
        uninstrument()
        for each in recorded:
            each.close(30)


def played(seed: str, tally: Tally) -> list[Violation]:
    """Tears an app, and compares its report with that of the same app in one piece."""
    random = Story.seeded(seed).random
    tear, worker = random.choice(TEARS), random.choice(WORKERS)
    worker = "same" if tear == "by hand" else worker  # nothing shows that it goes on
    torn, whole = (Torn(seed, tear, torn=each) for each in (True, False))
    with tempfile.TemporaryDirectory() as folder:
        wanted = report_of(whole, "same", Path(folder))
        report = report_of(torn, worker, Path(folder))
    torn.story.blocks += [worker, f"{tear}, {worker}"]
    violations = [each for each in check(torn.story, report, tally) if "supported" in each.kind or worker != "nothing"]
    same = found(report) == found(wanted)
    if report.state == "assessed" if worker == "nothing" else not same:
        detail = f"{report.state}: {set(found(report)) ^ set(found(wanted))}"
        violations.append(Violation("report differs", f"{tear}, {worker}", detail))
    tally.add(seed, torn.story, violations)
    return violations
