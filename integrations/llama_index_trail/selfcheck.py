"""For `trail doctor`: a small real query engine with a scripted model."""

from __future__ import annotations

from types import SimpleNamespace

from llama_index.core import QueryBundle
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode

from llama_index_trail.demo import ChatModel
from llama_index_trail.instrument import trail
from trail_callbacks.judges.judge import Judge
from trail_callbacks.report import Report


class _OneNode(BaseRetriever):
    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(text=self._text), score=1.0)]


def selfcheck(question: str, source: str, answer: str, judge: Judge) -> Report:
    """Retrieves the source, asks a model that gives the answer, and verifies it."""
    writer = SimpleNamespace(name="scripted", reply=lambda _: SimpleNamespace(text=answer))
    engine = RetrieverQueryEngine.from_args(_OneNode(source), llm=ChatModel(writer=writer))
    with trail(judge, "never") as recording:
        engine.query(question)
    report = recording.report
    if recording.errors:
        raise recording.errors[0]
    return report
