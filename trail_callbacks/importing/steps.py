"""The steps of an imported run: how each is made, whatever the dialect, and the one tree that they are.

Dialects differ in where things are. What a kind of step is called in any of them, what is read of its sides, and what a
framework's metadata say of its place is the same, and is here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge
from typing import Any, Literal

from trail_callbacks.capture.events import Hints, Piece, RunKind, Status
from trail_callbacks.capture.payloads import scalars
from trail_callbacks.importing.gaps import Gap, seen_in
from trail_callbacks.importing.otlp import OtlpSpan
from trail_callbacks.importing.pieces import first_of, pieces

KINDS: dict[str, RunKind | None] = {
    **dict.fromkeys(("chain", "agent", "span", "reranker", "invoke_agent", "invoke_workflow", "plan"), "chain"),
    **dict.fromkeys(("workflow", "task"), "chain"),
    **dict.fromkeys(("guardrail", "evaluator", "judge"), "chain"),
    **dict.fromkeys(("llm", "chat_model", "generation", "chat", "text_completion", "generate_content"), "model"),
    **dict.fromkeys(("retriever", "retrieval"), "retriever"),
    **dict.fromkeys(("tool", "execute_tool"), "tool"),
    **dict.fromkeys(("embedding", "embeddings", "event", "create_agent"), None),
    "prompt": "prompt",
    "parser": "parser",
}
"""Kinds of steps, by the names that tools have for them. None only encloses others, or is no step of an answer."""
_JUDGING = frozenset({"guardrail", "evaluator", "judge"})
_PROMPT = re.compile(r"PromptTemplate(_\d+)?$")  # MLflow numbers those with one name
_UNNAMED = re.compile(r"Runnable[A-Z]\w*(<|$)|LangGraph$")
_FRAMEWORK_TAGS = ("seq:step:", "map:key:", "graph:step:", "langsmith:")
_FRAMEWORK_KEYS = (
    *("ls_", "lc_", "langgraph_", "langfuse_", "checkpoint_", "thread_ts", "__"),
    *("LANGSMITH_", "LANGCHAIN_", "LANGFUSE_", "is_langchain_root", "runtime", "sdk", "platform"),
)


Sides = tuple["tuple[Piece, ...] | None", "tuple[Piece, ...] | None"]


@dataclass(slots=True, kw_only=True, eq=False)
class Step:
    """One execution of one component."""

    id: str  # in the file: of a span, 16 hexadecimal digits
    parent: str | None  # id of the step around it
    kind: RunKind | None  # None if it only encloses others, such as the span of a web server
    name: str
    inputs: tuple[Piece, ...] = ()
    outputs: tuple[Piece, ...] = ()
    model: str | None = None  # as it names itself; of a model call only
    started: float | None = None  # seconds since the epoch; None if the file does not say
    ended: float | None = None  # likewise; None also if it did not end
    error: str | None = None  # type and message of its exception
    status: Status = "error"  # what that exception means
    hints: Hints = field(default_factory=Hints)
    tags: tuple[str, ...] = ()  # of a root: what the app tagged it with
    metadata: Mapping[str, Any] = field(default_factory=dict)  # what the app said, without what the framework did
    variables: Mapping[str, Any] = field(default_factory=dict)  # of the template of a model's prompt, if that is known
    foreign: bool = False  # of no dialect, such as the span of a web server, around which may be other services
    lacks: tuple[str, ...] = ()  # `input`, `output`: sides that are not in the file
    gaps: tuple[Gap, ...] = ()  # what else of it is not

    @property
    def documents(self) -> tuple[Piece, ...]:
        """The documents among its outputs."""
        return tuple(piece for piece in self.outputs if piece.form == "document")


@dataclass(slots=True, kw_only=True)
class ImportedRun:
    """The steps of one trace."""

    id: str
    steps: list[Step]  # in any order
    lost: list[str] = field(default_factory=list)  # what the file is known to lack, a sentence each
    metadata: Mapping[str, Any] = field(default_factory=dict)  # of the whole trace, such as its session
    by_methods: bool = False  # the steps are the methods of classes, as LlamaIndex shows itself


def kind_of(named: str, name: str) -> RunKind | None:
    """Returns the kind of a step by what its tool calls it; some tools call LangChain's prompts a chain."""
    kind = KINDS.get(named.lower(), "chain")
    return "prompt" if kind == "chain" and _PROMPT.search(name) else kind


