"""LangChain apps whose model gives one answer, each behind a guard; what the user gets is all that a call returns."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from langchain_trail import AnswerRejectedError, TrailGuard, guarded
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

ASKED = "How high is the lighthouse of Genoa, and when was it rebuilt?"
GIVEN = {"question": ASKED}
CHAIN_WAYS = ("invoke", "ainvoke", "stream", "astream", "events")
AGENT_WAYS = (
    "invoke", "ainvoke", "stream", "astream", "events", "tool", "atool", "streamed tool", "provider", "aprovider",
)  # fmt: skip
"""How an app is called; those from `tool` on want a structured answer."""
MODES = ["values", "updates", "messages", "custom", "debug"]


class Shelf(BaseRetriever):
    """Finds one text whatever is asked."""

    source: str

    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(self.source)]


class Answers(BaseChatModel):
    """Gives one answer, word by word if it is streamed."""

    message: AIMessage

    @property
    def _llm_type(self):
        return "answers"

    def bind_tools(self, tools, **kwargs):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        return ChatResult(generations=[ChatGeneration(message=self.message.model_copy(deep=True))])

    def _stream(self, messages, stop=None, run_manager=None, **kwargs) -> Iterator[ChatGenerationChunk]:
        message = self.message
        calls = [
            {"name": each["name"], "args": json.dumps(each["args"]), "id": each["id"], "index": i}
            for i, each in enumerate(message.tool_calls)
        ]
        beside = {"tool_call_chunks": calls, "additional_kwargs": message.additional_kwargs}
        text = message.content if isinstance(message.content, str) else ""
        pieces = text.split(" ") if isinstance(message.content, str) else [message.content]
        for i, piece in enumerate(pieces):
            content = piece if i == 0 or not isinstance(piece, str) else f" {piece}"
            extra = {**beside, "response_metadata": message.response_metadata} if i == len(pieces) - 1 else {}
            chunk = ChatGenerationChunk(message=AIMessageChunk(content, **extra))
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


class Tower(BaseModel):
    """A structured answer."""

    said: str


def chain(answer: str, source: str, way: str, settings: dict[str, Any], made: Callable[[str], Any] = str) -> str:
    """What the user gets of a chain; `made` makes its output of the model's text."""
    context = (lambda given: given["question"]) | Shelf(source=source)
    prompt = ChatPromptTemplate.from_template("{context}\n{question}")
    text = prompt | Answers(message=AIMessage(answer)) | StrOutputParser()
    app = RunnablePassthrough.assign(context=context) | (text if made is str else text | made)
    return called(guarded(app, **{"judge": "local", **settings}), GIVEN, way)


def called(app: Any, given: Any, way: str, config: Any = None, **options: Any) -> str:
    """What an app returns, or raises; of `events` what watches the app sees of the guard itself and of its output."""

    async def chunks():
        return [chunk async for chunk in app.astream(given, config, **options)]

    async def events():
        return [event["data"] async for event in app.astream_events(given, config) if not event["parent_ids"]]

    ways = {
        "invoke": lambda: app.invoke(given, config),
        "ainvoke": lambda: asyncio.run(app.ainvoke(given, config)),
        "stream": lambda: list(app.stream(given, config, **options)),
        "astream": lambda: asyncio.run(chunks()),
        "events": lambda: asyncio.run(events()),
    }
    try:
        return visible(ways[way]())
    except AnswerRejectedError as error:
        return str(error)


def visible(value: Any) -> str:
    """All that a value shows."""
    return f"{value}\n{value!r}"


def agent(answer: str, source: str, way: str, settings: dict[str, Any], **parts: Any) -> str:
    """What the user gets of an agent of `create_agent`, in all modes of streams, and what its checkpoints keep."""
    forms = {"tool": ToolStrategy(Tower), "provider": ProviderStrategy(Tower)}
    form = next((name for name in forms if name in way), None)
    called_as = {
        "tool": "invoke",
        "provider": "invoke",
        "atool": "ainvoke",
        "aprovider": "ainvoke",
        "streamed tool": "stream",
    }
    message = parts.pop("message", None) or AIMessage(answer)
    if form == "tool":
        message = AIMessage("", tool_calls=[{"name": "Tower", "args": {"said": answer}, "id": "call-1"}])
    elif form == "provider":
        message = AIMessage(json.dumps({"said": answer}))
    middleware = [*parts.pop("before", ()), TrailGuard(**{"judge": "local", **settings}), *parts.pop("after", ())]
    app = create_agent(
        Answers(message=message), [], system_prompt=source, middleware=middleware, checkpointer=InMemorySaver(),
        response_format=forms.get(form or ""), **parts,
    )  # fmt: skip
    config: Any = {"configurable": {"thread_id": "1"}}
    shown = called(
        app, {"messages": [("user", ASKED)]}, called_as.get(way, way), config,
        **({"stream_mode": MODES} if "stream" in called_as.get(way, way) else {}),
    )  # fmt: skip
    kept = visible(list(app.get_state_history(config)))
    return (shown + kept).replace(source, "").replace(repr(source)[1:-1], "")
