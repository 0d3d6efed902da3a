"""Asking a chat engine: each draft from a copy of it, and the next one without searching for other sources."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
)
from llama_index.core.chat_engine.types import BaseChatEngine
from llama_index.core.schema import QueryBundle

from llama_index_trail.draft_memory import DraftMemory
from llama_index_trail.drafts import Draft, Request, note_history
from llama_index_trail.rewriting import Rewriting

if TYPE_CHECKING:
    from llama_index.core.prompts.mixin import PromptMixinType

__all__ = ["ChatDraft", "ChatRequest", "drafting", "revised"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest(Request):
    """What a draft of a chat is asked for.

    Attributes:
        message: The user's message.
        history: The conversation that the caller gave with it; None is the engine's own.
        options: What else the engine is called with.
    """

    message: str
    history: list[Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class ChatDraft(Draft):
    """A reply of a chat engine.

    Attributes:
        memory: What it put into its memory.
    """

    memory: DraftMemory

    def said(self) -> str:
        """Returns the text; the turns before, which its prompts showed, become inputs of the run."""
        note_history()
        return Draft.said(self)  # a class with slots is made anew, which `super()` does not know


def drafting(engine: BaseChatEngine, request: ChatRequest) -> tuple[Any, str, DraftMemory]:
    """Returns a copy of an engine to write a draft with, the message to ask it, and its memory."""
    drafter: Any = copy.copy(engine)
    drafter._memory = memory = DraftMemory(drafter._memory)  # noqa: SLF001 - there is no other way in
    if not request.feedback:
        return drafter, request.message, memory
    if request.nodes is not None and _answers_as(engine, CondenseQuestionChatEngine):
        drafter._query_engine = AnsweringAgain(drafter._query_engine, request)  # noqa: SLF001 - as above
        _give(drafter, "condense_question", request.query.query_str)
        return drafter, request.message, memory
    if request.nodes is not None and _answers_as(engine, ContextChatEngine, CondensePlusContextChatEngine):
        _give(drafter, "get_nodes", request.nodes)
        drafter._skip_condense = True  # noqa: SLF001 - as above; the question is for the search
    return drafter, f"{request.message}\n\n{request.feedback}", memory


def revised(request: ChatRequest, draft: ChatDraft, feedback: str) -> ChatRequest:
    """Returns the request for the next draft."""
    if request.nodes is not None:
        return replace(request, feedback=feedback)
    query = next((each.raw_input.get("query") for each in draft.response.sources), None)
    bundle = QueryBundle(query) if isinstance(query, str) else request.query
    return replace(request, feedback=feedback, nodes=list(draft.response.source_nodes), query=bundle)


class AnsweringAgain(BaseQueryEngine):
    """The query engine of a chat, asked for another answer to the same question. It does not stream.

    Args:
        engine: The engine.
        request: What it is asked for; its query is the question, without what else was said in the chat.
    """

    def __init__(self, engine: BaseQueryEngine, request: ChatRequest) -> None:
        super().__init__(engine.callback_manager)
        synthesizer: Any = copy.copy(getattr(engine, "_response_synthesizer", None))
        if synthesizer is not None:
            synthesizer._streaming = False  # noqa: SLF001 - there is no other way in
            whole: Any = copy.copy(engine)
            whole._response_synthesizer = synthesizer  # noqa: SLF001 - as above
            engine = whole
        self._rewriting = Rewriting(engine)
        self._request = request

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def _query(self, query_bundle: QueryBundle) -> Any:
        del query_bundle  # the request has it
        return self._rewriting.ask(self._request)

    async def _aquery(self, query_bundle: QueryBundle) -> Any:
        del query_bundle  # as above
        return await self._rewriting.aask(self._request)


def _give(drafter: Any, name: str, value: Any) -> None:
    """Lets a step of a chat engine return a value that is known."""

    async def agiven(*_: Any) -> Any:
        return value

    setattr(drafter, f"_{name}", lambda *_: value)
    setattr(drafter, f"_a{name}", agiven)


def _answers_as(engine: BaseChatEngine, *kinds: type) -> bool:
    """True for an engine of one of these classes, unless a subclass answers in a way of its own."""
    names = ("chat", "achat", "_condense_question", "_acondense_question", "_get_nodes", "_aget_nodes")
    kind = next((kind for kind in kinds if isinstance(engine, kind)), None)
    return kind is not None and all(_definer(type(engine), name) is _definer(kind, name) for name in names)


def _definer(kind: type, name: str) -> type | None:
    return next((base for base in kind.__mro__ if name in vars(base)), None)
