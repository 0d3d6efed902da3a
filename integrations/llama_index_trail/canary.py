"""A retriever that serves the real texts or those of a fictive twin, by the arm of a canary run."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle, TransformComponent
from pydantic import Field, SkipValidation

from llama_index_trail.results import untraced
from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.passages.translation import Translator
from trail_callbacks.canary.serving.exposure import checked_arm
from trail_callbacks.canary.serving.quarantine import refuse_fictive
from trail_callbacks.canary.serving.source import CanarySource, Framework
from trail_callbacks.canary.twin import TAG, Twin


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
        *,
        arm: Arm | None = None,
    ) -> None:
        self._source = CanarySource(retriever, twin, _LLAMA_INDEX)
        super().__init__(callback_manager=retriever.callback_manager)
        self.retriever = retriever
        self.arm = None if arm is None else checked_arm(arm)

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
        if sight.is_untouched:
            return self._source.served(self.retriever.retrieve(query_bundle), sight)
        if sight.arm in ("empty", "closed_book"):
            return self._source.served([], sight)
        with untraced():
            found = self.retriever.retrieve(query_bundle)
        return self._source.served(found, sight)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        sight = self._source.sight(self.arm)
        if sight.is_untouched:
            return self._source.served(await self.retriever.aretrieve(query_bundle), sight)
        if sight.arm in ("empty", "closed_book"):
            return self._source.served([], sight)
        with untraced():
            found = await self.retriever.aretrieve(query_bundle)
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
