"""A scripted model and a retriever for generated apps of LlamaIndex."""

from __future__ import annotations

import json
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.tools import ToolSelection


class Scripted(FunctionCallingLLM):
    """Writes the next reply of a story, whatever it is asked: a text, or a list of tools with their arguments."""

    story: Any
    chats: bool = True

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True, is_chat_model=self.chats, model_name="scripted")

    def _next(self, prompt: str) -> Any:
        replies = self.story.replies
        if "concise summary" in prompt:
            return self.story.summary("summary")
        return replies.popleft() if len(replies) > 1 else replies[0]

    def _message(self, prompt: Any) -> ChatMessage:
        reply = self._next(str(prompt))
        if isinstance(reply, str):
            return ChatMessage(role="assistant", content=reply)
        calls = [
            {"id": f"{name}-{i}-{len(str(args))}", "function": {"name": name, "arguments": json.dumps(args)}}
            for i, (name, args) in enumerate(reply)
        ]
        return ChatMessage(role="assistant", content="", additional_kwargs={"tool_calls": calls})

    def _chunks(self, prompt: Any) -> list[ChatResponse]:
        message = self._message(prompt)
        if not message.content:
            return [ChatResponse(message=message, delta="")]
        words, text, chunks = message.content.split(" "), "", []
        for i, word in enumerate(words):
            delta = f" {word}" if i else word
            text += delta
            chunks.append(ChatResponse(message=ChatMessage(role="assistant", content=text), delta=delta))
        return chunks

    @llm_chat_callback()
    def chat(self, messages, **kwargs):
        return ChatResponse(message=self._message(messages))

    @llm_chat_callback()
    async def achat(self, messages, **kwargs):
        return ChatResponse(message=self._message(messages))

    @llm_chat_callback()
    def stream_chat(self, messages, **kwargs):
        chunks = self._chunks(messages)

        def parts():
            yield from chunks

        return parts()

    @llm_chat_callback()
    async def astream_chat(self, messages, **kwargs):
        chunks = self._chunks(messages)

        async def parts():
            for chunk in chunks:
                yield chunk

        return parts()

    @llm_completion_callback()
    def complete(self, prompt, formatted=False, **kwargs):
        return CompletionResponse(text=self._next(prompt))

    @llm_completion_callback()
    async def acomplete(self, prompt, formatted=False, **kwargs):
        return CompletionResponse(text=self._next(prompt))

    @llm_completion_callback()
    def stream_complete(self, prompt, formatted=False, **kwargs):
        chunks = self._chunks(prompt)

        def parts():
            for chunk in chunks:
                yield CompletionResponse(text=chunk.message.content, delta=chunk.delta)

        return parts()

    @llm_completion_callback()
    async def astream_complete(self, prompt, formatted=False, **kwargs):
        chunks = self._chunks(prompt)

        async def parts():
            for chunk in chunks:
                yield CompletionResponse(text=chunk.message.content, delta=chunk.delta)

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


class Shelf(BaseRetriever):
    """Finds the same pages whatever is asked."""

    def __init__(self, pages: list[str]) -> None:
        self.pages = pages
        super().__init__()

    def _retrieve(self, query_bundle: Any) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(text=page), score=0.5) for page in self.pages]
