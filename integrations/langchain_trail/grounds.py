"""What an answer in the making rests on: the captured graph where our handler listens, else the messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig

from langchain_trail.handler import TrailCallbackHandler
from langchain_trail.messages import clean_text, message_text, role_of
from langchain_trail.pieces import pieces
from trail_callbacks.graph import Node, NodeKind, ProvenanceGraph
from trail_callbacks.guard import answered
from trail_callbacks.guard.feedback import without_feedback

__all__ = ["answer_text", "captured", "from_messages", "handlers_in", "structured_text"]

_KINDS: dict[str, NodeKind] = {"tool": "tool_result", "system": "instruction", "user": "question"}
_RUN = "lc_run--"


def answer_text(message: AIMessage) -> str:
    """Returns what an answer says."""
    return clean_text(message_text(message))


def structured_text(value: object) -> str:
    """Returns what a structured answer says: a line for each of its fields."""
    found = pieces(value)
    if len(found) == 1 and not found[0].path:
        return found[0].text
    return "\n".join(f"{'.'.join(map(str, piece.path))}: {piece.text}" for piece in found)


def handlers_in(config: RunnableConfig) -> list[BaseCallbackHandler]:
    """Returns the callback handlers of a config."""
    callbacks = config.get("callbacks")
    return list(callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks or ())


def captured(config: RunnableConfig, message: AIMessage | None, text: str) -> ProvenanceGraph | None:
    """Returns the graph of the run around us, with a text of it as its answer.

    Args:
        config: The config of the code that runs now.
        message: The message that a model just wrote, if known.
        text: The answer: what the message says, or what was made of it.

    Returns:
        The graph, or None if no handler of ours saw this run and this text.
    """
    run_id = getattr(config.get("callbacks"), "parent_run_id", None)
    if run_id is None:
        return None
    for handler in handlers_in(config):
        if isinstance(handler, TrailCallbackHandler):
            graph = handler.graph_around(run_id)
            wrote = _wrote(graph, message, text) if graph else None
            if graph is not None and wrote is not None:
                return answered(graph, wrote.id, wrote.text if _says(wrote, message) else text)
    return None


def _wrote(graph: ProvenanceGraph, message: AIMessage | None, text: str) -> Node | None:
    """The completion that is the message. Its id names the run that made it, unless the provider has ids of its own."""
    completions = [node for node in graph.nodes if node.kind in {"completion", "answer"}]
    id_ = message.id if message is not None else None
    if id_ is not None and id_.startswith(_RUN):
        run_id = id_.removeprefix(_RUN).rpartition("-")[0] or id_
        named = [node for node in completions if node.run_id in {run_id, id_.removeprefix(_RUN)}]
        if named:
            return named[-1]
    said = answer_text(message) if message is not None else text
    same = [node for node in completions if node.text.strip() == said.strip()]
    return same[-1] if same else None


def _says(node: Node, message: AIMessage | None) -> bool:
    """True if a node is the answer as it stands. It may read otherwise than the message, if the handler redacts."""
    return message is not None and not message.tool_calls and bool(node.text.strip())


def from_messages(messages: Sequence[BaseMessage], text: str, ignored: Iterable[str] = ()) -> ProvenanceGraph:
    """Returns the graph of an answer that rests on what a model was told. What models wrote before is no evidence.

    Args:
        messages: What the model read.
        text: The answer.
        ignored: Names of tools whose results are no evidence: those that only give an answer its structure.
    """
    names = set(ignored)
    nodes: list[Node] = []
    asked = max((i for i, m in enumerate(messages) if role_of(m) == "user" and _heard(m)), default=None)
    for i, message in enumerate(messages):
        kind = _KINDS.get(role_of(message))
        said = _heard(message)
        if kind is None or not said or (kind == "tool_result" and message.name in names):
            continue
        node = Node(
            id=f"message-{i}", kind=kind, text=said, step="user" if kind == "question" else message.name or kind
        )
        nodes.insert(0, node) if i == asked else nodes.append(node)
    return ProvenanceGraph.from_texts(text, nodes)


def _heard(message: BaseMessage) -> str:
    return without_feedback(clean_text(message_text(message))).strip()
