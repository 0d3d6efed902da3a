"""A retriever that serves the real texts or those of a fictive twin, by the arm of a canary run."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from llama_index.core import StorageContext
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.indices.base import BaseIndex
from llama_index.core.schema import BaseNode, Document, MetadataMode, NodeWithScore, QueryBundle, TransformComponent
from llama_index.core.storage.docstore.types import BaseDocumentStore
from llama_index.core.vector_stores.types import BasePydanticVectorStore, VectorStore
from pydantic import Field, SkipValidation

from llama_index_trail.scope import untraced
from trail_callbacks.canary import corpus
from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.passages.translation import Translator
from trail_callbacks.canary.serving.exposure import checked_arm
from trail_callbacks.canary.serving.quarantine import refuse_fictive
from trail_callbacks.canary.serving.source import CanarySource, Embedding, Framework
from trail_callbacks.canary.twin import TAG, Twin

__all__ = ["CanaryRetriever", "FictiveFilter"]


def _read(found: NodeWithScore) -> tuple[str, str | None, Mapping[str, Any]]:
    node = found.node
    of = {"ref_doc_id": node.ref_doc_id} if node.ref_doc_id else {}
    return node.get_content(MetadataMode.NONE), node.node_id, {**of, **node.metadata}


def _write(found: NodeWithScore, text: str | None, metadata: dict[str, Any]) -> NodeWithScore:
    node = found.node.model_copy()
    node.metadata = {key: value for key, value in metadata.items() if key in (*found.node.metadata, TAG)}
    _hide(node, [TAG])
    if text is not None:
        node.set_content(text)
    return NodeWithScore(node=node, score=found.score)


def _made(document: corpus.Document, hidden: Sequence[str]) -> Document:
    made = Document(text=document.text, id_=document.id, metadata=dict(document.metadata))
    _hide(made, hidden)
    return made


def _hide(node: BaseNode, keys: Sequence[str]) -> None:
    """Keeps keys of metadata out of prompts and embeddings."""
    node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, *keys]
    node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, *keys]


_LLAMA_INDEX: Final = Framework(
    retriever=BaseRetriever,
    stores=(BaseIndex, BasePydanticVectorStore, VectorStore, BaseDocumentStore, StorageContext),
    read=_read,
    write=_write,
    shown=lambda found: found.node.get_content(MetadataMode.LLM),
    made=_made,
    advice="VectorStoreIndex.from_documents(documents).as_retriever()",
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

    Args:
        retriever: The app's own.
        twin: The corpus that the app reads, and its twin.
        embedding: `real`: passages are found by their real text, and swapped then. `fictive`: they are found in an
            index of the twin, which `index` makes, in memory and never in that of the app.
        index: Makes a retriever over the documents of the twin, each whole and tagged; called once, when first needed.
        arm: Serves this arm whatever the code around says; see `under`.

    Raises:
        InputError: If `retriever` is none, `index` is missing, or the twin is none.
    """

    def __init__(
        self,
        retriever: BaseRetriever,
        twin: Twin,
        *,
        embedding: Embedding = "real",
        index: Callable[[list[Document]], BaseRetriever] | None = None,
        arm: Arm | None = None,
    ) -> None:
        self._source = CanarySource(retriever, twin, embedding, index, _LLAMA_INDEX)
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
        """Returns a copy that serves one arm in whatever thread it is called.

        Raises:
            InputError: If there is no such arm.
        """
        copied = copy.copy(self)
        copied.arm = checked_arm(arm)
        return copied

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        sight = self._source.sight(self.arm)
        if sight.is_untouched:
            return self._source.served(self.retriever.retrieve(query_bundle), sight)
        finder = self._source.finder(sight)
        with untraced():
            found = [] if finder is None else finder.retrieve(query_bundle)
        return self._source.served(found, sight)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        sight = self._source.sight(self.arm)
        if sight.is_untouched:
            return self._source.served(await self.retriever.aretrieve(query_bundle), sight)
        finder = await asyncio.to_thread(self._source.finder, sight)  # which may make an index
        with untraced():
            found = [] if finder is None else await finder.aretrieve(query_bundle)
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
        """Returns the nodes as they are.

        Raises:
            FictiveDataError: If one of them is fictive.
        """
        return refuse_fictive(nodes, self.twin)

    async def acall(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """As above."""
        return self(nodes, **kwargs)
