"""`GuardedChatEngine`: the same chat engine, which replies only with what its sources support."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AbstractContextManager
from typing import Any, TypeAlias, Unpack

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.chat_engine.types import AgentChatResponse, BaseChatEngine, StreamingAgentChatResponse
from llama_index.core.schema import QueryBundle
from llama_index_instrumentation import get_dispatcher

from llama_index_trail.chat_drafts import ChatDraft, ChatRequest, drafting, revised
from llama_index_trail.drafts import EngineGuard, around, graph_of, no_span, recorded, texts_of
from llama_index_trail.instrument import Trail
from llama_index_trail.responses import ReplayedStream, from_nodes, is_empty, sources_of
from llama_index_trail.results import Scope, decide, graph_for, recorded_in, untraced
from trail_callbacks.capture.payloads import without_feedback
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard import (
    GuardKeywords,
    GuardOutcome,
    GuardSettings,
    GuardSteps,
    Stream,
    acarry_out,
    carry_out,
    guard_answer,
    reject,
)
from trail_callbacks.guard.withheld import Withheld
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.session import CaptureSettings, Retention
from trail_callbacks.session.guarded import GuardedRun
from trail_callbacks.signatures import shows_settings

_TURNS = 8  # recorded runs kept; each knows those before it

_span = get_dispatcher(__name__).span
History: TypeAlias = list[ChatMessage] | None
Form: TypeAlias = Callable[[Any], Any]


def same(reply: Any) -> Any:
    """Returns a reply as it is, where others are streamed."""
    return reply


class GuardedChatEngine(BaseChatEngine):
    """Judges each reply of a chat engine before anybody gets it.

        engine = GuardedChatEngine(index.as_chat_engine(), judge="openai/gpt-5-mini", on_fail="retry")
        response = engine.chat(message)
        response.metadata["trail"]["passed"]

    It is a chat engine like the one inside, over the same memory. A reply is checked against all that was read for it,
    and against the documents and tool results that earlier replies rest on, for a reply may rest on a reply; it is
    recorded for that, by the app's own recording if there is one. A withheld reply has `blocked` in its summary and its
    sources kept.

    The memory gets the user's message and the reply that the user reads, once that is decided: no draft, no feedback,
    and nothing of a turn that raises. The next draft is written from the same sources, if the engine is LlamaIndex's
    `context` or `condense_plus_context`; `condense_question` searches for the same question again, and any other is
    asked again with the feedback after the message. A stream is written by `chat` and replayed when it is accepted,
    except with `stream="pass"`.

    Args:
        engine: The engine inside; it is not changed, but for its memory.
        judge: Who decides; it must be given. A string such as `"openai/gpt-5-mini"` is a model through instructor;
            `as_model(llm)` is the app's own model; `"local"` is the offline judge.
        stream: `buffer`: a stream is returned when its reply is accepted; `pass`: tokens come at once, and the summary
            after the last one, which only `annotate` allows and does by default.
        **settings: `max_score`, `on_fail`, `max_retries` and more; see `trail_callbacks.guard.GuardSettings`.

    Raises:
        InputError: If a value is out of range, or `engine` is not a chat engine with a memory.
        JudgeError: If there is no judge, or it is unknown.
    """

    @shows_settings(GuardSettings, GuardKeywords)
    def __init__(
        self,
        engine: BaseChatEngine,
        judge: JudgeLike = None,
        *,
        stream: Stream | None = None,
        **settings: Unpack[GuardKeywords],
    ) -> None:
        if not isinstance(engine, BaseChatEngine):
            raise InputError(f"GuardedChatEngine takes a chat engine, got {type(engine).__name__}")
        if getattr(engine, "_memory", None) is None:
            raise InputError(
                f"GuardedChatEngine takes an engine with a memory; {type(engine).__name__} has no `_memory`"
            )
        self._engine: Any = engine
        self._guard = EngineGuard(GuardSettings(judge=judge, stream=stream, **settings), around=untraced)
        self._scope = _own_scope()

    # ------------------------------------------------------------------ what the engine inside has

    def __getattr__(self, name: str) -> Any:
        """Whatever else the engine inside has, e.g. `callback_manager`."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._engine, name)

    @property
    def _memory(self) -> Any:
        return self._engine._memory  # noqa: SLF001 - this is where LlamaIndex's engines have it

    @property
    def chat_history(self) -> list[ChatMessage]:
        """The conversation, as its user read it."""
        history: list[ChatMessage] = self._engine.chat_history
        return history

    def reset(self) -> None:
        """Forgets the conversation, and what it rests on."""
        self._engine.reset()
        self._scope = _own_scope()

    # ------------------------------------------------------------------ replies

    @no_span
    def chat(self, message: str, chat_history: History = None, **options: Any) -> AgentChatResponse:
        """Asks the engine until a reply passes, or does what the settings say.

        Args:
            message: The user's message.
            chat_history: The conversation before it; None is the one in the memory.
            **options: What else the engine inside takes.

        Raises:
            AnswerRejectedError: If the settings say so.
        """
        with self._recorded():
            reply: AgentChatResponse = self._reply(message, chat_history, **options)
        return reply

    @no_span
    async def achat(self, message: str, chat_history: History = None, **options: Any) -> AgentChatResponse:
        """As `chat`, without blocking the event loop."""
        with self._recorded():
            reply: AgentChatResponse = await self._areply(message, chat_history, **options)
        return reply

    @no_span
    def stream_chat(self, message: str, chat_history: History = None, **options: Any) -> StreamingAgentChatResponse:
        """As `chat`; the reply is streamed."""
        with self._recorded():
            if self._guard.is_live:
                return self._followed(self._engine.stream_chat(message, chat_history, **options), message)
            stream: StreamingAgentChatResponse = self._reply(message, chat_history, streamed, **options)
        return stream

    @no_span
    async def astream_chat(
        self, message: str, chat_history: History = None, **options: Any
    ) -> StreamingAgentChatResponse:
        """As `achat`; the reply is streamed."""
        with self._recorded():
            if self._guard.is_live:
                return self._followed(await self._engine.astream_chat(message, chat_history, **options), message)
            stream: StreamingAgentChatResponse = await self._areply(message, chat_history, streamed, **options)
        return stream

    @_span
    def _reply(self, message: str, chat_history: History, form: Form = same, **options: Any) -> Any:
        request = _request(message, chat_history, options)
        outcome = carry_out(self._steps(request), self._write, self._guard.checker)
        if outcome.action == "raise":
            reject(outcome)
        outcome.draft.memory.keep(message, self._guard.instead(outcome))
        return self._result(outcome, form)

    @_span
    async def _areply(self, message: str, chat_history: History, form: Form = same, **options: Any) -> Any:
        request = _request(message, chat_history, options)
        outcome = await acarry_out(self._steps(request), self._awrite, self._guard.checker)
        if outcome.action == "raise":
            reject(outcome)
        await outcome.draft.memory.akeep(message, self._guard.instead(outcome))
        return await asyncio.to_thread(self._result, outcome, form)  # work, if the reply is long

    def _write(self, request: ChatRequest) -> ChatDraft:
        drafter, message, memory = drafting(self._engine, request)
        attempt = ChatDraft(query=request.message, memory=memory)
        attempt.write(lambda: drafter.chat(message, request.history, **request.options))
        return attempt

    async def _awrite(self, request: ChatRequest) -> ChatDraft:
        drafter, message, memory = drafting(self._engine, request)
        attempt = ChatDraft(query=request.message, memory=memory)
        await attempt.awrite(lambda: drafter.achat(message, request.history, **request.options))
        return attempt

    def _steps(self, request: ChatRequest) -> GuardSteps[ChatDraft]:
        return guard_answer(
            self._guard.settings, request, graph_of=graph_of, texts_of=texts_of, revised=revised, run=around
        )

    def _result(self, outcome: GuardOutcome[ChatDraft], form: Form) -> Any:
        message, response = self._guard.instead(outcome), outcome.draft.response
        reply = form(cleaned(response) if message is None else withheld(response, self._guard.withheld_of(outcome)))
        _mark(reply, outcome)
        return reply

    def _followed(self, reply: Any, message: str) -> StreamingAgentChatResponse:
        """A stream that the user reads at once, and that is judged after its last token."""

        def graph_of_reply(_: None, reply: Any) -> Callable[[], ProvenanceGraph] | None:
            if is_empty(reply.response, reply.source_nodes):
                return None
            return lambda: graph_for(reply) or from_nodes(reply.source_nodes, reply.response, message)

        def run(reply: Any) -> GuardedRun:
            session, root = recorded_in(reply)
            return GuardedRun(session=session, root=root)

        steps = guard_answer(
            self._guard.settings, None, graph_of=graph_of_reply, texts_of=_no_texts, revised=_never, run=run
        )

        async def written(_: None) -> Any:
            return reply

        def judge() -> None:
            _mark(reply, carry_out(steps, lambda _: reply, self._guard.checker))

        async def ajudge() -> None:
            await asyncio.to_thread(_mark, reply, await acarry_out(steps, written, self._guard.checker))

        return followed(reply, judge, ajudge)

    def _recorded(self) -> AbstractContextManager[None]:
        return recorded(lambda: Trail(copy.copy(self._scope)))


