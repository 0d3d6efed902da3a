"""A LlamaIndex app in a canary run: a retriever that serves the texts of an arm, and the app that is asked under it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Final

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.base import BaseLLM
from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle, TransformComponent
from pydantic import Field, SkipValidation

from llama_index_trail.instrument import Trail, trail
from llama_index_trail.results import untraced
from trail_callbacks.canary.passages.translation import Translator
from trail_callbacks.canary.serving.application import FrameworkApp
from trail_callbacks.canary.serving.exposure import checked_arm
from trail_callbacks.canary.serving.source import CanarySource, Framework, refuse_fictive
from trail_callbacks.canary.trial import Arm, Strategy
from trail_callbacks.canary.twin import TAG, Twin
from trail_callbacks.errors import InputError


def _read(found: NodeWithScore) -> tuple[str, str | None, Mapping[str, Any]]:
    node = found.node
    of = {"ref_doc_id": node.ref_doc_id} if node.ref_doc_id else {}
    return node.get_content(MetadataMode.NONE), node.node_id, {**of, **node.metadata}


def _write(found: NodeWithScore, text: str | None, metadata: dict[str, Any]) -> NodeWithScore:
    node = found.node.model_copy()
    node.metadata = {key: value for key, value in metadata.items() if key in (*found.node.metadata, TAG)}
    node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, TAG]  # no prompt shows it
    node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, TAG]
    if text is not None:
        node.set_content(text)
    return NodeWithScore(node=node, score=found.score)


_LLAMA_INDEX: Final = Framework(
    retriever=BaseRetriever,
    read=_read,
    write=_write,
    shown=lambda found: found.node.get_content(MetadataMode.LLM),
)


class CanaryRetriever(BaseRetriever):
    """Wraps the retriever of an app. Outside of a canary run, and under the arm `real`, it is that retriever.

        retriever = CanaryRetriever(index.as_retriever(), twin)
        engine = RetrieverQueryEngine.from_args(retriever, llm=llm)
        with exposed("fictive", twin):
            engine.query("How long does the ferry take?")

    Under `fictive` the same nodes come with the texts of the twin: ids, order and scores stay, metadata gets the tag of
    the twin, which no prompt shows, and is translated where it has text. They are copies. A passage that cannot be
    placed in the corpus is left out, and `dropped` of the exposure, and the log, say why. Under `empty` and
    `closed_book` nothing is found. An error of the wrapped retriever passes through.

    What the wrapped retriever does for the arm `fictive` is not recorded, because the real texts that it finds would
    count as context of the answer: the run of this retriever is, with what it serves. Postprocessors that look nodes up
    by their id (`PrevNextNodePostprocessor`) bring real ones: wrap a retriever that has them inside.
    """

    def __init__(
        self,
        retriever: BaseRetriever,
        twin: Twin,
    ) -> None:
        self._source = CanarySource(retriever, twin, _LLAMA_INDEX)
        super().__init__(callback_manager=retriever.callback_manager)
        self.retriever = retriever
        self.arm: Arm | None = None  # see `under`

    @property
    def source(self) -> CanarySource[NodeWithScore]:
        """What this retriever shares with its copies for single arms."""
        return self._source

    @property
    def twin(self) -> Twin:
        """The corpus and its twin."""
        return self._source.twin

    def under(self, arm: Arm) -> CanaryRetriever:
        """Returns a copy that serves one arm in whatever thread it is called."""
        copied = copy.copy(self)
        copied.arm = checked_arm(arm)
        return copied

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        sight = self._source.sight(self.arm)
        with nullcontext() if sight.is_untouched else untraced():
            found = [] if sight.is_empty else self.retriever.retrieve(query_bundle)
        return self._source.served(found, sight)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        sight = self._source.sight(self.arm)
        with nullcontext() if sight.is_untouched else untraced():
            found = [] if sight.is_empty else await self.retriever.aretrieve(query_bundle)
        return self._source.served(found, sight)


class FictiveFilter(TransformComponent):
    """Refuses fictive nodes: the first transformation of a pipeline, or of an index, so that no cache has them either.

        IngestionPipeline(transformations=[FictiveFilter(), splitter, embedding], vector_store=store)

    A pipeline with a document store deletes what it holds under the same ids before it runs any transformation: there,
    give it `refuse_fictive(documents)`.

    Attributes:
        twin: Recognises also texts that have lost their tag; see `refuse_fictive`.
    """

    twin: SkipValidation[Twin | Translator | None] = Field(default=None, repr=False, exclude=True)

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:  # noqa: ARG002 - LlamaIndex's signature
        """Returns the nodes as they are."""
        return refuse_fictive(nodes, self.twin)

    async def acall(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """As above."""
        return self(nodes, **kwargs)


Build = Callable[[CanaryRetriever, Strategy], Any]
_ASKED_BY = ("query", "chat", "run")


class CanaryApp(FrameworkApp):
    """An app for a canary run of a LlamaIndex app; nothing is sent but what the app itself sends.

        def build(retriever, strategy):
            return RetrieverQueryEngine.from_args(retriever, llm=llm)

        app = canary_app(build, CanaryRetriever(index.as_retriever(), twin), model=llm)

    It is awaited, by several tasks at once. The run of each question is recorded: what the retriever served,
    what it cost, and, with `verify`, the report on the answer. A run that read the real text of an edit
    under `fictive` or `empty`, from wherever, is an error and not an answer.

    Args:
        app: A function that makes the app for a strategy, with a retriever for one arm; a chat engine is made for each
            question. Or an app that is finished, with `retriever` in it.
        retriever: The retriever that the app reads with.
        model: The model to ask alone, for the arm `closed_book`, or a function from the strategy to it.
        verify: Judge each answer offline.

    Raises:
        InputError: If `app` is neither.
    """

    def __init__(
        self,
        app: Any | Build,
        retriever: CanaryRetriever,
        *,
        model: BaseLLM | Callable[[Strategy], BaseLLM] | None = None,
        verify: bool = False,
    ) -> None:
        if not isinstance(retriever, CanaryRetriever):
            raise InputError(f"retriever: expected a CanaryRetriever, got {type(retriever).__name__}")
        if _method(app) == "chat":
            raise InputError("app: a chat engine remembers what it was asked: pass a function that makes one")
        super().__init__(app, retriever, model, verify=verify)

    def _is_app(self, made: Any) -> bool:
        return _method(made) is not None

    def _is_model(self, made: Any) -> bool:
        return isinstance(made, BaseLLM)

    def _keeps(self, made: Any) -> bool:
        return _method(made) != "chat"  # which remembers what it was asked before

    def _recording(self) -> Trail:
        return trail(None, "never")

    async def _alone(self, model: BaseLLM, question: str, recorded: Trail) -> str:  # noqa: ARG002 - it records by itself
        return str(await model.acomplete(question))

    async def _reply(self, app: Any, question: str, recorded: Trail) -> str:  # noqa: ARG002 - as above
        method = _method(app)
        if method == "run":
            return str(await app.run(user_msg=question))
        said = await getattr(app, f"a{method}")(question)
        if isinstance(said, AsyncStreamingResponse):
            return str(await said.get_response())
        return str(said.get_response() if isinstance(said, StreamingResponse) else said)


canary_app = CanaryApp
"""As it is called where an app is made: `canary_app(build, retriever)`."""


def _method(engine: Any) -> str | None:
    """By which of its methods an engine is asked; None if it is none."""
    return next((each for each in _ASKED_BY if callable(getattr(engine, each, None))), None)
