"""LlamaIndex apps whose model gives one answer, each behind a guard; what the user gets is all that a call returns."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from apps_langchain import ASKED, Tower, visible
from llama_index.core import get_response_synthesizer
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine
from llama_index.core.llms import ChatMessage, ChatResponse, CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.workflow import Context
from llama_index_trail import GuardedChatEngine, GuardedQueryEngine, guard_agent

ENGINE_WAYS = ("invoke", "ainvoke", "stream", "astream", "structured", "astructured")
CHAT_WAYS = ("invoke", "ainvoke", "stream", "astream", "condensed", "condensed astream")
AGENT_WAYS = ("ainvoke", "whole", "ReAct", "in a workflow", "structured")


class Nodes(BaseRetriever):
    """Finds one text whatever is asked."""

    def __init__(self, source):
        super().__init__()
        self._source = source

    def _retrieve(self, query_bundle):
        return [NodeWithScore(node=TextNode(text=self._source), score=0.9)]


class Says(CustomLLM):
    """Gives one answer, word by word if it is streamed."""

    answer: str

    @property
    def metadata(self):
        return LLMMetadata(context_window=10_000_000, num_output=64, model_name="says")

    @llm_completion_callback()
    def complete(self, prompt, formatted=False, **kwargs):
        return CompletionResponse(text=self.answer)

    @llm_completion_callback()
    def stream_complete(self, prompt, formatted=False, **kwargs):
        def parts():
            text = ""
            for i, word in enumerate(self.answer.split(" ")):
                delta = f" {word}" if i else word
                text += delta
                yield CompletionResponse(text=text, delta=delta)

        return parts()


class Chats(FunctionCallingLLM):
    """As `Says`, for agents."""

    answer: str

    @property
    def metadata(self):
        return LLMMetadata(is_function_calling_model=True, is_chat_model=True, model_name="chats")

    def _reply(self):
        return ChatResponse(
            message=ChatMessage(role="assistant", content=self.answer), delta=self.answer, raw=self.answer
        )

    async def achat(self, messages, **kwargs):
        return self._reply()

    async def astream_chat(self, messages, **kwargs):
        async def parts():
            yield self._reply()

        return parts()

    def _prepare_chat_with_tools(self, tools, user_msg=None, chat_history=None, **kwargs):
        return {"messages": [*(chat_history or []), *([ChatMessage(content=user_msg)] if user_msg else [])]}

    def get_tool_calls_from_response(self, response, error_on_no_tool_call=False, **kwargs):
        return []

    def chat(self, *args, **kwargs):
        raise NotImplementedError

    stream_chat = complete = acomplete = stream_complete = astream_complete = chat


def query_engine(answer: str, source: str, way: str, settings: dict[str, Any], inside: Any = None) -> str:
    """What the user gets of a query engine, or of the one inside."""
    structured, streaming = way.endswith("structured"), way.endswith("stream")
    llm: Any = Says(answer=json.dumps({"said": answer}) if structured else answer)
    synthesizer = get_response_synthesizer(
        llm=llm.as_structured_llm(Tower) if structured else llm, response_mode="simple_summarize", streaming=streaming
    )
    engine = GuardedQueryEngine(
        inside or RetrieverQueryEngine(Nodes(source), synthesizer), **{"judge": "local", **settings}
    )

    async def asked():
        response = await engine.aquery(ASKED)
        return [token async for token in response.async_response_gen()] if streaming else [], response

    if way.startswith("a"):
        tokens, response = asyncio.run(asked())
    else:
        response = engine.query(ASKED)
        tokens = list(response.response_gen) if streaming else []
    return "".join(map(str, tokens)) + visible(response) + visible(vars(response))


def chat_engine(answer: str, source: str, way: str, settings: dict[str, Any], inside: Any = None) -> str:
    """What the user gets of a chat engine, or of the one inside, and what its memory keeps."""
    kind = CondensePlusContextChatEngine if way.startswith("condensed") else ContextChatEngine
    made = inside or kind.from_defaults(
        retriever=Nodes(source), llm=Says(answer=answer), memory=ChatMemoryBuffer.from_defaults(token_limit=10_000_000)
    )
    engine = GuardedChatEngine(made, **{"judge": "local", **settings})

    async def streamed():
        reply = await engine.astream_chat(ASKED)
        return "".join([token async for token in reply.async_response_gen()]), reply

    tokens: Any = ""
    if way in {"invoke", "condensed"}:
        reply = engine.chat(ASKED)
    elif way == "stream":
        reply = engine.stream_chat(ASKED)
        tokens = "".join(reply.response_gen)
    elif way == "ainvoke":
        reply = asyncio.run(engine.achat(ASKED))
    else:
        tokens, reply = asyncio.run(streamed())
    return tokens + visible(reply) + visible(vars(reply)) + visible(engine.chat_history)


def workflow(answer: str, source: str, way: str, settings: dict[str, Any], inside: Any = None) -> str:
    """What the user gets of an agent, or of the one inside: its output, its events, and what its context keeps."""
    options: dict[str, Any] = {"system_prompt": source, "streaming": way != "whole"}
    if way == "structured":
        options["structured_output_fn"] = lambda messages: {"said": messages[-1].content}
    if inside is not None:
        agent = inside
    elif way == "ReAct":
        # An agent that reasons answers behind a mark; without the mark all is the answer.
        agent = ReActAgent(llm=Chats(answer=f"Thought: I know it.\nAnswer: {answer}"), **options)
    else:
        agent = FunctionAgent(name="one", llm=Chats(answer=answer), **options)
    guarded = guard_agent(
        AgentWorkflow(agents=[agent]) if way == "in a workflow" else agent, **{"judge": "local", **settings}
    )

    async def run():
        context: Any = Context(guarded)
        handler = guarded.run(ASKED, ctx=context)
        events = [event async for event in handler.stream_events()]
        output = await handler
        memory = await context.store.get("memory", default=None)
        kept = [await memory.aget_all() if memory is not None else [], dict((await context.store.get_state()).items())]
        return visible(output) + visible(vars(output)) + visible(events) + visible(kept)

    shown = asyncio.run(run())
    for each in (source, repr(source)[1:-1], json.dumps(source)[1:-1], json.dumps(json.dumps(source))[3:-3]):
        shown = shown.replace(each, "")
    return shown
