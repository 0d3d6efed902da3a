"""Real apps whose model gives one answer, each behind a guard; what the user gets is all that a call returns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from langchain_trail import AnswerRejectedError, TrailGuard, guarded
from llama_index.core import get_response_synthesizer
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.llms import ChatMessage, ChatResponse, CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever as NodeRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index_trail import GuardedChatEngine, GuardedQueryEngine, guard_agent
from pydantic import BaseModel

ASKED = "How high is the lighthouse of Genoa, and when was it rebuilt?"


class Shelf(BaseRetriever):
    source: str

    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(self.source)]


class Nodes(NodeRetriever):
    def __init__(self, source):
        super().__init__()
        self._source = source

    def _retrieve(self, query_bundle):
        return [NodeWithScore(node=TextNode(text=self._source), score=0.9)]


class Says(CustomLLM):
    answer: str

    @property
    def metadata(self):
        return LLMMetadata(context_window=10_000_000, num_output=64, model_name="says")

    @llm_completion_callback()
    def complete(self, prompt, formatted=False, **kwargs):
        return CompletionResponse(text=self.answer)

    @llm_completion_callback()
    def stream_complete(self, prompt, formatted=False, **kwargs):
        return iter([CompletionResponse(text=self.answer, delta=self.answer)])


class Chats(FunctionCallingLLM):
    answer: str

    @property
    def metadata(self):
        return LLMMetadata(is_function_calling_model=True, is_chat_model=True, model_name="chats")

    async def astream_chat(self, messages, **kwargs):
        async def parts():
            reply = ChatMessage(role="assistant", content=self.answer)
            yield ChatResponse(message=reply, delta=self.answer)

        return parts()

    def _prepare_chat_with_tools(self, tools, user_msg=None, chat_history=None, **kwargs):
        return {"messages": [*(chat_history or []), *([ChatMessage(content=user_msg)] if user_msg else [])]}

    def get_tool_calls_from_response(self, response, error_on_no_tool_call=False, **kwargs):
        return []

    def chat(self, *args, **kwargs):
        raise NotImplementedError

    achat = stream_chat = complete = acomplete = stream_complete = astream_complete = chat


class Tower(BaseModel):
    """A structured answer."""

    said: str


def _chain(answer: str, source: str) -> Any:
    model = FakeMessagesListChatModel(responses=[AIMessage(answer)])
    context = (lambda given: given["question"]) | Shelf(source=source)
    prompt = ChatPromptTemplate.from_template("{context}\n{question}")
    return RunnablePassthrough.assign(context=context) | RunnablePassthrough.assign(
        answer=prompt | model | StrOutputParser()
    )


GIVEN = {"question": ASKED}
SHAPES: dict[str, Callable[[str], Any]] = {
    "text": lambda x: x,
    "message": AIMessage,
    "blocks": lambda x: AIMessage([{"type": "text", "text": x}]),
    "dict": lambda x: {"answer": x, "html": f"<p>{x}</p>", "log": [("said", x)]},
    "object": lambda x: Tower(said=x),
    "list": lambda x: [x],
    "tuple": lambda x: (x, len(x)),
    "document": Document,
}
"""What an app may make of its model's text."""


def _visible(value: Any) -> str:
    return f"{value}\n{value!r}"


def langchain(answer: str, source: str, way: str, shape: str, settings: dict[str, Any]) -> str:
    """What the user gets of a chain whose output has one of the shapes."""
    made = SHAPES[shape]
    app = guarded(_chain(answer, source) | (lambda out: made(out["answer"])), **settings)
    return _called(app, GIVEN, way)


def _called(app: Any, given: Any, way: str) -> str:
    async def chunks():
        return [chunk async for chunk in app.astream(given)]

    try:
        if way == "invoke":
            return _visible(app.invoke(given))
        if way == "ainvoke":
            return _visible(asyncio.run(app.ainvoke(given)))
        return _visible(list(app.stream(given)) if way == "stream" else asyncio.run(chunks()))
    except AnswerRejectedError as error:
        return str(error)


def agent(answer: str, source: str, way: str, settings: dict[str, Any]) -> str:
    """What the user gets of an agent of `create_agent`."""
    model = FakeMessagesListChatModel(responses=[AIMessage(answer)])
    app = create_agent(model, [], system_prompt=source, middleware=[TrailGuard(**settings)])
    return _called(app, {"messages": [("user", ASKED)]}, way).replace(source, "")


def query_engine(answer: str, source: str, way: str, settings: dict[str, Any]) -> str:
    """What the user gets of a LlamaIndex query engine."""
    synthesizer = get_response_synthesizer(llm=Says(answer=answer), response_mode="simple_summarize")
    engine = GuardedQueryEngine(RetrieverQueryEngine(Nodes(source), synthesizer), **settings)
    response = engine.query(ASKED) if way in {"invoke", "stream"} else asyncio.run(engine.aquery(ASKED))
    return _visible(response)


def chat_engine(answer: str, source: str, way: str, settings: dict[str, Any]) -> str:
    """What the user gets of a LlamaIndex chat engine, and what its memory keeps."""
    inside = ContextChatEngine.from_defaults(
        retriever=Nodes(source), llm=Says(answer=answer), memory=ChatMemoryBuffer.from_defaults(token_limit=10_000_000)
    )
    engine = GuardedChatEngine(inside, **settings)
    reply = engine.chat(ASKED) if way in {"invoke", "stream"} else asyncio.run(engine.achat(ASKED))
    return _visible(reply) + _visible(engine.chat_history)


def workflow(answer: str, source: str, way: str, settings: dict[str, Any]) -> str:
    """What the user gets of a LlamaIndex agent, its events too."""
    del way  # they are all asynchronous

    async def run():
        handler = guard_agent(FunctionAgent(llm=Chats(answer=answer), system_prompt=source), **settings).run(ASKED)
        events = [event async for event in handler.stream_events()]
        return _visible(await handler) + _visible(events)

    return asyncio.run(run()).replace(source, "").replace(repr(source)[1:-1], "")


def chain(answer: str, source: str, way: str, settings: dict[str, Any]) -> str:
    """What the user gets of a chain that returns a text."""
    return langchain(answer, source, way, "text", settings)


APPS = {
    "guarded": chain,
    "TrailGuard": agent,
    "GuardedQueryEngine": query_engine,
    "GuardedChatEngine": chat_engine,
    "guard_agent": workflow,
}
