"""LlamaIndex's responses: their text, what they rest on, and the same response with another text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any

from llama_index.core.base.response.schema import Response

from llama_index_trail.families import is_kind
from llama_index_trail.messages import documents, message_text, other_text
from llama_index_trail.messages import message as message_of
from llama_index_trail.spans import HANDOFF
from llama_index_trail.streams import is_stream
from trail_callbacks.capture.payloads import without_feedback
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.guard import ReadMessage, ended_at, message_nodes
from trail_callbacks.guard.withheld import Withheld

_EMPTY = "Empty Response"


class ReplayedStream(Iterator[Any], AsyncIterator[Any]):
    """A stream of chunks that are known already, read in either way. Other than a generator it can be copied."""

    def __init__(self, chunks: Iterable[Any]) -> None:
        self._left = list(chunks)[::-1]

    def __next__(self) -> Any:
        if not self._left:
            raise StopIteration
        return self._left.pop()

    async def __anext__(self) -> Any:
        if not self._left:
            raise StopAsyncIteration
        return self._left.pop()


def streams(response: object) -> bool:
    """True for a response whose text is still to come."""
    return is_kind(response, "StreamingResponse", "AsyncStreamingResponse") and is_stream(
        getattr(response, "response_gen", None)
    )


def response_text(response: Any) -> str:
    """Returns the text of a response that is not streamed; of a structured one, its JSON."""
    value = response.response
    return value if isinstance(value, str) else other_text(value)


def is_empty(text: str, nodes: Sequence[Any]) -> bool:
    """True for the text that LlamaIndex returns when nothing was found: no model wrote it."""
    return not nodes and text.strip() in {"", _EMPTY}


def replayed(response: Any, chunks: Iterable[Any]) -> Any:
    """Gives a new stream to a response whose stream has been read."""
    response.response_gen = ReplayedStream(chunks)
    return response


def withheld(response: Any, text: Withheld) -> Any:
    """Returns a response whose text is a message: of the same type, or a plain one in place of a structured one.

    The sources stay; a node or an item of the metadata into which the withheld text was put does not.
    """
    message = text.message
    nodes = text.cleared(list(response.source_nodes or ()))
    metadata = text.cleared(dict(response.metadata or {}))
    if is_kind(response, "StreamingResponse", "AsyncStreamingResponse"):
        return replayed(type(response)(None, source_nodes=nodes, metadata=metadata), [message])
    kind = Response if is_kind(response, "PydanticResponse") else type(response)
    return kind(message, source_nodes=nodes, metadata=metadata)


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
    """Returns the graph of an agent's answer. What models wrote is not evidence, not even a query engine's answer."""
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
