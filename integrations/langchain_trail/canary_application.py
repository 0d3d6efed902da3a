"""A LangChain app as the app of a canary run: asked under each arm, recorded, and judged if wanted."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID, uuid4

from langchain_core.globals import get_llm_cache
from langchain_core.runnables import Runnable, RunnableConfig

from langchain_trail.canary import CanaryRetriever
from langchain_trail.canary_shapes import answer_text, joined, question_key
from langchain_trail.canary_watch import Watch
from langchain_trail.handler import TrailCallbackHandler
from trail_callbacks.canary.arm import Answered, Arm, ArmUnavailableError, Ask, Strategy
from trail_callbacks.canary.serving.exposure import Exposure, exposed
from trail_callbacks.canary.serving.real_words import refuse_memory, refuse_real_words, refuse_unseen
from trail_callbacks.errors import InputError
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.report import Report

__all__ = ["CanaryApp", "Mode", "canary_app"]

Mode = Literal["ainvoke", "invoke", "astream", "stream"]
Build = Callable[[CanaryRetriever, Strategy], Runnable[Any, Any]]
Make = Callable[[Strategy, Arm], tuple[CanaryRetriever, Runnable[Any, Any]]]
_CONVERSATION = ("thread_id", "session_id")  # what LangGraph and LangChain keep the messages of a user by
_MODES = ("ainvoke", "invoke", "astream", "stream")


@dataclass(frozen=True, slots=True)
class _Run:
    """One call of the app."""

    ask: Ask
    runnable: Runnable[Any, Any]
    retriever: CanaryRetriever | None
    given: Any
    config: RunnableConfig
    run_id: UUID
    watch: Watch
    outside: int


class CanaryApp:
    """An `App` of a canary run, made by `canary_app`; works from several threads and tasks at once.

    Attributes:
        handler: Records the runs: their graphs, and reports if `verify` was asked for.
    """

    def __init__(
        self,
        make: Make,
        *,
        model: Runnable[Any, Any] | Callable[[Strategy], Runnable[Any, Any]] | None,
        question: str | Callable[[str], Any] | None,
        answer: str | Callable[[Any], str] | None,
        mode: Mode,
        verify: bool,
        judge: JudgeLike,
    ) -> None:
        if mode not in _MODES:
            raise InputError(f"unknown mode {mode!r}: choose one of {', '.join(_MODES)}")
        self.handler = TrailCallbackHandler(judge, "never")
        self._make = make
        self._model = model
        self._question = question
        self._answer = answer
        self._mode = mode
        self._verify = verify or judge is not None
        self._made: dict[tuple[str, Arm], tuple[CanaryRetriever, Runnable[Any, Any]]] = {}
        self._making = threading.Lock()
        self._written: dict[str, set[str]] = {}

    def __call__(self, ask: Ask, /) -> Answered | Awaitable[Answered]:
        """Answers a question under an arm.

        Raises:
            ArmUnavailableError: For `closed_book` without a model.
            CanaryOffError: If fictive data is switched off.
            RealTextServedError: If the app read real texts under an arm which must not see them.
            InputError: If the answer cannot be found in what the app returned, the app remembers what it was asked
                before, a semantic cache answers for its models, or it cannot be made.
        """
        return self._aanswer(ask) if self._mode.startswith("a") else self._answered(ask)

    def _answered(self, ask: Ask) -> Answered:
        run = self._prepared(ask)
        if run.retriever is None:
            return self._closed(run, run.runnable.invoke(run.given, run.config))
        with exposed(ask.arm, run.retriever.twin) as exposure:
            if self._mode == "stream":
                output = None
                for chunk in run.runnable.stream(run.given, run.config):
                    output = joined(output, chunk)
            else:
                output = run.runnable.invoke(run.given, run.config)
        return self._checked(run, exposure, output, self.handler.report(run.run_id) if self._verify else None)

    async def _aanswer(self, ask: Ask) -> Answered:
        import asyncio  # noqa: PLC0415 - most of the adapter does without

        run = await asyncio.to_thread(self._prepared, ask)  # an app may take its time to be built
        if run.retriever is None:
            return self._closed(run, await run.runnable.ainvoke(run.given, run.config))
        with exposed(ask.arm, run.retriever.twin) as exposure:
            if self._mode == "astream":
                output = None
                async for chunk in run.runnable.astream(run.given, run.config):
                    output = joined(output, chunk)
            else:
                output = await run.runnable.ainvoke(run.given, run.config)
        return self._checked(run, exposure, output, await self.handler.areport(run.run_id) if self._verify else None)

    def _prepared(self, ask: Ask) -> _Run:
        _refuse_semantic_cache()
        run_id, watch = uuid4(), Watch(self._written)
        retriever = None
        if ask.arm == "closed_book":
            if self._model is None:
                raise ArmUnavailableError(
                    "closed_book asks a model alone, and this app names none: canary_app(..., model=chat_model)"
                )
            runnable = self._model if isinstance(self._model, Runnable) else self._model(ask.strategy)
            given: Any = ask.question
        else:
            retriever, runnable = self._app(ask)
            given = self._given(ask.question, runnable)
        return _Run(
            ask=ask,
            runnable=runnable,
            retriever=retriever,
            given=given,
            config={
                "callbacks": [self.handler, watch],
                "run_id": run_id,
                "configurable": dict.fromkeys(_CONVERSATION, f"trail-canary-{run_id}"),
            },
            run_id=run_id,
            watch=watch,
            outside=retriever.source.outside if retriever else 0,
        )

    def _app(self, ask: Ask) -> tuple[CanaryRetriever, Runnable[Any, Any]]:
        key = (ask.strategy.name, ask.arm)
        with self._making:
            if key not in self._made:
                self._made[key] = self._make(ask.strategy, ask.arm)
            return self._made[key]

    def _given(self, question: str, runnable: Runnable[Any, Any]) -> Any:
        if callable(self._question):
            return self._question(question)
        key = self._question or question_key(runnable)
        if key is None:
            return question
        return {key: [("user", question)]} if key == "messages" else {key: question}

    def _text(self, output: Any) -> str:
        if callable(self._answer):
            return self._answer(output)
        if isinstance(output, Mapping) and self._answer in output:
            output = output[self._answer]
        return answer_text(output)

    def _closed(self, run: _Run, output: Any) -> Answered:
        return Answered(text=answer_text(output), usage=run.watch.usage)

    def _checked(self, run: _Run, exposure: Exposure, output: Any, report: Report | None) -> Answered:
        assert run.retriever is not None  # noqa: S101 - for the type checker: only closed_book has none
        source = run.retriever.source
        outside = source.outside - run.outside
        self._written.setdefault(run.ask.question, set()).update(run.watch.written)
        refuse_memory(run.watch.remembers)
        refuse_unseen(run.ask.arm, exposure.calls, 0 if run.retriever.arm else outside)
        try:
            graph = self.handler.graph(run.run_id)
        except InputError:  # the app keeps callbacks off: nothing was recorded
            graph = None
        if graph is not None:
            refuse_real_words(graph, source.translator, exposure, run.ask.question)
        return Answered(
            text=self._text(output),
            # Without a call in the run, one outside of it may have been of this run.
            passages=tuple(exposure.passages) if exposure.calls or not outside else None,
            documents=tuple(exposure.documents),
            dropped=tuple(exposure.dropped),
            report=report,
            usage=run.watch.usage,
        )


def _refuse_semantic_cache() -> None:
    """Raises if a cache answers for models by likeness: texts of all arms are alike, and those of users are too."""
    cache = type(get_llm_cache()).__name__
    if "semantic" in cache.lower() or cache == "GPTCache":
        raise InputError(
            f"set_llm_cache: a {cache} answers one arm by what the model said under another, and would keep fictive "
            "answers for users: set_llm_cache(None) in the process of the run"
        )


def canary_app(
    app: Runnable[Any, Any] | Build,
    retriever: CanaryRetriever,
    *,
    model: Runnable[Any, Any] | Callable[[Strategy], Runnable[Any, Any]] | None = None,
    question: str | Callable[[str], Any] | None = None,
    answer: str | Callable[[Any], str] | None = None,
    mode: Mode = "ainvoke",
    verify: bool = False,
    judge: JudgeLike = None,
) -> CanaryApp:
    """Makes an app for a canary run of a LangChain app; nothing is sent but what the app itself sends.

        def build(retriever, strategy):
            prompt = ChatPromptTemplate.from_template(PROMPTS[strategy.parameters["prompt"]])
            return {"context": retriever | joined, "question": RunnablePassthrough()} | prompt | model

        app = canary_app(build, CanaryRetriever(store.as_retriever(), twin), model=model)

    Each question is a conversation of its own: `thread_id` and `session_id` of the call are new, and begin with
    `trail-canary-`, so that what a store of conversations keeps of them can be told and deleted.

    The run of each question is recorded: what the retriever served, what it cost, and, with `verify` or a judge, the
    report on the answer. A run that read the real text of an edit under `fictive` or `empty`, from wherever, is an
    error and not an answer.

    Args:
        app: A function that makes the app for a strategy, with a retriever for one arm; it is called once for each
            strategy and arm. Or an app that is finished, with `retriever` in it, whose arm is known by context; then
            strategies make no difference.
        retriever: The retriever that the app reads with.
        model: The model to ask alone, for the arm `closed_book`, or a function from the strategy to it.
        question: How the app takes the question: the key of its input, a function that makes the input, or None to
            read it from the schema of the input (`question`, `input`, `query`, `messages`, or text).
        answer: Where the answer is: the key of the output, a function, or None for a text, a message, the last message
            of a model, or one of the usual keys.
        mode: Which method of the app is called.
        verify: Judge each answer offline.
        judge: Judge each answer by this judge.

    Raises:
        InputError: If `app` is neither, or the mode is unknown.
        JudgeError: If the judge is unknown.
    """
    if not isinstance(retriever, CanaryRetriever):
        raise InputError(f"retriever: expected a CanaryRetriever, got {type(retriever).__name__}")
    if not isinstance(app, Runnable) and not callable(app):
        raise InputError(f"app: expected a chain or a function that makes one, got {type(app).__name__}")

    def make(strategy: Strategy, arm: Arm) -> tuple[CanaryRetriever, Runnable[Any, Any]]:
        if isinstance(app, Runnable):
            return retriever, app
        own = retriever.under(arm)
        made = app(own, strategy)
        if not isinstance(made, Runnable):
            raise InputError(f"app: expected it to return a chain, got {type(made).__name__}")
        return own, made

    return CanaryApp(make, model=model, question=question, answer=answer, mode=mode, verify=verify, judge=judge)
