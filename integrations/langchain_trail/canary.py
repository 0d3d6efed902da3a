"""A LangChain app in a canary run: a retriever that serves the texts of an arm, and the app that is asked under it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, cast
from uuid import UUID, uuid4

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.globals import get_llm_cache
from langchain_core.messages import BaseMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import ConfigDict, Field, PrivateAttr, SkipValidation

from langchain_trail.answers import ANSWERS, answer_message
from langchain_trail.handler import TrailCallbackHandler, untraced
from trail_callbacks.canary.serving.application import FrameworkApp
from trail_callbacks.canary.serving.exposure import checked_arm
from trail_callbacks.canary.serving.source import CanarySource, Framework, Sight
from trail_callbacks.canary.trial import Arm, Strategy
from trail_callbacks.canary.twin import Twin
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Report

_Given = tuple[RunnableConfig, dict[str, Any]]
_NOT_INHERITED = frozenset({"callbacks", "run_id", "run_name"})
_CONVERSATION = ("thread_id", "session_id")  # what LangGraph and LangChain keep the messages of a user by
_QUESTIONS = ("question", "input", "query", "messages")


def _write(document: Document, text: str | None, metadata: dict[str, Any]) -> Document:
    return document.model_copy(update={"metadata": metadata} | ({} if text is None else {"page_content": text}))


_LANGCHAIN: Final = Framework(
    retriever=Runnable,
    read=lambda document: (document.page_content, document.id, document.metadata),
    write=_write,
    shown=lambda document: document.page_content,
)


class CanaryRetriever(BaseRetriever):
    """Wraps the retriever of an app. Outside of a canary run, and under the arm `real`, it is that retriever.

        retriever = CanaryRetriever(store.as_retriever(), twin)
        with exposed("fictive", twin):
            retriever.invoke("How long does the ferry take?")

    Under `fictive` the same documents come with the texts of the twin: ids, order and scores stay, metadata gets the
    tag of the twin and is translated where it has text. They are copies. A passage that cannot be placed in the corpus
    is left out, and `dropped` of the exposure, and the log, say why. Under `empty` and `closed_book` nothing is found.
    An error of the wrapped retriever passes through.

    What the wrapped retriever does for the arm `fictive` is not recorded, because callbacks would take the real texts
    that it finds for context of the answer: the run of this retriever is, with what it serves.

    Wrap what stands last before the prompt: a reranker, a compressor or a parent-document retriever with its store.

    Args:
        retriever: The app's own, or any runnable from a question to documents.
        twin: The corpus that the app reads, and its twin.
        **details: `tags` and `metadata` of the recorded runs, as of any retriever.

    Raises:
        InputError: If `retriever` is no runnable, or the twin is none.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    retriever: SkipValidation[Runnable[str, list[Document]]] = Field(repr=False)
    twin: SkipValidation[Twin] = Field(repr=False, exclude=True)
    arm: Arm | None = None  # see `under`
    _source: CanarySource[Document] = PrivateAttr()

    def __init__(
        self,
        retriever: Runnable[str, list[Document]],
        twin: Twin,
        **details: Any,
    ) -> None:
        # Before pydantic, which would wrap what these raise.
        source = CanarySource(retriever, twin, _LANGCHAIN)
        super().__init__(retriever=retriever, twin=twin, **details)  # type: ignore[call-arg]
        self._source = source

    @property
    def source(self) -> CanarySource[Document]:
        """What this retriever shares with its copies for single arms."""
        return self._source

    def under(self, arm: Arm) -> CanaryRetriever:
        """Returns a copy that serves one arm in whatever thread it is called; raises InputError if there is none."""
        return self.model_copy(update={"arm": checked_arm(arm)})

    def invoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:  # noqa: A002 - as Runnable names it
        """Returns what the arm is served."""
        sight = self._source.sight(self.arm)
        if sight.is_untouched:
            return self._source.served(self.retriever.invoke(input, config, **kwargs), sight)
        return super().invoke(input, config, sight=sight, given=(_silent(config), kwargs))

    async def ainvoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:  # noqa: A002 - as Runnable names it
        """As `invoke`, without blocking the event loop."""
        sight = self._source.sight(self.arm)
        if sight.is_untouched:
            return self._source.served(await self.retriever.ainvoke(input, config, **kwargs), sight)
        return await super().ainvoke(input, config, sight=sight, given=(_silent(config), kwargs))

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - LangChain's signature
        sight: Sight | None = None,
        given: _Given = ({"callbacks": []}, {}),
    ) -> list[Document]:
        sight = sight or self._source.sight(self.arm)
        with untraced():
            found = [] if sight.is_empty else self.retriever.invoke(query, given[0], **given[1])
        return self._source.served(found, sight)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002 - LangChain's signature
        sight: Sight | None = None,
        given: _Given = ({"callbacks": []}, {}),
    ) -> list[Document]:
        sight = sight or self._source.sight(self.arm)
        with untraced():
            found = [] if sight.is_empty else await self.retriever.ainvoke(query, given[0], **given[1])
        return self._source.served(found, sight)