def _own_scope() -> Scope:
    """Records the conversation if the app does not."""
    return Scope(CaptureSettings(evaluate="never", keep=Retention(runs=_TURNS)))


def _request(message: str, history: History, options: dict[str, Any]) -> ChatRequest:
    return ChatRequest(query=QueryBundle(message), message=message, history=history, options=options)


def _never(_: None, __: Any, ___: str) -> None:
    """A reply that the user has read is not asked for again."""


def _no_texts(_: Any) -> list[str]:
    """Nothing is taken out of one that was read."""
    return []


def _mark(reply: Any, outcome: GuardOutcome[Any]) -> None:
    if summary := outcome.summary():
        decide(reply, summary, None if outcome.withheld else outcome.report)


def cleaned(reply: AgentChatResponse) -> AgentChatResponse:
    """Takes feedback out of what the tools of an accepted reply were asked."""
    for each in reply.sources:
        each.raw_input = {name: _said(value) for name, value in each.raw_input.items()}
    return reply


def withheld(reply: AgentChatResponse, text: Withheld) -> AgentChatResponse:
    """Returns a reply whose text is a message.

    The sources stay, but for what a query engine answered, and what the withheld text was put into.
    """
    kept = [each for each in cleaned(reply).sources if not sources_of(each)]
    nodes = text.cleared(list(reply.source_nodes))
    return AgentChatResponse(text.message, sources=[each for each in text.cleared(kept) if each], source_nodes=nodes)