def sides(kind: RunKind | None, given: object, returned: object) -> Sides:
    """Returns the pieces of the payloads of a step, as frameworks write them; None for a payload that is not there."""
    inputs, outputs = _sides(kind, given, returned)
    return None if given is None else inputs, None if returned is None else outputs


def _sides(kind: RunKind | None, given: object, returned: object) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    if kind == "model":
        asked = next((given[key] for key in ("messages", "prompts", "prompt") if key in given), given) if isinstance(
            given, Mapping
        ) else given  # fmt: skip
        choices = first_of(returned, "choices")  # as OpenAI's client answers
        if isinstance(choices, list) and isinstance(choices[0], Mapping):
            returned = choices[0].get("message", choices[0].get("text"))
        elif isinstance(generated := first_of(returned, "generations"), list):
            returned = {"generations": generated}
        return pieces(asked, ("messages",), model=True), pieces(returned)
    if kind == "retriever":
        returned = _as_documents(returned)
    inputs, outputs = pieces(given), pieces(returned)
    if kind == "retriever":
        inputs = tuple(replace(each, path=("query",)) if each.path in {(), ("input",)} else each for each in inputs)
        outputs = tuple(  # what one of the app's own returned
            replace(each, form="document") if each.form == "text" and len(each.path) <= 1 else each for each in outputs
        )
        outputs = tuple(each for each in outputs if each.form == "document")
    return inputs, outputs


_TEXT = ("page_content", "text", "content", "document", "chunk")


def _as_documents(found: object) -> object:
    """What any retriever returned, with documents in the form of LangChain's: scores and ids are none."""
    if isinstance(found, list):
        return [_as_documents(each) for each in found]
    if not isinstance(found, Mapping) or found.get("lc") is not None:
        return found
    inner = next((found[key] for key in ("node", "document", "payload") if isinstance(found.get(key), Mapping)), found)
    text = next((inner[key] for key in _TEXT if isinstance(inner.get(key), str)), None)
    if text is None:
        return {key: _as_documents(each) for key, each in found.items() if isinstance(each, list | Mapping)}
    id_ = first_of(found, "id", "id_", "node_id") or first_of(inner, "id", "id_", "node_id")
    known = {"metadata": first_of(inner, "metadata") or {}, "score": found.get("score"), "id": id_}
    return {"page_content": text, **known}


