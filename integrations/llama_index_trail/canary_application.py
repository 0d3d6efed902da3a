"""A LlamaIndex app as the app of a canary run: asked under each arm, recorded, and judged if wanted."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from llama_index.core.base.llms.base import BaseLLM
from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse

from llama_index_trail.canary import CanaryRetriever
from llama_index_trail.context import Trail, trail
from trail_callbacks.canary.arm import Answered, Arm, ArmUnavailableError, Ask, Strategy
from trail_callbacks.canary.serving.exposure import Exposure, exposed
from trail_callbacks.canary.serving.real_words import refuse_memory, refuse_real_words, refuse_unseen
from trail_callbacks.errors import InputError
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.models.call import Usage

__all__ = ["CanaryApp", "Mode", "canary_app"]

Mode = Literal["async", "sync"]
Build = Callable[[CanaryRetriever, Strategy], Any]
Make = Callable[[Strategy, Arm], tuple[CanaryRetriever, Any]]
Models = BaseLLM | Callable[[Strategy], BaseLLM]
_ASKED_BY = ("query", "chat", "run")
_OF_MODELS = frozenset({"llm", "model", "prompt_tokens", "completion_tokens"})


@dataclass(frozen=True, slots=True)
class _Engine:
    """An engine, and by which of its methods it is asked."""

    retriever: CanaryRetriever
    engine: Any
    method: str
    outside: int


class CanaryApp:
    """An `App` of a canary run, made by `canary_app`; works from several threads and tasks at once."""

    def __init__(self, make: Make, *, model: Models | None, mode: Mode, verify: bool, judge: JudgeLike) -> None:
        if mode not in ("async", "sync"):
            raise InputError(f"unknown mode {mode!r}: choose 'async' or 'sync'")
        self._make = make
        self._model = model
        self._mode = mode
        self._judge = judge
        self._verify = verify or judge is not None
        trail(judge, "never")  # so that an unknown judge is an error now
        self._made: dict[tuple[str, Arm], tuple[CanaryRetriever, Any]] = {}
        self._making = threading.Lock()
        self._answers: dict[str, set[str]] = {}

    def __call__(self, ask: Ask, /) -> Answered | Awaitable[Answered]:
        """Answers a question under an arm.

        Raises:
            ArmUnavailableError: For `closed_book` without a model.
            CanaryOffError: If fictive data is switched off.
            RealTextServedError: If the app read real texts under an arm which must not see them.
            InputError: If the app is not one that answers, or it remembers what it was asked before.
        """
        return self._aanswer(ask) if self._mode == "async" else self._answered(ask)

    def _answered(self, ask: Ask) -> Answered:
        with trail(self._judge, "never") as recording:
            if ask.arm == "closed_book":
                text = str(self._alone(ask).complete(ask.question))
                return Answered(text=text, usage=_usage(_graph(recording)))
            made = self._engine(ask)
            with exposed(ask.arm, made.retriever.twin) as exposure:
                text = _read(getattr(made.engine, made.method)(ask.question))
        answered = self._checked(made, exposure, ask.question, text, _graph(recording))
        return replace(answered, report=recording.report) if self._verify else answered

    async def _aanswer(self, ask: Ask) -> Answered:
        with trail(self._judge, "never") as recording:
            if ask.arm == "closed_book":
                text = str(await self._alone(ask).acomplete(ask.question))
                return Answered(text=text, usage=_usage(_graph(recording)))
            made = await asyncio.to_thread(self._engine, ask)  # an app may take its time to be built
            with exposed(ask.arm, made.retriever.twin) as exposure:
                if made.method == "run":
                    text = str(await made.engine.run(user_msg=ask.question))
                else:
                    text = await _aread(await getattr(made.engine, f"a{made.method}")(ask.question))
        answered = self._checked(made, exposure, ask.question, text, _graph(recording))
        return replace(answered, report=await recording.areport()) if self._verify else answered

    def _alone(self, ask: Ask) -> BaseLLM:
        if self._model is None:
            raise ArmUnavailableError(
                "closed_book asks a model alone, and this app names none: canary_app(..., model=llm)"
            )
        return self._model if isinstance(self._model, BaseLLM) else self._model(ask.strategy)

    def _engine(self, ask: Ask) -> _Engine:
        key = (ask.strategy.name, ask.arm)
        with self._making:
            retriever, engine = self._made.get(key) or self._make(ask.strategy, ask.arm)
            method = next((each for each in _ASKED_BY if callable(getattr(engine, each, None))), None)
            if method is None or (method == "run" and self._mode == "sync"):
                raise InputError(
                    f"app: expected a query engine, a chat engine or (in mode 'async') an agent, got "
                    f"{type(engine).__name__}"
                )
            if method != "chat":  # which remembers what it was asked before
                self._made[key] = retriever, engine
        return _Engine(retriever, engine, method, retriever.source.outside)

    def _checked(
        self, made: _Engine, exposure: Exposure, question: str, text: str, graph: ProvenanceGraph | None
    ) -> Answered:
        source = made.retriever.source
        outside = source.outside - made.outside
        refuse_unseen(exposure.arm, exposure.calls, 0 if made.retriever.arm else outside)
        if graph is not None:
            earlier = self._answers.get(question, ())
            shown = (node.text for node in graph.nodes if node.kind == "completion" and not _is_call(node))
            refuse_memory(any(text in earlier for text in shown))
            refuse_real_words(graph, source.translator, exposure, question)
        self._answers.setdefault(question, set()).add(text)
        return Answered(
            text=text,
            # Without a call in the run, one outside of it may have been of this run.
            passages=tuple(exposure.passages) if exposure.calls or not outside else None,
            documents=tuple(exposure.documents),
            dropped=tuple(exposure.dropped),
            usage=_usage(graph),
        )


def canary_app(
    app: Any | Build,
    retriever: CanaryRetriever,
    *,
    model: Models | None = None,
    mode: Mode = "async",
    verify: bool = False,
    judge: JudgeLike = None,
) -> CanaryApp:
    """Makes an app for a canary run of a LlamaIndex app; nothing is sent but what the app itself sends.

        def build(retriever, strategy):
            return RetrieverQueryEngine.from_args(retriever, llm=llm)

        app = canary_app(build, CanaryRetriever(index.as_retriever(), twin), model=llm)

    The run of each question is recorded: what the retriever served, what it cost, and, with `verify` or a judge, the
    report on the answer. A run that read the real text of an edit under `fictive` or `empty`, from wherever, is an
    error and not an answer.

    Args:
        app: A function that makes a query engine, a chat engine or an agent for a strategy, with a retriever for one
            arm; it is called once for each strategy and arm, and for each question where it makes a chat engine, which
            would remember. Or a query engine or an agent that is finished, with `retriever` in it, whose arm is known
            by context; then strategies make no difference.
        retriever: The retriever that the app reads with.
        model: The model to ask alone, for the arm `closed_book`, or a function from the strategy to it.
        mode: Whether the app is awaited, or called.
        verify: Judge each answer offline.
        judge: Judge each answer by this judge.

    Raises:
        InputError: If `app` is none of these, or the mode is unknown.
        JudgeError: If the judge is unknown.
    """
    if not isinstance(retriever, CanaryRetriever):
        raise InputError(f"retriever: expected a CanaryRetriever, got {type(retriever).__name__}")
    finished = any(callable(getattr(app, each, None)) for each in _ASKED_BY)
    if finished and hasattr(app, "chat") and not hasattr(app, "query"):
        raise InputError("app: a chat engine remembers what it was asked: pass a function that makes one")
    if not finished and not callable(app):
        raise InputError(f"app: expected an engine or a function that makes one, got {type(app).__name__}")

    def make(strategy: Strategy, arm: Arm) -> tuple[CanaryRetriever, Any]:
        if finished:
            return retriever, app
        own = retriever.under(arm)
        return own, app(own, strategy)

    return CanaryApp(make, model=model, mode=mode, verify=verify, judge=judge)


def _read(response: Any) -> str:
    return str(response.get_response()) if isinstance(response, StreamingResponse) else str(response)


async def _aread(response: Any) -> str:
    if isinstance(response, AsyncStreamingResponse):
        return str(await response.get_response())
    return _read(response)


def _graph(recording: Trail) -> ProvenanceGraph | None:
    """The graph of a run; None if LlamaIndex's instrumentation showed nothing of it."""
    try:
        return recording.graph
    except InputError:
        return None


def _is_call(node: Node) -> bool:
    """True for what a model of the run wrote, and not for what it was shown of a conversation."""
    return bool(_OF_MODELS & node.attributes.keys())


def _usage(graph: ProvenanceGraph | None) -> Usage:
    """What the models of a recorded run read and wrote, each call once."""
    calls = {
        node.run_id or node.id: node.attributes
        for node in (graph.nodes if graph else ())
        if node.kind in ("completion", "answer") and _is_call(node)
    }
    return Usage(
        calls=len(calls),
        prompt_tokens=sum(each.get("prompt_tokens", 0) for each in calls.values()),
        completion_tokens=sum(each.get("completion_tokens", 0) for each in calls.values()),
    )
