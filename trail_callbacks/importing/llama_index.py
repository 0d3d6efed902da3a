"""What is particular to traces of LlamaIndex, whoever recorded them: methods are steps, and prompts show metadata."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from trail_callbacks.capture.events import Piece, RunKind
from trail_callbacks.capture.payloads import scalars
from trail_callbacks.importing.otlp import OtlpSpan
from trail_callbacks.importing.steps import Step

_PASSING = re.compile(r"\w*(?:Splitter|Parser|Program|Selector|Embedding|QuestionGenerator|PromptTemplate)\.\w+")
"""Methods that only hand on what the steps around them show."""
_AGENTS = ("BaseWorkflowAgent.", "AgentWorkflow.")
_PRINTED = re.compile(r"[A-Z]\w*\((?:\)|[a-z_]\w*=)")
"""How the print of an object begins, such as an event's."""
_TEXT = r"(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
_RESULT = re.compile(
    r"(?:StopEvent\(result=)?(?:\w*Response\(response=|"
    r"AgentOutput\(response=ChatMessage\(.{0,200}?blocks=\[TextBlock\(block_type='text', text=)?" + _TEXT,
    re.DOTALL,
)
"""How Python prints what a workflow or an agent returned; long ones are cut, and have no end then."""
_UNSHOWN = frozenset({"window", "original_text"})
"""Metadata of sentence windows, which LlamaIndex shows to no model."""
_SENTENCE = re.compile(r"(?<=[.!?\n])\s+")
_LONG = 20  # characters from which a sentence is not in a prompt by chance
_NODE = re.compile(r"NodeWithScore\(node=\w+\(id_=([^)]+)\), score=([^)]*)\)")
_SETTINGS = frozenset({"self", "ctx", "init_state", "llm", "memory", "tools", "tags", "callback_manager", "run_id"})
_OWN = frozenset({"score", "rank"})  # attributes that are no metadata of the document


def is_passing(name: str, kind: RunKind | None, given: object) -> bool:
    """True for a step that its own steps, or those around it, say everything about.

    Args:
        name: Its name.
        kind: Its kind.
        given: Its inputs as they are in the file. Those of a workflow's step are an event, which Python only printed.
    """
    if kind == "model":
        return name.rpartition(".")[2].startswith("_")
    is_step = isinstance(given, str) and given.startswith("{") and '"ev": "' in given
    return is_step or _PASSING.fullmatch(name) is not None


def without_settings(given: object) -> object:
    """Returns the arguments of a method that are no settings of a workflow or an agent."""
    return {key: each for key, each in given.items() if key not in _SETTINGS} if isinstance(given, dict) else given


def not_printed(given: Iterable[Piece]) -> tuple[Piece, ...]:
    """Returns pieces without those that are only what Python prints of an object."""
    return tuple(piece for piece in given if not (piece.form == "text" and _PRINTED.match(piece.text)))


def lost_with(spans: Sequence[OtlpSpan]) -> Iterator[str]:
    """Yields what is lost because the instrumentor keeps objects as Python prints them."""
    given = [(span, str(span.attributes.get("input.value"))) for span in spans]
    if any('"ev": "' in text and not span.name.startswith(_AGENTS) for span, text in given):
        yield "what the steps of a workflow hand on is in the file only in part, as Python prints it"
    if any(span.parent is None and "NodeWithScore(" in text for span, text in given):
        yield "the file lacks the text of nodes that were given to the app"


def said(printed: object) -> tuple[Piece, ...]:
    """Returns the text of a workflow's or agent's result, of which the instrumentor keeps what Python prints."""
    found = _RESULT.match(printed) if isinstance(printed, str) and _PRINTED.match(printed) else None
    return (Piece(text=str(ast.literal_eval(found["text"])), path=("response",)),) if found else ()


def nodes_in(printed: object) -> tuple[Piece, ...]:
    """Returns the documents of which a postprocessor's span shows id and score, without their texts."""
    found = _NODE.finditer(str(printed))
    return tuple(
        Piece(text="", path=("nodes", i), form="document", id=match[1], attributes=scalars({"score": _score(match[2])}))
        for i, match in enumerate(found)
    )


