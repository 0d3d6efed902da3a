"""What sort of component a span belongs to, told by the classes that LlamaIndex declares.

Classes are known by name along the inheritance line, so that nothing of `llama_index.core` is imported here: it takes
seconds, and an app may switch the recording on before it needs LlamaIndex.
"""

from __future__ import annotations

from typing import Literal
from weakref import WeakKeyDictionary

__all__ = ["MODEL_CALLS", "Family", "family", "is_kind"]

Family = Literal["model", "retriever", "tool", "chain", "passing", "workflow", "agent", "own"]
"""`passing`: records nothing itself. `own`: a class of the app, decorated by its author."""

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
    # Embeddings, node parsers, selectors, programs and output parsers: their text stands in the prompts around them.
    "TransformComponent": "passing",
    "BaseSparseEmbedding": "passing",
    "BaseSelector": "passing",
    "BaseQuestionGenerator": "passing",
    "BasePydanticProgram": "passing",
    "BaseOutputParser": "passing",
}
_FRAMEWORK = ("llama_index", "workflows")

_known: WeakKeyDictionary[type, Family] = WeakKeyDictionary()
_lines: WeakKeyDictionary[type, frozenset[str]] = WeakKeyDictionary()


def family(kind: type) -> Family:
    """Returns the family of a class; remembered, as it is asked for every span."""
    found = _known.get(kind)
    if found is None:
        found = _known[kind] = _find(kind)
    return found


def _find(kind: type) -> Family:
    for base in kind.__mro__:
        if _from_framework(base) and (found := _FAMILIES.get(base.__name__)) is not None:
            return found
    return "passing" if _from_framework(kind) else "own"


def is_kind(value: object, *names: str) -> bool:
    """True if a value is an instance of one of LlamaIndex's classes with these names."""
    kind = type(value)
    line = _lines.get(kind)
    if line is None:
        line = _lines[kind] = frozenset(base.__name__ for base in kind.__mro__ if _from_framework(base))
    return not line.isdisjoint(names)


def _from_framework(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in _FRAMEWORK
