"""What a draft rests on: the captured graph if our handler records the run, else the messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig

from langchain_trail.answers import answer_text
from langchain_trail.handler import TrailCallbackHandler
from langchain_trail.pieces import message_text, role_of
from trail_callbacks.capture.payloads import exact_text
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.guard import ReadMessage, ended_at, message_nodes
from trail_callbacks.session import Session

_RUN = "lc_run--"


def handlers_in(config: RunnableConfig) -> list[BaseCallbackHandler]:
    """Returns the callback handlers of a config."""
    callbacks = config.get("callbacks")
    return list(callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks or ())


def grounds(
    config: RunnableConfig, message: AIMessage | None, text: str, read: Callable[[], ProvenanceGraph]
) -> ProvenanceGraph:
    """Returns what a draft rests on: the graph of the run around this code if we record it, else what `read` makes.

    Args:
        config: That of the run.
        message: The draft, if it is a message.
        text: The text of it that is the answer.
        read: Makes a graph of messages. It is redacted as the run is: what is redacted reaches no judge.
    """
    run_id = getattr(config.get("callbacks"), "parent_run_id", None)
    for session in _sessions(config):
        graph = None if run_id is None else session.graph_around(run_id)
        if graph is not None and (wrote := _wrote(graph, message, text, session.redacted)) is not None:
            whole = message is not None and not message.tool_calls and bool(wrote.text.strip())
            return ended_at(graph, wrote.id, wrote.text if whole else session.redacted(text))
    redacts = redacting(config)
    return read() if redacts is None else redacts.redacted_graph(read())


def redacting(config: RunnableConfig) -> Session | None:
    """Returns the session that redacts what is recorded of a run; None if none does."""
    return next((each for each in _sessions(config) if each.settings.redact is not None), None)


def _sessions(config: RunnableConfig) -> list[Session]:
    return [each.session for each in handlers_in(config) if isinstance(each, TrailCallbackHandler)]


def _wrote(graph: ProvenanceGraph, message: AIMessage | None, text: str, redact: Callable[[str], str]) -> Node | None:
    """The completion that is the message. Its id names the run that made it, unless the provider has ids of its own."""
    completions = [node for node in graph.nodes if node.kind in {"completion", "answer"}]
    id_ = message.id if message is not None else None
    if id_ is not None and id_.startswith(_RUN):
        run_id = id_.removeprefix(_RUN).rpartition("-")[0] or id_
        named = [node for node in completions if node.run_id in {run_id, id_.removeprefix(_RUN)}]
        if named:
            return named[-1]
    wanted = redact(answer_text(message) if message is not None else text)
    same = [node for node in completions if node.text.strip() == wanted.strip()]
    return same[-1] if same else None


def from_messages(messages: Sequence[BaseMessage], text: str, ignored: Iterable[str] = ()) -> ProvenanceGraph:
    """Returns the graph of an answer that rests on messages; what models wrote before is not evidence."""
    names = set(ignored)
    read = [
        ReadMessage(role_of(each), exact_text(message_text(each)), each.name)
        for each in messages
        if not (role_of(each) == "tool" and each.name in names)
    ]
    return ProvenanceGraph.from_texts(text, message_nodes(read))
