"""Apps of LlamaIndex, put together by chance from building blocks."""

from __future__ import annotations

import asyncio

from llama_index_engines import chat_engine, custom_engine, query_engine, synthesizer
from llama_index_trail import trail
from llama_index_workflows import agent, workflow
from story import Story, Tally, Violation, check

MODES = ("sync", "async", "stream", "astream")
KINDS = (
    query_engine,
    query_engine,
    custom_engine,
    chat_engine,
    chat_engine,
    agent,
    agent,
    agent,
    workflow,
    synthesizer,
)


def played(seed: str, tally: Tally) -> list[Violation]:
    """Makes an app, runs it, and returns what was judged wrongly."""
    story = Story.seeded(seed)
    mode = story.random.choice(MODES)
    make = story.random.choice(KINDS)
    found: list[Violation] = []
    turns = make(story, mode)
    story.blocks.append(mode)
    with trail(evaluate="inline") as recorded:
        for turn in turns:
            try:
                result = turn()
                if asyncio.iscoroutine(result):
                    asyncio.run(result)
                found += check(story, recorded.report, tally)
            except Exception as error:  # noqa: BLE001 - whatever reaches the app is a fault
                found.append(Violation("error", story.blocks[0], repr(error)))
    found += [Violation("error", "recorder", repr(error)) for error in recorded.errors]
    tally.add(seed, story, found)
    return found