def _silent(config: RunnableConfig | None) -> RunnableConfig:
    """The config of a call without its callbacks."""
    kept = {key: value for key, value in (config or {}).items() if key not in _NOT_INHERITED}
    return cast("RunnableConfig", {**kept, "callbacks": []})


Build = Callable[[CanaryRetriever, Strategy], Runnable[Any, Any]]


class _Recorded(NamedTuple):
    """The recording of one question, by the id of its run."""

    handler: TrailCallbackHandler
    run_id: UUID

    @property
    def config(self) -> RunnableConfig:
        talk = dict.fromkeys(_CONVERSATION, f"trail-canary-{self.run_id}")
        return {"callbacks": [self.handler], "run_id": self.run_id, "configurable": talk}

    @property
    def graph(self) -> ProvenanceGraph:
        return self.handler.graph(self.run_id)

    async def areport(self) -> Report:
        return await self.handler.areport(self.run_id)


class CanaryApp(FrameworkApp):
    """An app for a canary run of a LangChain app; nothing is sent but what the app itself sends.

        def build(retriever, strategy):
            prompt = ChatPromptTemplate.from_template(PROMPTS[strategy.parameters["prompt"]])
            return {"context": retriever | joined, "question": RunnablePassthrough()} | prompt | model

        app = canary_app(build, CanaryRetriever(store.as_retriever(), twin), model=model)

    Each question is a conversation of its own: `thread_id` and `session_id` of the call are new, and begin with
    `trail-canary-`, so that what a store of conversations keeps of them can be told and deleted.

    It is awaited, by several tasks at once. The run of each question is recorded: what the retriever served,
    what it cost, and, with `verify`, the report on the answer. A run that read the real text of an edit
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
        verify: Judge each answer offline.

    Attributes:
        handler: Records the runs: their graphs, and reports if `verify` was asked for.

    Raises:
        InputError: If `app` is neither.
    """

    def __init__(
        self,
        app: Runnable[Any, Any] | Build,
        retriever: CanaryRetriever,
        *,
        model: Runnable[Any, Any] | Callable[[Strategy], Runnable[Any, Any]] | None = None,
        question: str | Callable[[str], Any] | None = None,
        answer: str | Callable[[Any], str] | None = None,
        verify: bool = False,
    ) -> None:
        if not isinstance(retriever, CanaryRetriever):
            raise InputError(f"retriever: expected a CanaryRetriever, got {type(retriever).__name__}")
        super().__init__(app, retriever, model, verify=verify)
        self.handler = TrailCallbackHandler(None, "never")
        self._question, self._answer = question, answer

    def _is_app(self, made: Any) -> bool:
        return isinstance(made, Runnable)

    _is_model = _is_app

    @contextmanager
    def _recording(self) -> Generator[_Recorded]:
        _refuse_semantic_cache()
        yield _Recorded(self.handler, uuid4())

    async def _alone(self, model: Runnable[Any, Any], question: str, recorded: _Recorded) -> str:
        return answer_text(await model.ainvoke(question, recorded.config))

    async def _reply(self, app: Runnable[Any, Any], question: str, recorded: _Recorded) -> str:
        output = await app.ainvoke(self._given(question, app), recorded.config)
        if callable(self._answer):
            return self._answer(output)
        if isinstance(output, Mapping) and self._answer in output:
            output = output[self._answer]
        return answer_text(output)

    def _given(self, question: str, runnable: Runnable[Any, Any]) -> Any:
        if callable(self._question):
            return self._question(question)
        key = self._question or _question_key(runnable)
        if key is None:
            return question
        return {key: [("user", question)]} if key == "messages" else {key: question}


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
