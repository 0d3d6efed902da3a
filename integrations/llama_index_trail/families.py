"""The kind of component that a span belongs to, by the classes that LlamaIndex declares.

Classes are recognised by the names of their bases, so that nothing of `llama_index.core` is imported here: it takes
seconds, and an app may switch the recording on before it needs LlamaIndex.
"""

from __future__ import annotations

from typing import Literal

__all__ = ["MODEL_CALLS", "Family", "family", "from_framework", "is_kind"]

Family = Literal["model", "retriever", "tool", "chain", "passing", "workflow", "agent", "writer", "own"]
"""`passing`: records nothing itself. `writer`: a chat response that reads its own stream. `own`: a class of the app,
decorated by its author."""

MODEL_CALLS = frozenset(
    {
        "complete",
        "acomplete",
        "stream_complete",
        "astream_complete",
        "chat",
        "achat",
        "stream_chat",
        "astream_chat",
    }
)
"""Methods that are one call of a model. Others (`predict`, `structured_predict`) format a prompt around these."""

_FAMILIES: dict[str, Family] = {
    "BaseLLM": "model",
    "MultiModalLLM": "model",
    "BaseRetriever": "retriever",
    "BaseImageRetriever": "retriever",
    "BaseTool": "tool",
    "BaseQueryEngine": "chain",
    "BaseChatEngine": "chain",
    "BaseSynthesizer": "chain",
    "BaseNodePostprocessor": "chain",
    "BaseQueryTransform": "chain",
    "BaseWorkflowAgent": "agent",
    "AgentWorkflow": "agent",
    "Workflow": "workflow",
    "StreamingAgentChatResponse": "writer",
    # Embeddings, node parsers, selectors, programs and output parsers: their text is in the prompts around them.
    "TransformComponent": "passing",
    "BaseSparseEmbedding": "passing",
    "BaseSelector": "passing",
    "BaseQuestionGenerator": "passing",
    "BasePydanticProgram": "passing",
    "BaseOutputParser": "passing",
}
_FRAMEWORK = ("llama_index", "workflows")

_CLASSES = 4_096

# Plain dictionaries, because they are read many times per query; emptied when an app keeps making classes.
_known: dict[type, Family] = {}
_bases: dict[type, frozenset[str]] = {}


def family(kind: type) -> Family:
    """Returns the family of a class."""
    known = _known.get(kind)
    if known is None:
        if len(_known) >= _CLASSES:
            _known.clear()
        known = _known[kind] = _find(kind)
    return known


def _find(kind: type) -> Family:
    for base in kind.__mro__:
        if from_framework(base) and (found := _FAMILIES.get(base.__name__)) is not None:
            return found
    return "passing" if from_framework(kind) else "own"


def is_kind(value: object, *names: str) -> bool:
    """True if a value is an instance of one of LlamaIndex's classes with these names."""
    kind = type(value)
    bases = _bases.get(kind)
    if bases is None:
        if len(_bases) >= _CLASSES:
            _bases.clear()
        bases = _bases[kind] = frozenset(base.__name__ for base in kind.__mro__ if from_framework(base))
    return not bases.isdisjoint(names)


def from_framework(kind: type) -> bool:
    """True for a class of LlamaIndex itself or of an integration of it."""
    return kind.__module__.partition(".")[0] in _FRAMEWORK