def step_made(
    span: OtlpSpan,
    kind: RunKind | None,
    both: Sides,
    *,
    named: str = "",
    name: str | None = None,
    model: object = None,
    details: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    tags: object = (),
    hints: Hints | None = None,
    variables: Mapping[str, Any] | None = None,
) -> Step:
    """Makes a step of the ids, times and error of a span, and of what went in and came out.

    Args:
        span: The span, or what a tool knows in its place.
        kind: Its kind.
        both: Both sides; None for one that is not in the file.
        named: What its tool calls its kind.
        name: Its name, if not that of the span. A model in a graph is known by the name of its node.
        model: The model; counts for a model call only, as details do.
        details: What else is known of a call: `prompt_tokens`, `completion_tokens`, `provider`.
        metadata: All that is said of it.
        tags: Its tags.
        hints: What else is known of its place.
        variables: Of the template of its prompt.
    """
    lacks = tuple(side for side, pieces in zip(("input", "output"), both, strict=True) if pieces is None)
    inputs, outputs = (side or () for side in both)
    metadata, hints, name = metadata or {}, hints or Hints(), name or span.name
    node, agent = metadata.get("langgraph_node"), metadata.get("lc_agent_name")
    answered = next((piece.call_id for piece in outputs if kind == "tool" and piece.call_id), None)
    if kind == "model":
        counts = {
            key: str(value) if key == "provider" else int(value)
            for key, value in (details or {}).items()
            if value and (key == "provider" or (isinstance(value, int | float) and not isinstance(value, bool)))
        }
        outputs = tuple(replace(each, attributes={**counts, **each.attributes}) for each in outputs)
    return Step(
        id=span.id,
        parent=span.parent,
        kind=kind,
        name=(f"{agent}.{node}" if agent else str(node)) if node and kind == "model" else name,
        inputs=inputs,
        outputs=outputs,
        model=str(model) if model and kind == "model" else None,
        started=span.started,
        ended=span.ended,
        error=span.error,
        status=span.status,
        hints=replace(
            hints,
            call_id=hints.call_id or answered,
            channels=kind == "chain" and node is not None and name == node,
            internal=named.lower() in _JUDGING,
            unnamed=kind == "chain" and _UNNAMED.match(name) is not None,
        ),
        tags=tuple(tag for tag in map(str, tags) if not tag.startswith(_FRAMEWORK_TAGS))
        if isinstance(tags, list)
        else (),
        metadata=said_of(metadata),
        variables=variables or {},
        lacks=lacks,
        gaps=tuple(seen_in(span)),
    )


