"""A LangChain app as the app of a canary run: asked under each arm, recorded, and judged if wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, get_args
from uuid import UUID, uuid4

from langchain_core.globals import get_llm_cache
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig

from langchain_trail.answers import ANSWERS, answer_message
from langchain_trail.canary import CanaryRetriever
from langchain_trail.handler import TrailCallbackHandler
from trail_callbacks.canary.arm import Answered, Ask, Strategy
from trail_callbacks.canary.serving.application import FrameworkApp, usage_of
from trail_callbacks.canary.serving.exposure import exposed
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.resolve import JudgeLike

Mode = Literal["ainvoke", "invoke"]
Build = Callable[[CanaryRetriever, Strategy], Runnable[Any, Any]]
_CONVERSATION = ("thread_id", "session_id")  # what LangGraph and LangChain keep the messages of a user by
_QUESTIONS = ("question", "input", "query", "messages")


class CanaryApp(FrameworkApp[CanaryRetriever]):
    """An app for a canary run of a LangChain app; nothing is sent but what the app itself sends.

        def build(retriever, strategy):
            prompt = ChatPromptTemplate.from_template(PROMPTS[strategy.parameters["prompt"]])
            return {"context": retriever | joined, "question": RunnablePassthrough()} | prompt | model

        app = canary_app(build, CanaryRetriever(store.as_retriever(), twin), model=model)

    Each question is a conversation of its own: `thread_id` and `session_id` of the call are new, and begin with
    `trail-canary-`, so that what a store of conversations keeps of them can be told and deleted.

    It works from several threads and tasks at once. The run of each question is recorded: what the retriever served,
    what it cost, and, with `verify` or a judge, the report on the answer. A run that read the real text of an edit
    under `fictive` or `empty`, from wherever, is an error and not an answer.

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

    Attributes:
        handler: Records the runs: their graphs, and reports if `verify` was asked for.

    Raises:
        InputError: If `app` is neither, or the mode is unknown.
        JudgeError: If the judge is unknown.
    """

    def __init__(
        self,
        app: Runnable[Any, Any] | Build,
        retriever: CanaryRetriever,
        *,
        model: Runnable[Any, Any] | Callable[[Strategy], Runnable[Any, Any]] | None = None,
        question: str | Callable[[str], Any] | None = None,
        answer: str | Callable[[Any], str] | None = None,
        mode: Mode = "ainvoke",
        verify: bool = False,
        judge: JudgeLike = None,
    ) -> None:
        if not isinstance(retriever, CanaryRetriever):
            raise InputError(f"retriever: expected a CanaryRetriever, got {type(retriever).__name__}")
        if mode not in get_args(Mode):
            raise InputError(f"unknown mode {mode!r}: choose one of {', '.join(get_args(Mode))}")
        is_runnable = lambda made: isinstance(made, Runnable)  # noqa: E731 - said twice
        super().__init__(app, retriever, model, is_app=is_runnable, is_model=is_runnable)
        self.handler = TrailCallbackHandler(judge, "never")
        self._question = question
        self._answer = answer
        self._mode = mode
        self._verify = verify or judge is not None

    def __call__(self, ask: Ask, /) -> Answered | Awaitable[Answered]:
        """Answers a question under an arm.

        Raises:
            ArmUnavailableError: For `closed_book` without a model.
            CanaryOffError: If fictive data is switched off.
            RealTextServedError: If the app read real texts under an arm which must not see them.
            InputError: If the answer cannot be found in what the app returned, the app remembers what it was asked
                before, a semantic cache answers for its models, or it cannot be made.
        """
        _refuse_semantic_cache()
        return self._aanswer(ask) if self._mode == "ainvoke" else self._answered(ask)

    def _answered(self, ask: Ask) -> Answered:
        run_id, config = self._config()
        if ask.arm == "closed_book":
            text = answer_text(self._alone(ask).invoke(ask.question, config))
            return Answered(text=text, usage=usage_of(self._graph(run_id)))
        made = self._for(ask)
        given = self._given(ask.question, made.app)
        with exposed(ask.arm, made.retriever.twin) as exposure:
            output = made.app.invoke(given, config)
        report = self.handler.report(run_id) if self._verify else None
        answered = self._checked(ask, made, exposure, self._text(output), self._graph(run_id))
        return replace(answered, report=report)

    async def _aanswer(self, ask: Ask) -> Answered:
        run_id, config = self._config()
        if ask.arm == "closed_book":
            text = answer_text(await self._alone(ask).ainvoke(ask.question, config))
            return Answered(text=text, usage=usage_of(self._graph(run_id)))
        made = await asyncio.to_thread(self._for, ask)  # an app may take its time to be built
        given = self._given(ask.question, made.app)
        with exposed(ask.arm, made.retriever.twin) as exposure:
            output = await made.app.ainvoke(given, config)
        report = await self.handler.areport(run_id) if self._verify else None
        answered = self._checked(ask, made, exposure, self._text(output), self._graph(run_id))
        return replace(answered, report=report)

    def _config(self) -> tuple[UUID, RunnableConfig]:
        run_id = uuid4()
        talk = dict.fromkeys(_CONVERSATION, f"trail-canary-{run_id}")
        return run_id, {"callbacks": [self.handler], "run_id": run_id, "configurable": talk}

    def _graph(self, run_id: UUID) -> ProvenanceGraph | None:
        try:
            return self.handler.graph(run_id)
        except InputError:  # the app keeps callbacks off: nothing was recorded
            return None

    def _given(self, question: str, runnable: Runnable[Any, Any]) -> Any:
        if callable(self._question):
            return self._question(question)
        key = self._question or _question_key(runnable)
        if key is None:
            return question
        return {key: [("user", question)]} if key == "messages" else {key: question}

    def _text(self, output: Any) -> str:
        if callable(self._answer):
            return self._answer(output)
        if isinstance(output, Mapping) and self._answer in output:
            output = output[self._answer]
        return answer_text(output)


canary_app = CanaryApp
"""As it is called where an app is made: `canary_app(build, retriever)`."""


def _refuse_semantic_cache() -> None:
    """Raises if a cache answers for models by likeness: texts of all arms are alike, and those of users are too."""
    cache = type(get_llm_cache()).__name__
    if "semantic" in cache.lower() or cache == "GPTCache":
        raise InputError(
            f"set_llm_cache: a {cache} answers one arm by what the model said under another, and would keep fictive "
            "answers for users: set_llm_cache(None) in the process of the run"
        )


def _question_key(runnable: Runnable[Any, Any]) -> str | None:
    """The key under which an app takes the question; None if it takes a text."""
    schema = runnable.get_input_jsonschema()
    properties = schema.get("properties", {})
    if "root" in properties or schema.get("type") != "object":  # "root" is what nothing is known of
        return None
    found = next((key for key in _QUESTIONS if key in properties), None)
    if found is None and len(properties) == 1:
        return str(next(iter(properties)))
    if found is None:
        named = f"which of {', '.join(map(repr, properties))}" if properties else "which key of its dictionary"
        raise InputError(f"cannot tell {named} is the question: canary_app(..., question=...)")
    return found


def answer_text(output: Any) -> str:
    """Returns the answer in what an app returned: a text, a message, or one of them in a dictionary or a state.

    Raises:
        InputError: If there is none, or several.
    """
    if isinstance(output, str):
        return output
    if message := output if isinstance(output, BaseMessage) else answer_message(output):
        return message.text
    if isinstance(output, Mapping):
        found = [output[key] for key in output if key in ANSWERS and isinstance(output[key], str | BaseMessage)]
        if len(found) == 1:
            return answer_text(found[0])
    what = f"an output with {', '.join(map(repr, output))}" if isinstance(output, Mapping) else type(output).__name__
    raise InputError(f"cannot find the answer in {what}: canary_app(..., answer=...)")
