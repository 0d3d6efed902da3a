"""What a draft rests on: the recorded run up to the draft, or else the messages that its model read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from trail_callbacks.capture.payloads import without_feedback
from trail_callbacks.graph import Edge, Node, NodeKind, ProvenanceGraph

_KINDS: dict[str, NodeKind] = {"tool": "tool_result", "system": "instruction", "user": "question"}


class ReadMessage(NamedTuple):
    """A message that a model read.

    Attributes:
        role: `user`, `system`, `tool` or `assistant`.
        text: What it says.
        name: The tool or the author, if known.
    """

    role: str
    text: str
    name: str | None = None


def message_nodes(messages: Iterable[ReadMessage]) -> list[Node]:
    """Returns a node for each message that is evidence: what models wrote, and feedback of a guard, is not.

    The user's last message comes first: it is the question.
    """
    nodes: list[Node] = []
    for i, (role, whole, name) in enumerate(messages):
        kind, text = _KINDS.get(role), without_feedback(whole).strip()
        if kind is not None and text:
            step = "user" if kind == "question" else name or kind
            nodes.append(Node(id=f"message-{i}", kind=kind, text=text, step=step))
    question = max((i for i, node in enumerate(nodes) if node.kind == "question"), default=None)
    if question is not None:
        nodes.insert(0, nodes.pop(question))
    return nodes


def ended_at(graph: ProvenanceGraph, node_id: str, text: str) -> ProvenanceGraph:
    """Returns the graph of an unfinished run as if it had ended with the text of a node, or one made of it."""
    before = {node.id for node in graph.upstream(node_id)} | {node_id}
    question = graph.question
    if question is not None:
        before.add(question.id)
    whole = graph.node(node_id).text.strip() == text.strip()
    nodes = [
        replace(node, kind="answer") if whole and node.id == node_id else node
        for node in graph.nodes
        if node.id in before
    ]
    edges = [edge for edge in graph.edges if edge.source in before and edge.target in before]
    if not whole:
        writer = graph.node(node_id)
        nodes.append(Node(id="answer", kind="answer", text=text, step=writer.step, run_id=writer.run_id))
        edges.append(Edge(source=node_id, target="answer"))
    return ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges))