def said_of(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what an app said in metadata: without what frameworks and tracers add, such as their environment."""
    return scalars({key: value for key, value in metadata.items() if not str(key).startswith(_FRAMEWORK_KEYS)})


def tidied(steps: Iterable[Step]) -> list[Step]:
    """Returns the steps that did something, each once, with the nearest of these around it as parent.

    A span that was exported twice is one step. A model call inside a model call, and a method of a class inside
    another method of it (`query` and `_query` of LlamaIndex), are one step: the outer, with what only the inner shows.
    """
    known: dict[str, Step] = {}
    for step in steps:
        known[step.id] = max(known.get(step.id, step), step, key=_shows)
    _break_circles(known)
    ordered = _parents_first(known.values())
    into: dict[str, str] = {}  # a step that is left out, and the one in whose place it stands
    for step in ordered:
        around = known.get(_kept(step.parent, into) or "")
        if step.kind is None:
            into[step.id] = around.id if around else "" if step.foreign else step.parent or ""
        elif around is not None and around.kind is not None and _is_twin(step, around):
            into[step.id] = around.id
    for step in reversed(ordered):  # the innermost first: what it shows goes outwards
        if step.kind is not None and step.id in into:
            _absorb(known[_kept(into[step.id], into) or ""], step)
    for step in ordered:
        step.parent = _kept(step.parent, into)
    return [step for step in known.values() if step.id not in into]


def _shows(step: Step) -> tuple[bool, int, int]:
    return step.ended is not None, len(step.outputs), len(step.inputs)


def _is_twin(step: Step, around: Step) -> bool:
    if step.kind == around.kind == "model":
        return True
    own, _, method = step.name.rpartition(".")
    same = bool(own) and method.isidentifier() and own == around.name.rpartition(".")[0]
    return same and step.kind == around.kind and step.kind != "tool"


def _absorb(outer: Step, inner: Step) -> None:
    """Adds to a step what only a part of it shows."""
    if inner.kind == "model":  # the inner one shows the prompt as it was sent, and what was streamed
        outer.inputs = inner.inputs or outer.inputs
    else:
        outer.inputs = outer.inputs or inner.inputs
    outer.outputs = outer.outputs if any(piece.text.strip() for piece in outer.outputs) else inner.outputs
    outer.variables = outer.variables or inner.variables
    outer.model = outer.model or inner.model
    if inner.ended is not None and outer.ended is not None:
        outer.ended = max(outer.ended, inner.ended)


def _kept(step_id: str | None, into: Mapping[str, str]) -> str | None:
    while step_id and step_id in into:
        step_id = into[step_id]
    return step_id or None


def _break_circles(known: Mapping[str, Step]) -> None:
    """Makes a root of one step of every circle of parents, which only a broken file has."""
    fine: set[str] = set()
    for step in known.values():
        path: dict[str, Step] = {}
        here: Step | None = step
        while here is not None and here.id not in fine and here.id not in path:
            path[here.id] = here
            here = known.get(here.parent or "")
        if here is not None and here.id in path:
            here.parent = None
        fine |= path.keys()


def _parents_first(steps: Iterable[Step]) -> list[Step]:
    known = {step.id: step for step in steps}
    children: dict[str | None, list[Step]] = defaultdict(list)
    for step in known.values():
        children[step.parent if step.parent in known else None].append(step)
    ordered: list[Step] = []
    todo = children[None][::-1]
    while todo:
        ordered.append(todo.pop())
        todo += reversed(children[ordered[-1].id])
    return ordered


def rooted(steps: Sequence[Step], trace_id: str) -> tuple[Step, list[str]]:
    """Returns the root of a trace, which is made if the file lacks it, and what that means.

    Args:
        steps: The tidied steps, one or more. Their parents are changed where a root is made.
        trace_id: Id of a root that is made.
    """
    ids = {step.id for step in steps}
    roots = [step for step in steps if step.parent not in ids]
    orphans = sum(bool(step.parent) for step in roots)
    if len(roots) == 1:
        return roots[0], ["the step around all others is not in the file"] if orphans else []
    lost = f"{orphans or len(roots)} steps are in the file without the step around them, which shows what was returned"
    first = min(roots, key=lambda step: step.started if step.started is not None else 0.0)
    if first.kind == "model":  # what it was asked is the question of a root that has none of its own
        users = [piece for piece in first.inputs if piece.role == "user"]
        asked = [replace(piece, path=("messages", 0), origin=None) for piece in users[-1:]]
    else:
        asked = [replace(piece, path=("question",)) for piece in first.inputs if piece.form == "text"][:1]
    root = Step(
        id=f"{trace_id}:root",
        parent=None,
        kind="chain",
        name=trace_id,
        inputs=tuple(asked),
        started=first.started,
        ended=max((step.ended for step in roots if step.ended is not None), default=None),
        metadata=first.metadata,
        tags=first.tags,
    )
    for step in roots:
        step.parent = root.id
    return root, [lost]


Moment = tuple[float, Literal["start", "end"], Step]


def moments(root: Step, steps: Sequence[Step]) -> list[Moment]:
    """Returns the start and end of each step in the order of time.

    A step begins after the one around it and ends before that does, whatever the clocks say: a stream outlives the
    span that returned it. Steps without times follow their elder sibling, and of steps at one time those given first
    come first.

    Args:
        root: The root.
        steps: All steps, with the root.
    """
    ordered = _parents_first(steps)
    children: dict[str, list[Step]] = defaultdict(list)
    began: dict[str, float] = {}
    first = min((step.started for step in steps if step.started is not None), default=0.0)
    for step in ordered:
        around = began.get(step.parent or "", first)
        began[step.id] = around if step.started is None else max(around, step.started)
        if step is not root:
            children[step.parent or ""].append(step)
    inside: dict[str, list[Moment]] = {}
    for step in reversed(ordered):
        own = sorted(children[step.id], key=lambda each: (each.started is None, each.started or 0.0))
        held = list(merge(*(inside.pop(each.id) for each in own), key=lambda moment: moment[0]))
        ended = max(began[step.id], step.ended or 0.0, held[-1][0] if held else 0.0)
        inside[step.id] = [(began[step.id], "start", step), *held, (ended, "end", step)]
    return inside[root.id]
