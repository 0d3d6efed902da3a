"""What a draft rests on: the captured graph if there is one, else sources and tool results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from llama_index_trail.families import is_kind
from llama_index_trail.messages import message as message_of
from llama_index_trail.messages import message_text
from llama_index_trail.nodes import documents
from llama_index_trail.spans import HANDOFF
from trail_callbacks.capture.payloads import without_feedback
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.guard import ReadMessage, ended_at, message_nodes

__all__ = [
    "ended_with",
    "from_messages",
    "from_nodes",
    "node_texts",
    "read_contents",
    "sources_of",
    "writer_of",
]


def writer_of(graph: ProvenanceGraph, text: str) -> Node | None:
    """Returns the node that wrote a text: the last completion with this text, else the last that contains it."""
    written = [node for node in graph.nodes if node.kind in {"completion", "answer"}]
    text = text.strip()
    same = [node for node in written if node.text.strip() == text]
    writers = same or [node for node in written if text and text in node.text]
    return writers[-1] if writers else None


def ended_with(graph: ProvenanceGraph, text: str) -> ProvenanceGraph:
    """Returns a graph with a text as its answer.

    If nothing recorded leads to the text, it rests on all that was read.
    """
    if graph.answer is None and (wrote := writer_of(graph, text)) is not None:
        return ended_at(graph, wrote.id, text.strip())
    if graph.answer is not None and graph.inputs(graph.answer.id):
        return graph
    read = [node for node in graph.nodes if node.is_evidence]
    return ProvenanceGraph.from_texts(text, read)


def from_nodes(nodes: Iterable[Any], text: str, question: str | None) -> ProvenanceGraph:
    """Returns the graph of an answer that rests on retrieved nodes, as prompts show them.

    The answers to sub-questions that LlamaIndex lists among the sources were written by models, and are not evidence.
    """
    return ProvenanceGraph.from_texts(text, _documents(nodes), without_feedback(question or ""))


def node_texts(nodes: Iterable[Any]) -> list[str]:
    """Returns the texts of retrieved nodes, as prompts show them."""
    return [raw.read().text for raw in documents(list(nodes), ("sources",))]


def read_contents(nodes: Iterable[Any], known: Iterable[str]) -> list[str]:
    """Returns the texts, without metadata, of those nodes that an app read as prompts show them."""
    read = {text.strip() for text in known}
    listed = list(nodes)
    shown = zip(listed, node_texts(listed), strict=True)
    return [node.get_content() for node, text in shown if text.strip() in read]


def _documents(nodes: Iterable[Any], prefix: str = "source") -> list[Node]:
    shown = [raw.read() for raw in documents(list(nodes), ("sources",))]
    texts = {raw.text: raw for raw in shown if raw.text.strip() and raw.origin != "model"}
    return [
        Node(id=f"{prefix}-{i}", kind="document", text=raw.text, step="retriever", attributes={"id": raw.id or ""})
        for i, raw in enumerate(texts.values(), 1)
    ]


def sources_of(tool_output: Any) -> list[Any]:
    """Returns the nodes behind what a tool returned: a query engine's sources. Empty for a tool that is a source."""
    raw: Any = getattr(tool_output, "raw_output", None)
    is_answer = is_kind(
        raw, "Response", "PydanticResponse", "StreamingResponse", "AsyncStreamingResponse", "AgentChatResponse"
    )
    return list(raw.source_nodes or ()) if is_answer else []


def from_messages(messages: Sequence[Any], results: Sequence[Any], text: str) -> ProvenanceGraph:
    """Returns the graph of an agent's answer. What models wrote is not evidence, not even a query engine's answer.

    Args:
        messages: What the agent's model reads.
        results: What its tools returned in this run, as `ToolCallResult`s.
        text: The answer.
    """
    nodes: list[Node] = []
    written: set[str] = set()
    for i, result in enumerate(results):
        output = result.tool_output
        if result.tool_name == HANDOFF:  # a reason that a model gave
            written.add(str(output.content).strip())
        elif sources := sources_of(output):
            written.add(str(output.content).strip())
            nodes += _documents(sources, f"tool-{i}-source")
        else:
            nodes.append(Node(id=f"tool-{i}", kind="tool_result", text=str(output.content), step=result.tool_name))
    known = {node.text.strip() for node in nodes} | written
    read = [
        ReadMessage(role, text_, role)
        for role, text_ in ((message_of(each, ()).role or "user", message_text(each)) for each in messages)
        if not (role == "tool" and without_feedback(text_).strip() in known)
    ]
    return ProvenanceGraph.from_texts(text, [*message_nodes(read), *nodes])
