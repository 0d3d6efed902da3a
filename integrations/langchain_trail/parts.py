"""An output with several texts that models wrote side by side, as a `RunnableParallel` makes it: all are the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_trail.answers import said
from langchain_trail.pieces import pieces
from trail_callbacks.graph import Edge, Node, ProvenanceGraph
from trail_callbacks.text import forms

__all__ = ["complete", "parts"]

_NAMED = frozenset(
    {"answer", "final_answer", "generation", "output", "output_text", "report", "response", "result", "summary", "text"}
)
_CONTENT = 4  # words from which a text says something; less is a label, such as the route that a model chose


def complete(graph: ProvenanceGraph, output: Any) -> ProvenanceGraph:
    """Returns a graph whose answer is all that models wrote of an output, so that nothing comes out unjudged.

    A captured graph takes what was written last for the answer. What another text was made from is no part of it, and
    where a message or a key such as `answer` says what the answer is, it stays.

    Args:
        graph: The captured graph.
        output: What the runnable returned.
    """
    answer = graph.answer
    if answer is None or _says_which(output):
        return graph
    before = {node.id for node in graph.upstream(answer.id)}
    beside = [
        node for node in graph.nodes if node.kind == "completion" and node.id not in before and _written(output, [node])
    ]
    steps = {node.id for each in beside for node in graph.upstream(each.id)}
    last = [node for node in beside if node.id not in steps]
    text = "\n\n".join(_written(output, [*last, answer]))
    if not last or text == answer.text.strip():
        return graph
    name = f"m{1 + sum(node.kind == 'completion' for node in graph.nodes)}"
    written = replace(answer, id=name, kind="completion")
    whole = Node(id=answer.id, kind="answer", text=text, step="output", run_id=answer.run_id)
    return ProvenanceGraph(
        nodes=(*(written if node is answer else node for node in graph.nodes), whole),
        edges=(
            *(replace(edge, target=name) if edge.target == answer.id else edge for edge in graph.edges),
            *(Edge(source=node.id, target=whole.id) for node in (*last, written)),
        ),
    )


def parts(graph: ProvenanceGraph, output: Any) -> list[str]:
    """Returns the texts of an output that are its answer together; empty if one text is the answer."""
    answer = graph.answer
    if answer is None or _says_which(output):
        return []
    found = _written(output, [node for node in graph.inputs(answer.id) if node.kind == "completion"])
    return found if "\n\n".join(found) == answer.text.strip() else []


def _says_which(output: Any) -> bool:
    if not isinstance(output, dict | list) or said(output) is not None:
        return True
    return isinstance(output, dict) and any(output.get(name) for name in _NAMED)


def _written(output: Any, nodes: Sequence[Node]) -> list[str]:
    """The texts of an output that these models wrote, whole, in a field of theirs or with words of code around."""
    texts = dict.fromkeys(piece.text.strip() for piece in pieces(output))
    wrote = [node.text.strip() for node in nodes if _tells(node.text)]
    return [text for text in texts if _tells(text) and any(text in each or each in text for each in wrote)]


def _tells(text: str) -> bool:
    return len(forms(text)) >= _CONTENT
