"""A scripted model and a retriever for generated apps of LangChain."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.retrievers import BaseRetriever


class Scripted(BaseChatModel):
    """Writes the next reply of a story, whatever it is asked."""

    story: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Scripted:
        return self

    def _reply(self) -> AIMessage:
        replies = self.story.replies
        reply = replies.popleft() if len(replies) > 1 else replies[0]
        return AIMessage(reply) if isinstance(reply, str) else reply

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._reply())])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        reply = self._reply()
        if reply.tool_calls:
            calls = [
                {"name": call["name"], "args": json.dumps(call["args"]), "id": call["id"], "index": i}
                for i, call in enumerate(reply.tool_calls)
            ]
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=calls))
            return
        for i, word in enumerate(reply.text.split(" ")):
            chunk = ChatGenerationChunk(message=AIMessageChunk(f" {word}" if i else word))
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


class Shelf(BaseRetriever):
    """Finds the same pages whatever is asked."""

    pages: list[str]

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [Document(page) for page in self.pages]


def call(name: str, **arguments: Any) -> AIMessage:
    """A model's wish to call a tool."""
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{name}-{len(str(arguments))}"}])
