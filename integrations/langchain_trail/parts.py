"""An output with several texts that models wrote side by side, as of a `RunnableParallel`: all are the answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage

from langchain_trail.answers import ANSWERS, answer_message
from langchain_trail.grounds import answer_text
from langchain_trail.pieces import pieces
from trail_callbacks.graph import Edge, Node, ProvenanceGraph
from trail_callbacks.text import forms

__all__ = ["complete", "parts", "short_fields"]

_CONTENT = 4  # words; a shorter text is a label, such as the route that a model chose


def complete(graph: ProvenanceGraph, output: Any, stored: Callable[[str], str] = lambda text: text) -> ProvenanceGraph:
    """Returns a graph whose answer is all that models wrote of an output, so that everything in it is judged.

    The answer of a captured graph is what was written last. A text that another one was made from is not added, and if
    a message or a key such as `answer` names that answer, the graph stays as it is.

    Args:
        graph: The captured graph.
        output: What the runnable returned.
        stored: Returns a text of the output as the graph holds it: without what is redacted.
    """
    answer = graph.answer
    if answer is None or _names_answer(output, answer, stored):
        return graph
    named = {stored(text).strip() for text in _named(output)}
    before = {node.id for node in graph.upstream(answer.id)}
    beside = [
        node
        for node in graph.nodes
        if node.kind == "completion"
        and (node.id not in before or _is_in(node.text, named))
        and _written(output, [node], stored)
    ]
    steps = {node.id for each in beside for node in graph.upstream(each.id)}
    last = [node for node in beside if node.id not in steps or _is_in(node.text, named)]
    text = "\n\n".join(_written(output, [*last, answer], stored))
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
    if answer is None or _names_answer(output, answer):
        return []
    texts = _written(output, [node for node in graph.inputs(answer.id) if node.kind == "completion"])
    return texts if "\n\n".join(texts) == answer.text.strip() else []


def short_fields(graph: ProvenanceGraph, output: Any) -> tuple[str, ...]:
    """Returns the keys of texts that a model wrote beside the answer and that are too short to be judged."""
    if not isinstance(output, dict) or answer_message(output) is not None:
        return ()
    wrote = {node.text.strip() for node in graph.nodes if node.kind in {"completion", "answer"}}
    return tuple(
        str(key)
        for key, value in output.items()
        if any(piece.text.strip() in wrote and not _is_content(piece.text) for piece in pieces(value))
        and not (key in ANSWERS and graph.answer and graph.answer.text.strip() == str(value).strip())
    )


def _names_answer(output: Any, answer: Node, stored: Callable[[str], str] = lambda text: text) -> bool:
    """Whether a message or a key names the answer; not if the captured one is another text, as of a message beside."""
    if not isinstance(output, dict | list) or answer_message(output) is not None:
        return True
    if not isinstance(output, dict) or not any(output.get(name) for name in ANSWERS):
        return False
    named, text = [stored(each).strip() for each in _named(output)], answer.text.strip()
    if text[:1] in {"{", "["}:  # an object, of which the named text is a field
        return not named or any(json.dumps(each, ensure_ascii=False)[1:-1] in text for each in named)
    return not named or text in named


def _named(output: Any) -> list[str]:
    """The texts under keys that name the answer."""
    if not isinstance(output, dict):
        return []
    values = [output.get(name) for name in ANSWERS]
    texts = [answer_text(each) if isinstance(each, AIMessage) else each for each in values]
    return [each for each in texts if isinstance(each, str) and each.strip()]


def _is_in(text: str, named: Collection[str]) -> bool:
    return any(text.strip() in each or each in text for each in named)


def _written(output: Any, nodes: Sequence[Node], stored: Callable[[str], str] = lambda text: text) -> list[str]:
    """The texts of an output that these models wrote, whole, in fields of their own or inside text of the code."""
    texts = dict.fromkeys(stored(piece.text).strip() for piece in pieces(output))
    wrote = [node.text.strip() for node in nodes if _is_content(node.text)]
    return [text for text in texts if _is_content(text) and any(text in each or each in text for each in wrote)]


def _is_content(text: str) -> bool:
    return len(forms(text)) >= _CONTENT