def streamed(reply: AgentChatResponse) -> StreamingAgentChatResponse:
    """Returns a reply as a stream of its words, to be read in either way."""
    text, words = reply.response, reply.response.split(" ")
    tokens = [word if i == 0 else f" {word}" for i, word in enumerate(words)]
    message = ChatMessage(role=MessageRole.ASSISTANT, content=text)
    chunks = [ChatResponse(message=message, delta=token) for token in tokens]
    stream: Any = StreamingAgentChatResponse(
        response=text,
        sources=reply.sources,
        source_nodes=reply.source_nodes,
        chat_stream=ReplayedStream(chunks),  # type: ignore[arg-type]  # read like a generator
        achat_stream=ReplayedStream(chunks),  # type: ignore[arg-type]  # likewise
        is_function=False,
        is_writing_to_memory=False,
    )
    stream.metadata, stream.is_done = reply.metadata, True
    return stream  # type: ignore[no-any-return]  # the class has no field for metadata


def followed(
    reply: StreamingAgentChatResponse, judge: Callable[[], None], ajudge: Callable[[], Awaitable[None]]
) -> StreamingAgentChatResponse:
    """Lets a reply be judged once its stream has been read to the end."""
    reply.__class__ = _Followed
    reply._judging = judge, ajudge  # type: ignore[attr-defined]  # noqa: SLF001 - of the class below
    return reply


class _Followed(StreamingAgentChatResponse):
    _judging: tuple[Callable[[], None], Callable[[], Awaitable[None]]]

    @property
    def response_gen(self) -> Generator[str, None, None]:
        """The tokens."""
        tokens = StreamingAgentChatResponse.response_gen.fget  # type: ignore[attr-defined]  # a property
        yield from tokens(self)
        self._judging[0]()

    async def async_response_gen(self) -> AsyncGenerator[str, None]:
        """As `response_gen`."""
        async for token in super().async_response_gen():
            yield token
        await self._judging[1]()


def _said(value: Any) -> Any:
    asked = getattr(value, "query_str", value)
    return without_feedback(asked).rstrip() if isinstance(asked, str) else value
