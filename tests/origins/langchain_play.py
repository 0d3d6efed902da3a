"""Runs a generated app of LangChain in some way, under one handler, and checks its reports."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from langchain_trail import TrailCallbackHandler
from story import Story, Tally, Violation, check


class App:
    """Some app, and what is asked of it turn by turn."""

    def __init__(self, story: Story, invoke: Any, asked: list[tuple[Any, Callable[[], None]]], thread: str) -> None:
        self.story, self.app, self.asked, self.thread = story, invoke, asked, thread

    def run(self, mode: str, tally: Tally, skip: frozenset[str] = frozenset()) -> list[Violation]:
        """Asks everything and checks each report."""
        handler = TrailCallbackHandler(evaluate="never")
        config = {"callbacks": [handler], "configurable": {"thread_id": self.thread}}
        found: list[Violation] = []
        for asked, prepare in self.asked:
            prepare()
            try:
                drive(self.app, asked() if callable(asked) else asked, config, mode)
                if "paused" not in self.story.blocks:
                    found += check(self.story, handler.report(), tally)
                else:
                    self.story.blocks.remove("paused")
            except Exception as error:  # noqa: BLE001 - whatever reaches the app is a fault
                found.append(Violation("error", self.story.blocks[0], repr(error)))
        found += [Violation("error", "handler", repr(error)) for error in handler.errors]
        handler.close()
        return [each for each in found if each.way not in skip]


def drive(app: Any, given: Any, config: Any, mode: str) -> None:
    """Calls an app in one of the ways."""

    async def consume() -> None:
        async for _ in app.astream(given, config):
            pass

    if mode == "invoke":
        app.invoke(given, config)
    elif mode == "ainvoke":
        asyncio.run(app.ainvoke(given, config))
    elif mode == "stream":
        for _ in app.stream(given, config):
            pass
    else:
        asyncio.run(consume())


MODES = ("invoke", "ainvoke", "stream", "astream")
