"""Real LangChain parts around a model that answers by rules."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.retrievers import BaseRetriever
from langchain_trail import TrailCallbackHandler
from pydantic import Field

from trail_callbacks import ProvenanceGraph


class RuleModel(BaseChatModel):
    """Answers with the first rule whose key stands in the prompt: a text, a message, or an exception to raise."""

    rules: list[tuple[str, Any]]
    asked: list[str] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "rules"

    def _answer(self, messages: list[BaseMessage]) -> AIMessage:
        prompt = "\n".join(message.text for message in messages)
        self.asked.append(prompt)
        reply = next(reply for key, reply in self.rules if key in prompt)
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, str):
            return AIMessage(reply, usage_metadata={"input_tokens": 7, "output_tokens": 3, "total_tokens": 10})
        return reply.model_copy(deep=True)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        reply = self._answer(messages)
        if reply.tool_calls:
            chunks = [
                {"name": c["name"], "args": json.dumps(c["args"]), "id": c["id"], "index": i}
                for i, c in enumerate(reply.tool_calls)
            ]
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=chunks))
            return
        for i, word in enumerate(reply.text.split(" ")):
            chunk = ChatGenerationChunk(message=AIMessageChunk(word if i == 0 else f" {word}"))
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


class ToolModel(RuleModel):
    """As `RuleModel`, and takes tools."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> ToolModel:
        return self


class Shelf(BaseRetriever):
    """Finds fresh copies of the same documents whatever is asked."""

    documents: list[Document]

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [document.model_copy() for document in self.documents]


@pytest.fixture
def says() -> Callable[..., RuleModel]:
    """`says("text")`, `says(("key", "text"), ...)`; `tools=True` for a model that can be bound to tools."""

    def make(*rules: Any, tools: bool = False, **settings: Any) -> RuleModel:
        kind = ToolModel if tools else RuleModel
        return kind(rules=[rule if isinstance(rule, tuple) else ("", rule) for rule in rules], asked=[], **settings)

    return make


@pytest.fixture
def shelf() -> Callable[..., Shelf]:
    return lambda *texts: Shelf(documents=[Document(text, id=f"doc-{i}") for i, text in enumerate(texts)])


@pytest.fixture
def handler() -> Iterator[TrailCallbackHandler]:
    """Records only; a test that ends with an error of ours has found a fault."""
    made = TrailCallbackHandler(evaluate="never")
    yield made
    made.close()
    assert made.errors == []


@pytest.fixture(params=["invoke", "ainvoke", "stream", "astream", "batch", "abatch", "astream_events"])
def drive(request, handler):
    """Calls an app in one of the ways LangChain offers, under the handler; returns the graph of the last run."""

    def run(app, given):
        config = {"callbacks": [handler]}
        if request.param == "invoke":
            app.invoke(given, config)
        elif request.param == "ainvoke":
            asyncio.run(app.ainvoke(given, config))
        elif request.param == "stream":
            list(app.stream(given, config))
        elif request.param == "batch":
            app.batch([given, given], config)
        elif request.param == "abatch":
            asyncio.run(app.abatch([given, given], config))
        else:

            async def consume():
                if request.param == "astream_events":
                    return [event async for event in app.astream_events(given, config, version="v2")]
                return [chunk async for chunk in app.astream(given, config)]

            asyncio.run(consume())
        return handler.graph()

    return run


@pytest.fixture
def quiet(caplog):
    """LangChain swallows what a callback raises and only logs it."""
    caplog.set_level(logging.WARNING, "langchain_core")
    yield caplog
    assert [record.getMessage() for record in caplog.records] == []


def link(graph: ProvenanceGraph, source: str, target: str) -> str | None:
    """How the text that holds `source` reached the text that holds `target`: `firm`, by way of `scope`, or None."""
    starts = {node.id for node in graph.nodes if source in node.text}
    ends = {node.id for node in graph.nodes if target in node.text}
    assert starts, f"no node holds {source!r}"
    assert ends, f"no node holds {target!r}"
    for how, bases in (("firm", {"declared", "matched"}), ("scope", {"declared", "matched", "scope"})):
        seen, todo = set(), list(starts)
        while todo:
            here = todo.pop()
            for edge in graph.edges:
                if edge.source == here and edge.basis in bases and edge.target not in seen:
                    seen.add(edge.target)
                    todo.append(edge.target)
        if seen & ends:
            return how
    return None


@pytest.fixture(name="link")
def link_fixture() -> Callable[[ProvenanceGraph, str, str], str | None]:
    return link