def _score(printed: str) -> float | None:
    try:
        return float(printed)
    except ValueError:
        return None


def _told(given: Sequence[Piece], known: Mapping[str | None, Piece]) -> tuple[Piece, ...]:
    """Pieces with the texts of those documents of which only the id was printed; unknown ones are left out."""
    whole = (
        replace(known[each.id], path=each.path, attributes={**known[each.id].attributes, **each.attributes})
        if each.form == "document" and not each.text and each.id in known
        else each
        for each in given
    )
    return tuple(each for each in whole if each.text or each.form != "document")


def by_methods(steps: Sequence[Step]) -> Iterator[str]:
    """Reads steps that are the methods of classes: who they are, and what the prompts show of documents.

    Yields:
        What is lost, a sentence each.
    """
    known = {each.id: each for step in steps if step.kind == "retriever" for each in step.documents}
    for step in steps:
        if step.kind == "chain":
            step.inputs, step.outputs = _told(step.inputs, known), _told(step.outputs, known)
    prompts = [piece.text for step in steps if step.kind == "model" for piece in step.inputs]
    texts = {piece.text for step in steps if step.kind == "retriever" for piece in step.documents}
    parts = [text for text in texts if _is_shortened(text, prompts)]
    if parts:
        yield (
            f"of {len(parts)} documents the prompts show a part only, and the file does not show what became of the "
            "rest: it may count as evidence though no model read it"
        )
    written = [piece for step in steps for piece in step.outputs if piece.form == "tool_call"]
    handing = {piece.call_id for piece in written if piece.call_id and piece.text.startswith("handoff(")}
    by_id = {step.id: step for step in steps}
    classes = {step.id: step.name.rpartition(".")[0] or step.name for step in steps}
    for step in steps:
        around = by_id.get(step.parent or "")
        while around is not None and around.kind in {None, "model"}:
            around = by_id.get(around.parent or "")
        if step.kind == "model":  # often one serves all: it is known by who asks it
            step.name = classes[around.id if around is not None and around.kind == "chain" else step.id]
            # It sends templates, whereas apps of LangChain write messages.
            step.inputs = tuple(replace(each, origin=None) if each.origin == "given" else each for each in step.inputs)
        else:
            step.name = classes[step.id]
        step.inputs = tuple(  # why an agent hands over to another is what a model gave as the reason
            replace(each, origin="model") if each.role == "tool" and each.call_id in handing else each
            for each in step.inputs
        )
        step.inputs = tuple(_shown(each, prompts) for each in step.inputs)
        step.outputs = tuple(_shown(each, prompts) for each in step.outputs)


def _is_shortened(text: str, prompts: Sequence[str]) -> bool:
    """Whether prompts show a part of a document, as a postprocessor leaves it, and none shows all of it."""
    parts = [part for part in _SENTENCE.split(text) if len(part) >= _LONG]
    return not any(text in prompt for prompt in prompts) and any(part in each for part in parts for each in prompts)


def _shown(piece: Piece, prompts: Sequence[str]) -> Piece:
    """A document with the metadata that prompts show above it: a claim may rest on a file's name.

    One that is in no prompt is shown with all of its metadata, which is how LlamaIndex writes it unless told otherwise;
    one in whose place a postprocessor put the text around it is that text, if a prompt shows it.
    """
    if piece.form != "document" or not piece.text.strip():
        return piece
    window = str(piece.attributes.get("window", ""))
    if len(window) > len(piece.text) and piece.text.strip() in window:
        put = next((each for each in (window, window.strip()) if any(each in prompt for prompt in prompts)), piece.text)
        piece = replace(piece, text=put)
    lines = [f"{key}: {value}" for key, value in piece.attributes.items() if key not in _OWN | _UNSHOWN]
    before = next((prompt[:at] for prompt in prompts if (at := prompt.find(piece.text)) >= 0), None)
    if before is not None:
        above = before.removesuffix("\n\n").split("\n") if before.endswith("\n\n") else []
        lines = list(takewhile(lambda line: line in lines, reversed(above)))[::-1]
    return replace(piece, text="\n".join(lines) + f"\n\n{piece.text}") if lines else piece
