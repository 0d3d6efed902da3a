"""A retriever that serves the real texts or those of a fictive twin, by the arm of a canary run."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core import StorageContext
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.indices.base import BaseIndex
from llama_index.core.schema import BaseNode, Document, MetadataMode, NodeWithScore, QueryBundle, TransformComponent
from llama_index.core.storage.docstore.types import BaseDocumentStore
from llama_index.core.vector_stores.types import BasePydanticVectorStore, VectorStore
from pydantic import Field, SkipValidation

from llama_index_trail.scope import untraced
from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.serving.quarantine import FictiveTexts, refuse_fictive, refuse_polluted
from trail_callbacks.canary.serving.source import CanarySource, Embedding, Sight, checked_arm, shared_parts
from trail_callbacks.canary.twin import TAG, Twin
from trail_callbacks.errors import InputError

__all__ = ["CanaryRetriever", "FictiveFilter"]

_STORES = (BaseIndex, BasePydanticVectorStore, VectorStore, BaseDocumentStore, StorageContext)


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
        if not isinstance(retriever, BaseRetriever):
            raise InputError(f"retriever: expected a retriever, got {type(retriever).__name__}")
        super().__init__(callback_manager=retriever.callback_manager)
        self.retriever = retriever
        self.arm = None if arm is None else checked_arm(arm)
        self._index = index
        self._source: CanarySource[BaseRetriever] = CanarySource(
            twin, embedding, None if index is None else self._indexed
        )

    @property
    def source(self) -> CanarySource[BaseRetriever]:
        """What this retriever shares with its copies for single arms; `translator.counts` says what was swapped."""
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
            return self._noted(self.retriever.retrieve(query_bundle), sight)
        if sight.arm != "fictive":
            return self._noted([], sight)
        finder = self._source.fictive_finder() if self._index else self.retriever
        with untraced():
            found = finder.retrieve(query_bundle)
        return self._fictive(found, sight)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        sight = self._source.sight(self.arm)
        if sight.is_untouched:
            return self._noted(await self.retriever.aretrieve(query_bundle), sight)
        if sight.arm != "fictive":
            return self._noted([], sight)
        finder = await asyncio.to_thread(self._source.fictive_finder) if self._index else self.retriever
        with untraced():
            found = await finder.aretrieve(query_bundle)
        return self._fictive(found, sight)

    def _noted(self, found: list[NodeWithScore], sight: Sight) -> list[NodeWithScore]:
        """Nodes that are served as they were found."""
        if sight.arm is None and sight.exposure is None:
            return found
        refuse_polluted(found)
        if sight.exposure is not None:
            locate = self._source.translator.documents
            sight.exposure.served(
                _shown(found),
                [id_ for each in found for id_ in locate(_text(each.node), each.node_id, _details(each.node))],
            )
        return found

    def _fictive(self, found: Sequence[NodeWithScore], sight: Sight) -> list[NodeWithScore]:
        self._source.refuse_if_off()
        served: list[NodeWithScore] = []
        documents: list[str] = []
        dropped: list[Skipped] = []
        translator = self._source.translator
        if self._index is None:
            refuse_polluted(found)
        for each in found:
            node = each.node
            if self._index is not None:
                served.append(NodeWithScore(node=_tagged(node, {**node.metadata, TAG: self.twin.id}), score=each.score))
                documents.extend(translator.named(None, node.metadata)[:1])
                continue
            translated = translator.passage(_text(node), node.node_id, _details(node))
            if translated.text is None or (translated.how == "changed" and not translated.text.strip()):
                self._source.drop(dropped, node.node_id, translated)
                continue
            swapped = _tagged(node, translator.metadata(node.metadata, translated.documents))
            if translated.how == "changed":
                swapped.set_content(translated.text)
            served.append(NodeWithScore(node=swapped, score=each.score))
            documents.extend(translated.documents)
        if sight.exposure is not None:
            sight.exposure.served(_shown(served), documents, dropped)
        return served

    def _indexed(self) -> BaseRetriever:
        """The retriever over the twin, made by the user's function."""
        assert self._index is not None  # noqa: S101 - for the type checker: asked for where there is one
        documents = []
        for each in self.twin.fictive:  # under ids of their own: a store that has those of the real ones deletes them
            document = Document(
                text=each.text, id_=f"{TAG}:{each.id}", metadata={"source": each.id, **each.metadata, TAG: self.twin.id}
            )
            documents.append(document)
            _hide(document, *({"source"} - each.metadata.keys()))
        made = self._index(documents)
        if not isinstance(made, BaseRetriever):
            raise InputError(f"index: expected it to return a retriever, got {type(made).__name__}")
        if made is self.retriever or (shared := shared_parts(self.retriever, made, _STORES)):
            what = (
                "the app's own retriever" if made is self.retriever else f"a retriever over the app's own {shared[0]}"
            )
            raise InputError(
                f"index: it returned {what}; fictive texts must not enter it. Make a new index, such as "
                "VectorStoreIndex.from_documents(documents).as_retriever(); if documents were added to the app's, "
                f"delete those with {TAG!r} in their metadata"
            )
        return made


class FictiveFilter(TransformComponent):
    """Refuses fictive nodes: the first transformation of a pipeline, or of an index, so that no cache has them either.

        IngestionPipeline(transformations=[FictiveFilter(), splitter, embedding], vector_store=store)

    A pipeline with a document store deletes what it holds under the same ids before it runs any transformation: there,
    give it `refuse_fictive(documents)`.

    Attributes:
        twin: Recognises also texts that have lost their tag; see `refuse_fictive`.
    """

    twin: SkipValidation[Twin | FictiveTexts | None] = Field(default=None, repr=False, exclude=True)

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:  # noqa: ARG002 - LlamaIndex's signature
        """Returns the nodes as they are.

        Raises:
            FictiveDataError: If one of them is fictive.
        """
        return refuse_fictive(nodes, self.twin)

    async def acall(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """As above."""
        return self(nodes, **kwargs)


def _text(node: BaseNode) -> str:
    return node.get_content(MetadataMode.NONE)


def _shown(nodes: Sequence[NodeWithScore]) -> list[str]:
    """What prompts show of nodes."""
    return [each.node.get_content(MetadataMode.LLM) for each in nodes]


def _details(node: BaseNode) -> dict[str, Any]:
    """What says where a node is from."""
    details = dict(node.metadata)
    if node.ref_doc_id:
        details.setdefault("ref_doc_id", node.ref_doc_id)
    if (start := getattr(node, "start_char_idx", None)) is not None:
        details.setdefault("start_index", start)
    return details


def _tagged(node: BaseNode, metadata: dict[str, Any]) -> BaseNode:
    """A copy of a node with other metadata."""
    copied = node.model_copy()
    copied.metadata = metadata
    _hide(copied)
    return copied


def _hide(node: BaseNode, *keys: str) -> None:
    """Keeps the tag and other keys of metadata out of prompts and embeddings."""
    node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, TAG, *keys]
    node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, TAG, *keys]
