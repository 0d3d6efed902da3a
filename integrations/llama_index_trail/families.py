"""The kind of component that a span belongs to, by the classes that LlamaIndex declares.

Classes are recognised by the names of their bases, so that nothing of `llama_index.core` is imported here: it takes
seconds, and an app may switch the recording on before it needs LlamaIndex.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, Literal

from llama_index_trail.messages import message_text
from llama_index_trail.records import ByIdentity, by_class

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


@by_class
def family(kind: type) -> Family:
    """Returns the family of a class."""
    for base in kind.__mro__:
        if from_framework(base) and (found := _FAMILIES.get(base.__name__)) is not None:
            return found
    return "passing" if from_framework(kind) else "own"


def is_kind(value: object, *names: str) -> bool:
    """True if a value is an instance of one of LlamaIndex's classes with these names."""
    return not _bases(type(value)).isdisjoint(names)


@by_class
def _bases(kind: type) -> frozenset[str]:
    return frozenset(base.__name__ for base in kind.__mro__ if from_framework(base))


def from_framework(kind: type) -> bool:
    """True for a class of LlamaIndex itself or of an integration of it."""
    return kind.__module__.partition(".")[0] in _FRAMEWORK


_numbers = count(1)
_UNNAMED = "chat_history"  # the key of a memory to which the app gave none
_objects: ByIdentity[int] = ByIdentity()


def memory_of(instance: object, arguments: Mapping[str, Any]) -> Any:
    """Returns the memory of the chat engine or agent that is asked, or None."""
    if is_kind(instance, "BaseChatEngine"):
        return getattr(instance, "_memory", None)
    if not is_kind(instance, "Workflow"):
        return None
    given = {**arguments, **(arguments.get("kwargs") or {})}
    memory = given.get("memory")
    return getattr(given.get("start_event"), "memory", None) if memory is None else memory


def summaries(memory: Any) -> frozenset[str]:
    """Returns what a model wrote in place of earlier messages, as far as that is kept in this process."""
    if not is_kind(memory, "ChatSummaryMemoryBuffer"):
        return frozenset()
    kept = getattr(memory.chat_store, "store", None) or {}
    return frozenset(
        message_text(each).strip() for each in kept.get(memory.chat_store_key, ()) if each.role == "system"
    )


def conversation_of(memory: Any) -> str | None:
    """Returns a name for the conversation of a memory, the same in all its turns; None if there is none."""
    if memory is None:
        return None
    session = getattr(memory, "session_id", None)
    if isinstance(session, str):
        return f"session {session}"
    store = getattr(memory, "chat_store", None)
    if store is None:
        return _of_object(memory)
    known = _of_object(store)  # apps make a new memory for each request, over the same store
    return known and f"{known} {getattr(memory, 'chat_store_key', '')}"


def goes_on(workflow: object, arguments: Mapping[str, Any]) -> bool:
    """True for a run of a workflow in a context that an earlier run left, in this process or another.

    One whose state the app set itself is like a new one.
    """
    state = arguments.get("init_state")
    if arguments.get("start_event", state) is None:
        return True
    new = getattr(type(state), "from_workflow", None)
    return new is not None and state != new(workflow)


def session_of(memory: Any) -> str | None:
    """Returns the name of a conversation: the session of its memory, or its key in a store of chats.

    Some memories make one up if the app gives none: then it is the same in all turns, and unlike any other.
    """
    named = getattr(memory, "session_id", None), getattr(memory, "chat_store_key", None)
    return next((name for name in named if isinstance(name, str) and name != _UNNAMED), None)


def _of_object(value: object) -> str | None:
    number = _objects.get(value)
    if number is None:
        number = next(_numbers)
        if not _objects.put(value, number):
            return None
    return f"object {number}"
