"""The planned pipeline in LlamaIndex: query transformation, index, postprocessors, synthesizer and model."""

from __future__ import annotations

from typing import Any

from cases import Plan
from embedding import embed
from llama_index.core import Settings, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.indices.query.query_transform.base import BaseQueryTransform
from llama_index.core.llms import CompletionResponse, CompletionResponseGen, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import CustomQueryEngine, TransformQueryEngine
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode
from llama_index_trail import trail

from trail_callbacks.trace import Trace


class Hashed(BaseEmbedding):
    """`embed` for LlamaIndex."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return embed(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return embed(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return embed(query)


class Scripted(CustomLLM):
    """Says one thing."""

    answer: str

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted", context_window=100_000)

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        return CompletionResponse(text=self.answer)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponseGen:
        yield CompletionResponse(text=self.answer, delta=self.answer)


class Without(BaseNodePostprocessor):
    """Throws out nodes that hold some words."""

    words: str

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return [each for each in nodes if self.words not in each.node.get_content(MetadataMode.NONE)]


class Best(BaseNodePostprocessor):
    """Keeps the first few nodes."""

    number: int

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return nodes[: self.number]


class Shortened(BaseNodePostprocessor):
    """Cuts every node to some words, as a packer with a budget does."""

    room: int

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return [
            NodeWithScore(
                node=TextNode(
                    text=" ".join(each.node.get_content(MetadataMode.NONE).split(" ")[: self.room]),
                    id_=each.node.node_id,
                ),
                score=each.score,
            )
            for each in nodes
        ]


class Rewritten(BaseQueryTransform):
    """Sends another query."""

    def __init__(self, query: str, *, embedded: bool) -> None:
        super().__init__()
        self._query, self._embedded = query, embedded

    def _get_prompts(self) -> Any:
        return {}

    def _update_prompts(self, prompts: Any) -> None:
        return None

    def _run(self, query_bundle: QueryBundle, metadata: Any) -> QueryBundle:
        if self._embedded:
            return QueryBundle(query_str=query_bundle.query_str, custom_embedding_strs=[self._query])
        return QueryBundle(query_str=self._query)


class Unaided(CustomQueryEngine):
    """Asks the model without any passage."""

    llm: Scripted

    def custom_query(self, query_str: str) -> str:
        return str(self.llm.complete(query_str))


def played(plan: Plan) -> Trace:
    """Runs the pipeline and returns what was recorded."""
    with trail(evaluate="never") as recording:
        engine(plan).query(plan.question)
    return recording.trace


def engine(plan: Plan) -> Any:
    """Builds the pipeline."""
    Settings.tokenizer = str.split
    llm = Scripted(answer=plan.answer)
    if not plan.retrieves:
        return Unaided(llm=llm)
    posts: list[BaseNodePostprocessor] = []
    posts += [Without(words=plan.drop)] if plan.drop is not None else []
    posts += [Best(number=plan.keep)] if plan.keep is not None else []
    posts += [Shortened(room=plan.room)] if plan.room is not None else []
    made = _indexed(plan).as_query_engine(
        llm=llm, similarity_top_k=plan.k, node_postprocessors=posts, response_mode="compact"
    )
    return (
        made
        if plan.rewritten is None
        else TransformQueryEngine(made, query_transform=Rewritten(plan.rewritten, embedded=plan.embedded))
    )


def index(plan: Plan) -> Any:
    """The pipeline's retriever."""
    return _indexed(plan).as_retriever(similarity_top_k=plan.k)


def _indexed(plan: Plan) -> VectorStoreIndex:
    gold = plan.world.sentence(plan.asked)
    nodes = [TextNode(text=text, id_="gold" if gold in text else f"d{n}") for n, text in enumerate(plan.documents)]
    return VectorStoreIndex(nodes, embed_model=Hashed())
