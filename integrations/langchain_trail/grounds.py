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


def captured(config: RunnableConfig, message: AIMessage | None, text: str) -> ProvenanceGraph | None:
    """Returns the graph of the run around this code, with a text of it as its answer."""
    run_id = getattr(config.get("callbacks"), "parent_run_id", None)
    if run_id is None:
        return None
    for handler in handlers_in(config):
        if isinstance(handler, TrailCallbackHandler):
            graph, redact = handler.session.graph_around(run_id), handler.session.redacted
            wrote = _wrote(graph, message, text, redact) if graph else None
            if graph is not None and wrote is not None:
                return ended_at(graph, wrote.id, wrote.text if _is_answer(wrote, message) else redact(text))
    return None


def redacting(config: RunnableConfig) -> Session | None:
    """Returns the session that redacts what is recorded of a run; None if none does."""
    ours = (each.session for each in handlers_in(config) if isinstance(each, TrailCallbackHandler))
    return next((each for each in ours if each.settings.redact is not None), None)


def redacted(config: RunnableConfig, graph: ProvenanceGraph) -> ProvenanceGraph:
    """Returns a graph of messages as the run's handler would have stored it: what is redacted reaches no judge."""
    session = redacting(config)
    return graph if session is None else session.redacted_graph(graph)


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


def _is_answer(node: Node, message: AIMessage | None) -> bool:
    """True if a node's text is the answer as it is. It may differ from the message's, if the handler redacts."""
    return message is not None and not message.tool_calls and bool(node.text.strip())


def from_messages(messages: Sequence[BaseMessage], text: str, ignored: Iterable[str] = ()) -> ProvenanceGraph:
    """Returns the graph of an answer that rests on messages; what models wrote before is not evidence."""
    names = set(ignored)
    read = [
        ReadMessage(role_of(each), exact_text(message_text(each)), each.name)
        for each in messages
        if not (role_of(each) == "tool" and each.name in names)
    ]
    return ProvenanceGraph.from_texts(text, message_nodes(read))
