"""Steps to trace: the events that an adapter would have reported for the same run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from trail_callbacks.capture.events import IMPORTED, Event, Piece, RunEnded, RunFailed, RunStarted
from trail_callbacks.graph import Origin
from trail_callbacks.importing.gaps import said
from trail_callbacks.importing.llama_index import by_methods
from trail_callbacks.importing.missing import missing, silent
from trail_callbacks.importing.pieces import pieces
from trail_callbacks.importing.steps import ImportedRun, Step, moments, rooted, tidied
from trail_callbacks.trace import Trace
from trail_callbacks.trace.context import Versions
from trail_callbacks.trace.recorded import recorded

_WORKING = frozenset({"model", "retriever", "tool"})
_KEYS = re.compile(r"<(.*)>$")
"""The keys in the name of a step: in the order in which its branches were started."""
_REASONED = re.compile(r"\AThought:.*?\nAnswer:\s*", re.DOTALL)
"""What a reasoning agent writes before its answer, and does not return."""
_PARALLEL = ("RunnableParallel", "RunnableAssign", "RunnableMap")


def _matched(steps: Sequence[Step]) -> list[str]:
    """Sets the places of steps in a sequence, the keys of those side by side, and the channels of a graph's state.

    OpenInference writes none of these, and an object with a single text as that text. What is beside a step tells it;
    of equal outputs those of the steps that began first are the first, because they are started in that order.

    Returns:
        What cannot be told, a sentence each: threads may begin in another order.
    """
    lost: list[str] = []
    _answer_calls(steps)
    children: dict[str, list[Step]] = defaultdict(list)
    for step in steps:
        children[step.parent or ""].append(step)
    for step in steps:
        if step.name.startswith(_PARALLEL):
            inside = sorted(children[step.id], key=lambda each: each.started or 0.0)
            if not any(each.hints.branch for each in inside):
                lost += _assign(step, inside, children)
        if step.name.startswith("RunnableSequence"):
            _chain(sorted(children[step.id], key=lambda each: each.started or 0.0))
        written = [each for each in children[step.id] if each.hints.channels and _is_bare(each)]
        if written:
            _name(written, [step, *children[step.id]])
    return lost


def _answer_calls(steps: Sequence[Step]) -> None:
    """Gives tools the id of the call that they answer, by the message with their result that a model read later."""
    calls: dict[str, list[str]] = defaultdict(list)
    for step in steps:
        for piece in step.inputs if step.kind == "model" else ():
            if piece.role == "tool" and piece.call_id and piece.call_id not in calls[piece.text.strip()]:
                calls[piece.text.strip()].append(piece.call_id)
    for step in steps:
        found = next((ids for piece in step.outputs if (ids := calls.get(piece.text.strip()))), None)
        if step.kind == "tool" and step.hints.call_id is None and found:
            step.hints = replace(step.hints, call_id=found.pop(0) if len(found) > 1 else found[0])


def _chain(inside: Sequence[Step]) -> None:
    """Numbers the steps of a sequence; those whose input is not the output before leave a gap."""
    if any(each.hints.sequence is not None for each in inside):
        return
    place, before = 0, None
    for step in inside:
        texts = [piece.text for piece in step.inputs]
        place += 1 if before is None or [piece.text for piece in before.outputs] == texts else 2
        step.hints, before = replace(step.hints, sequence=place), step


def _is_bare(step: Step) -> bool:
    return len(step.outputs) == 1 and step.outputs[0].form == "text" and not step.outputs[0].path


def _name(written: Sequence[Step], around: Sequence[Step]) -> None:
    """Names the channels of a graph's state that its nodes wrote, by where their text is read later."""
    keys: dict[str, set[str | int]] = defaultdict(set)
    for step in around:
        for piece in (*step.inputs, *step.outputs):
            if piece.path:
                keys[piece.text].add(piece.path[0])
    for step in written:
        (piece,) = step.outputs
        if len(keys[piece.text]) == 1:
            step.outputs = (replace(piece, path=tuple(keys[piece.text])),)


def _assign(step: Step, inside: Sequence[Step], children: Mapping[str, Sequence[Step]]) -> Iterator[str]:
    parts: dict[str, list[str]] = defaultdict(list)
    for piece in step.outputs:
        if piece.path:
            parts[str(piece.path[0])].append(piece.text)
    named = _KEYS.search(step.name)
    keys = named[1].split(",") if named else []
    left = list(inside)
    for key in sorted(parts, key=lambda each: keys.index(each) if each in keys else len(keys)):
        same = [each for each in left if [piece.text for piece in each.outputs] == parts[key]]
        if sum(_did_work(each, children) for each in same) > 1:
            yield f"branches of {step.name} wrote the same text, and the file does not show which is which"
        if same:
            made = same[0]
            left.remove(made)
            made.hints = replace(made.hints, branch=key)


def _did_work(step: Step, children: Mapping[str, Sequence[Step]]) -> bool:
    """True if a model, a retriever or a tool is in a step, or is that step: its text rests on something then."""
    todo = [step]
    while todo:
        here = todo.pop()
        if here.kind in _WORKING:
            return True
        todo += children[here.id]
    return False


