"""A LlamaIndex app as the app of a canary run: asked under each arm, recorded, and judged if wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Literal, get_args

from llama_index.core.base.llms.base import BaseLLM
from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse

from llama_index_trail.canary import CanaryRetriever
from llama_index_trail.instrument import Trail, trail
from trail_callbacks.canary.arm import Answered, Ask, Strategy
from trail_callbacks.canary.serving.application import FrameworkApp, usage_of
from trail_callbacks.canary.serving.exposure import exposed
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.resolve import JudgeLike

Mode = Literal["async", "sync"]
Build = Callable[[CanaryRetriever, Strategy], Any]
Models = BaseLLM | Callable[[Strategy], BaseLLM]
_ASKED_BY = ("query", "chat", "run")


class CanaryApp(FrameworkApp[CanaryRetriever]):
    """An app for a canary run of a LlamaIndex app; nothing is sent but what the app itself sends.

        def build(retriever, strategy):
            return RetrieverQueryEngine.from_args(retriever, llm=llm)

        app = canary_app(build, CanaryRetriever(index.as_retriever(), twin), model=llm)

    It works from several threads and tasks at once. The run of each question is recorded: what the retriever served,
    what it cost, and, with `verify` or a judge, the report on the answer. A run that read the real text of an edit
    under `fictive` or `empty`, from wherever, is an error and not an answer.
    """

    def __init__(
        self,
        app: Any | Build,
        retriever: CanaryRetriever,
        *,
        model: Models | None = None,
        mode: Mode = "async",
        verify: bool = False,
        judge: JudgeLike = None,
    ) -> None:
        if not isinstance(retriever, CanaryRetriever):
            raise InputError(f"retriever: expected a CanaryRetriever, got {type(retriever).__name__}")
        if _method(app) == "chat":
            raise InputError("app: a chat engine remembers what it was asked: pass a function that makes one")
        if mode not in get_args(Mode):
            raise InputError(f"unknown mode {mode!r}: choose 'async' or 'sync'")
        super().__init__(
            app,
            retriever,
            model,
            is_app=lambda made: _method(made) is not None,
            is_model=lambda made: isinstance(made, BaseLLM),
        )
        self._mode = mode
        self._judge = judge
        self._verify = verify or judge is not None
        trail(judge, "never")  # so that an unknown judge is an error now

    def __call__(self, ask: Ask, /) -> Answered | Awaitable[Answered]:
        """Answers a question under an arm."""
        return self._aanswer(ask) if self._mode == "async" else self._answered(ask)

    def _answered(self, ask: Ask) -> Answered:
        with trail(self._judge, "never") as recording:
            if ask.arm == "closed_book":
                text = str(self._alone(ask).complete(ask.question))
                return Answered(text=text, usage=usage_of(_graph(recording)))
            made = self._for(ask)
            method = _method(made.app)
            if method == "run":
                raise InputError(f"app: a {type(made.app).__name__} is an agent, which needs mode='async'")
            with exposed(ask.arm, made.retriever.twin) as exposure:
                text = _text(getattr(made.app, str(method))(ask.question))
        answered = self._checked(ask, made, exposure, text, _graph(recording))
        return replace(answered, report=recording.report) if self._verify else answered

    async def _aanswer(self, ask: Ask) -> Answered:
        with trail(self._judge, "never") as recording:
            if ask.arm == "closed_book":
                text = str(await self._alone(ask).acomplete(ask.question))
                return Answered(text=text, usage=usage_of(_graph(recording)))
            made = await asyncio.to_thread(self._for, ask)  # an app may take its time to be built
            method = _method(made.app)
            with exposed(ask.arm, made.retriever.twin) as exposure:
                if method == "run":
                    text = str(await made.app.run(user_msg=ask.question))
                else:
                    response = await getattr(made.app, f"a{method}")(ask.question)
                    streams = isinstance(response, AsyncStreamingResponse)
                    text = str(await response.get_response()) if streams else _text(response)
        answered = self._checked(ask, made, exposure, text, _graph(recording))
        return replace(answered, report=await recording.areport()) if self._verify else answered

    def _keeps(self, made: Any) -> bool:
        return _method(made) != "chat"  # which remembers what it was asked before


canary_app = CanaryApp
"""As it is called where an app is made: `canary_app(build, retriever)`."""


def _method(engine: Any) -> str | None:
    """By which of its methods an engine is asked; None if it is none."""
    return next((each for each in _ASKED_BY if callable(getattr(engine, each, None))), None)


def _text(response: Any) -> str:
    return str(response.get_response()) if isinstance(response, StreamingResponse) else str(response)


def _graph(recording: Trail) -> ProvenanceGraph | None:
    """The graph of a run; None if LlamaIndex's instrumentation showed nothing of it."""
    try:
        return recording.graph
    except InputError:
        return None
