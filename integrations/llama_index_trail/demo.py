"""A real app for `trail demo`: a query engine that retrieves chunks and refines its answer with each."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from zlib import crc32

from llama_index.core import Document, PromptTemplate, VectorStoreIndex
from llama_index.core.base.llms.types import CompletionResponse, CompletionResponseGen, LLMMetadata
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.node_parser import SentenceSplitter

from llama_index_trail.instrument import trail
from trail_callbacks.demo.chat import RecordedChat
from trail_callbacks.demo.documents import documents
from trail_callbacks.judges.judge import Judge
from trail_callbacks.language.terms import keys
from trail_callbacks.report import Report
from trail_callbacks.text import sentences

_DIMENSIONS = 512

_FIRST = PromptTemplate(
    "Answer the question from the context, in a few sentences.\n\nContext:\n{context_str}\n\nQuestion: {query_str}"
)
_NEXT = PromptTemplate(
    "Improve the answer with the new context where it helps; otherwise repeat the answer.\n\n"
    "Question: {query_str}\n\nAnswer so far: {existing_answer}\n\nNew context:\n{context_msg}"
)


class HashedWords(BaseEmbedding):
    """Hashed bag of words: finds what shares words with the query, offline."""

    def _embed(self, text: str) -> list[float]:
        vector = [0.0] * _DIMENSIONS
        for word in set(keys(text)):
            vector[crc32(word.encode()) % _DIMENSIONS] = 1.0
        if not any(vector):  # LlamaIndex divides by its length
            vector[0] = 1.0
        return vector

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._embed(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._embed(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._embed(query)


class ChatModel(CustomLLM):
    """The demo's chat as a LlamaIndex model."""

    writer: Any  # a RecordedChat; pydantic cannot check protocols

    @property
    def metadata(self) -> LLMMetadata:
        """Its name."""
        return LLMMetadata(model_name=self.writer.name)

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """Replies to a prompt."""
        return CompletionResponse(text=self.writer.reply([{"role": "user", "content": prompt}]).text)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        """Replies in one piece."""
        yield self.complete(prompt, formatted, **kwargs)


def _pieces(text: str) -> list[str]:
    """Cuts a text after each sentence; the pieces add up to it."""
    cuts = [0, *(sentence.start for sentence in sentences(text)[1:]), len(text)]
    return [text[start:end] for start, end in pairwise(cuts)]


def refine(chat: RecordedChat, question: str, judge: Judge) -> Report:
    """Answers from the best chunk, then improves the answer with the next."""
    index = VectorStoreIndex.from_documents(
        [Document(text=each.text, metadata={"source": each.name}) for each in documents()],
        embed_model=HashedWords(),
        transformations=[
            # LlamaIndex's own counting of tokens and splitting of sentences may want to download data.
            SentenceSplitter(chunk_size=160, chunk_overlap=0, tokenizer=str.split, chunking_tokenizer_fn=_pieces)
        ],
    )
    engine = index.as_query_engine(
        llm=ChatModel(writer=chat),
        similarity_top_k=2,
        response_mode="refine",
        text_qa_template=_FIRST,
        refine_template=_NEXT,
    )
    with trail(judge, "never") as recording:
        engine.query(question)
    return recording.report