def assembled(run: ImportedRun) -> Trace | None:
    """Makes the trace of a run; None if none of its steps is one of an app with a language model."""
    gaps = [(step.name, gap) for step in run.steps for gap in step.gaps]
    steps = tidied(run.steps)
    if all(step.kind in {"retriever", "prompt", "parser", None} for step in steps):
        return None  # found documents are no answer
    if run.by_methods:
        run.lost += by_methods(steps)
    run.lost += _matched(steps)
    root, lost = rooted(steps, run.id)
    gaps += missing(steps, root if root in steps else None)
    steps = steps if root in steps else [root, *steps]
    _complete(root, steps)
    steps = list(_with_prompts(steps, root))
    root.metadata = {**run.metadata, **root.metadata}
    known = list(dict.fromkeys([*run.lost, *said(gaps), *lost, *silent(steps)]))
    # The model that ended last, not that of the graph: a file of many traces is read without building theirs.
    wrote = max((step for step in steps if step.kind == "model"), key=lambda step: step.ended or 0.0, default=None)
    trace = recorded(run.id, tuple(_events(root, steps)), answering=Versions(model=wrote.model if wrote else None))
    return replace(trace, lost=tuple(known), warnings=tuple(dict.fromkeys([*known, *trace.warnings])))


def _with_prompts(steps: Sequence[Step], root: Step) -> Iterator[Step]:
    """Yields the steps, each prompt with a known template as a step of its own; other texts get their origin.

    What no step of the file brought was written by one that is not there, which may be a model, or by code or a prompt
    of the app: nobody can tell. Only the wording of a template that the file shows is known. Where documents have no
    text, that of the prompts stands in their place, and the report says so.
    """
    hidden = any(step.documents and not any(each.text.strip() for each in step.documents) for step in steps)
    for step in steps:
        if step.kind == "model" and step.variables and step is not root:
            yield Step(
                id=f"{step.id}:prompt",
                parent=step.parent,
                kind="prompt",
                name=step.name,
                inputs=tuple(_unseen(each) for key, value in step.variables.items() for each in pieces(value, (key,))),
                outputs=tuple(replace(piece, origin=None) for piece in step.inputs),
                started=step.started,
                ended=step.started,
            )
        if step is not root and (step.kind in {"chain", "prompt", "parser"} or (step.kind == "model" and not hidden)):
            step.inputs = tuple(map(_unseen, step.inputs))
        if step is not root and step.kind in {"chain", "parser"}:
            step.outputs = tuple(map(_unseen, step.outputs))
        elif step.kind == "prompt" and not step.inputs:
            step.outputs = tuple(replace(piece, origin="unknown") for piece in step.outputs)
        elif (
            step.kind == "tool" and step.hints.call_id is None
        ):  # what it repeats of its arguments is no finding of its
            step.inputs = tuple(replace(piece, origin="model") for piece in step.inputs)
        yield step


def _unseen(piece: Piece) -> Piece:
    """A piece whose text has an unknown origin unless a step of the run brought it; what models say is known."""
    if piece.form == "tool_call" or piece.origin not in {None, "given"}:
        return piece
    origin: Origin = "model" if piece.role == "assistant" else "unknown"
    return replace(piece, origin=origin, attributes={**piece.attributes, IMPORTED: True})


def _complete(root: Step, steps: Sequence[Step]) -> None:
    """Gives a root that shows no answer, or no question, what its models wrote last and its steps were asked first.

    A stream's root ends before its text is there, and a text may be missing from the file; what the model wrote is it.
    """
    models = sorted((step for step in steps if step.kind == "model"), key=lambda step: step.ended or 0.0)
    if root.error is None and models and not any(_is_text(piece) for piece in root.outputs):
        calls = any(piece.form == "tool_call" for piece in models[-1].outputs)  # then it has not answered yet
        written = [piece for piece in models[-1].outputs if _is_text(piece) and not calls]
        if written:
            texts = [_REASONED.sub("", piece.text) for piece in written]
            root.outputs = tuple(
                replace(piece, text=text, path=("response",)) for piece, text in zip(written, texts, strict=True)
            )
            root.ended = max(filter(None, [root.ended, models[-1].ended]), default=None)
    if not any(piece.text.strip() for piece in root.inputs):
        in_tools = _inside_tools(steps)
        first = sorted((step for step in steps if step is not root), key=lambda step: step.started or 0.0)
        asked = [  # within a tool, what is searched for is what a model wrote
            replace(step.inputs[0], path=("question",))
            for step in first
            if step.kind == "retriever" and step.inputs and step.id not in in_tools
        ] or [
            replace(piece, path=("messages", 0), origin=None)
            for step in first
            if step.kind == "model"
            for piece in step.inputs
            if piece.role == "user"
        ]
        root.inputs = tuple(asked[:1]) or root.inputs


def _inside_tools(steps: Sequence[Step]) -> set[str]:
    """Ids of the steps around which a tool is."""
    children: dict[str, list[Step]] = defaultdict(list)
    for step in steps:
        children[step.parent or ""].append(step)
    todo, found = [step for step in steps if step.kind == "tool"], set()
    while todo:
        inside = children[todo.pop().id]
        found |= {step.id for step in inside}
        todo += inside
    return found


def _is_text(piece: Piece) -> bool:
    return piece.form in {"text", "message"} and bool(piece.text.strip())


def _events(root: Step, steps: Sequence[Step]) -> Iterator[Event]:
    for seq, (_, moment, step) in enumerate(moments(root, steps), 1):
        if moment == "start":
            yield RunStarted(
                seq=seq,
                run_id=step.id,
                parent_id=None if step is root else step.parent,
                kind=step.kind or "chain",
                name=step.name,
                inputs=step.inputs,
                hints=step.hints,
                at=step.started,
                tags=step.tags if step is root else (),
                metadata=step.metadata,
            )
        elif step.error is not None:
            yield RunFailed(
                seq=seq, run_id=step.id, error=step.error, status=step.status, outputs=step.outputs, at=step.ended
            )
        elif step.ended is not None or step.outputs:
            outputs = step.outputs
            if step.model:
                outputs = tuple(replace(each, attributes={"model": step.model, **each.attributes}) for each in outputs)
            yield RunEnded(seq=seq, run_id=step.id, outputs=outputs, at=step.ended)
