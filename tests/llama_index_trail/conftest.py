"""Real LlamaIndex parts around a model that answers by rules."""

from __future__ import annotations

import asyncio
import gc
import json
import re
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import llama_index_trail
import pytest
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    CustomLLM,
    LLMMetadata,
)
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.schema import TextNode
from llama_index.core.tools import ToolSelection
from llama_index_trail.instrument import rest
from llama_index_trail.tracker import TRACKER
from pydantic import Field

from trail_callbacks import ProvenanceGraph


class Rules(CustomLLM):
    """Answers with the first rule all of whose keys stand in the prompt: a text, or an exception to raise.

    A reply that is a list is streamed as its items; an exception among them is raised there.
    """

    rules: list[tuple[Any, Any]]
    asked: list[str] = Field(default_factory=list)

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=3900, num_output=64, model_name="rules")

    def _reply(self, prompt: str) -> Any:
        self.asked.append(prompt)
        for keys, reply in self.rules:
            if all(key in prompt for key in ([keys] if isinstance(keys, str) else keys)):
                if isinstance(reply, BaseException):
                    raise reply
                return reply
        raise LookupError(prompt)

    @llm_completion_callback()
    def complete(self, prompt, formatted=False, **kwargs):
        return CompletionResponse(text=self._reply(prompt))

    @llm_completion_callback()
    def stream_complete(self, prompt, formatted=False, **kwargs):
        reply = self._reply(prompt)

        def parts():
            text = ""
            for token in reply if isinstance(reply, list) else re.findall(r"\S+\s*", reply):
                if isinstance(token, BaseException):
                    raise token
                text += token
                yield CompletionResponse(text=text, delta=token)

        return parts()


class Bare(Rules):
    """A model whose author left out the callbacks: spans, but no events."""

    def complete(self, prompt, formatted=False, **kwargs):
        return CompletionResponse(text=self._reply(prompt))

    def stream_complete(self, prompt, formatted=False, **kwargs):
        tokens = re.findall(r"\S+\s*", self._reply(prompt))
        return (CompletionResponse(text="".join(tokens[: i + 1]), delta=t) for i, t in enumerate(tokens))


class Turns(FunctionCallingLLM):
    """Takes one step a turn: a list of (tool, arguments), or a text."""

    steps: list[Any]
    asked: list[str] = Field(default_factory=list)

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True, is_chat_model=True, model_name="turns")

    def _turn(self, messages) -> ChatResponse:
        step = self.steps[len(self.asked)]
        self.asked.append("\n".join(str(message.content) for message in messages))
        calls = [] if isinstance(step, str) else [
            {"id": f"{name}-{len(self.asked)}-{i}", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for i, (name, arguments) in enumerate(step)
        ]  # fmt: skip
        text = step if isinstance(step, str) else ""
        message = ChatMessage(role="assistant", content=text, additional_kwargs={"tool_calls": calls} if calls else {})
        return ChatResponse(message=message, delta=text)

    @llm_chat_callback()
    async def achat(self, messages, **kwargs):
        return self._turn(messages)

    @llm_chat_callback()
    async def astream_chat(self, messages, **kwargs):
        async def parts():
            yield self._turn(messages)

        return parts()

    def _prepare_chat_with_tools(self, tools, user_msg=None, chat_history=None, **kwargs):
        return {"messages": list(chat_history or []) + ([ChatMessage(content=user_msg)] if user_msg else [])}

    def get_tool_calls_from_response(self, response, error_on_no_tool_call=False, **kwargs):
        return [
            ToolSelection(
                tool_id=call["id"],
                tool_name=call["function"]["name"],
                tool_kwargs=json.loads(call["function"]["arguments"]),
            )
            for call in response.message.additional_kwargs.get("tool_calls", [])
        ]

    def chat(self, *args, **kwargs):
        raise NotImplementedError

    stream_chat = complete = acomplete = stream_complete = astream_complete = chat


class Words(BaseEmbedding):
    """A bag of words: what shares words with the query ranks first."""

    def _get_text_embedding(self, text):
        vector = [0.0] * 4096
        for word in re.findall(r"\w+", text.lower()):
            vector[crc32(word.encode()) % 4096] += 1.0
        return vector

    _get_query_embedding = _get_text_embedding

    async def _aget_query_embedding(self, query):
        return self._get_text_embedding(query)


@pytest.fixture(autouse=True)
def clean():
    """Nothing of one test is left for the next: no setting, no handler, no open run, no error of ours."""
    from llama_index.core import Settings

    Settings.llm, Settings.embed_model = Rules(rules=[]), MockEmbedding(embed_dim=8)
    TRACKER._errors.clear()
    yield
    gc.collect()  # agents leave databases open; let them complain here and not in another test
    gc.freeze()  # what is left is looked at once: a second for each test else
    llama_index_trail.uninstrument()
    left = llama_index_trail.status()
    TRACKER._traces.clear()
    TRACKER._spans.clear()
    rest()  # a test that breaks a hook leaves a run open, for which the handlers stay
    assert left.trails == 0
    assert left.errors == ()


@pytest.fixture
def shelf():
    """Makes an index over texts or nodes."""

    def make(*texts):
        nodes = [text if isinstance(text, TextNode) else TextNode(text=text) for text in texts]
        return VectorStoreIndex(nodes, embed_model=Words())

    return make


@pytest.fixture
def ask(shelf):
    """Makes a query engine over texts, with a model that answers by rules."""

    def make(texts, rules, *, model=Rules, **options):
        one = not (isinstance(rules, list) and all(isinstance(rule, tuple) for rule in rules))
        llm = model(rules=[("", rules)] if one else rules)
        return shelf(*texts).as_query_engine(llm=llm, **{"similarity_top_k": len(texts) or 1, **options})

    return make


@pytest.fixture(params=["sync", "async", "stream", "astream"])
def mode(request):
    return request.param


@pytest.fixture
def models():
    """The models by name."""
    return SimpleNamespace(Rules=Rules, Bare=Bare, Turns=Turns, Words=Words)


@pytest.fixture
def answer():
    """Asks in one of the ways; returns the text the app gets."""

    async def astream(engine, question):
        response = await engine.aquery(question)
        return "".join([token async for token in response.async_response_gen()])

    def ask(engine, question, mode="sync"):
        if mode == "sync":
            return str(engine.query(question))
        if mode == "async":
            return str(asyncio.run(engine.aquery(question)))
        if mode == "stream":
            return "".join(engine.query(question).response_gen)
        return asyncio.run(astream(engine, question))

    return ask


@pytest.fixture
def shows():
    """True if a way leads from a node with the one text to a node with the other, over edges that prove it."""

    def find(graph: ProvenanceGraph, source: str, target: str) -> bool:
        goals = {node.id for node in graph.nodes if target in node.text}
        start = {node.id for node in graph.nodes if source in node.text}
        assert goals, f"no node says {target!r}"
        assert start, f"no node says {source!r}"
        seen, todo = set(start), list(start)
        while todo:
            here = todo.pop()
            for edge in graph.edges:
                if edge.source == here and edge.basis != "scope" and edge.target not in seen:
                    seen.add(edge.target)
                    todo.append(edge.target)
        return bool(goals & (seen - start))

    return find


@pytest.fixture
def kinds():
    """The kinds of the nodes that hold a text."""
    return lambda graph, text: {node.kind for node in graph.nodes if text in node.text}


@pytest.fixture
def written():
    """Number of nodes that a model wrote."""
    return lambda graph: sum(node.kind in {"completion", "answer"} for node in graph.nodes)
