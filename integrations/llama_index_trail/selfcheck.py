"""For `trail doctor`: a small real query engine with a scripted model."""

from __future__ import annotations

from typing import Any

from llama_index.core import QueryBundle
from llama_index.core.base.llms.types import CompletionResponse, CompletionResponseGen, LLMMetadata
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode

from llama_index_trail.context import trail
from trail_callbacks.judges.judge import Judge
from trail_callbacks.report import Report

__all__ = ["selfcheck"]


class _OneNode(BaseRetriever):
    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(text=self._text), score=1.0)]


class _ScriptedLLM(CustomLLM):
    answer: str

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=self.answer)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        yield CompletionResponse(text=self.answer, delta=self.answer)


def selfcheck(question: str, source: str, answer: str, judge: Judge) -> Report:
    """Retrieves the source, asks a model that gives the answer, and verifies it.

    Raises:
        Exception: The first error that capture kept, if it kept any.
    """
    engine = RetrieverQueryEngine.from_args(_OneNode(source), llm=_ScriptedLLM(answer=answer))
    with trail(judge, "never") as recording:
        engine.query(question)
    report = recording.report
    if recording.errors:
        raise recording.errors[0]
    return report
