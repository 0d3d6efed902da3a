"""From a callback to an event: records that are cheap to make on the hot path, and their conversion.

A record keeps references to what LangChain handed over. `convert` reads them later, off the app's path.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, cast, get_args

from langchain_core.outputs import ChatGeneration, LLMResult

from langchain_trail.pieces import pieces
from trail_callbacks.capture.events import Hints, Piece, RunEnded, RunFailed, RunKind, RunStarted, Status
from trail_callbacks.capture.payloads import TEMPLATE, is_cancellation, labels, scalars

INTERNAL = "trail_internal"
"""Metadata key of our own model calls: what a judge reads is not part of the answer's lineage."""

SOURCE_KEYS = "trail_source_keys"
"""Metadata key by which a run names the inputs that hold its sources."""

_START = "__start__"
"""What triggers the one node of a graph that is a function (`@entrypoint`); in another graph a node of that name."""

_KINDS: frozenset[str] = frozenset(get_args(RunKind))
_LITERALS = re.compile(r'"(?:template|variable_name|content)": "(?:[^"\\]|\\.)*"')
_SEQUENCE = re.compile(r"seq:step:(\d+)")
_WRITER = re.compile(r"(?:lc_)?run-+([0-9a-f-]{36})\b")
"""LangChain names messages after the run that wrote them; an answer from its cache keeps the name."""
_UNNAMED = re.compile(r"Runnable[A-Z]\w*(<|$)|LangGraph$")
"""Names of LangChain's own parts, which say nothing about the step that a user wrote."""
_CONTAINERS = (list, dict)
_FRAMEWORK_TAGS = ("seq:step:", "map:key:", "graph:step:", "langsmith:")
_FRAMEWORK_KEYS = ("ls_", "lc_", "langgraph_", "checkpoint_", "__", "LANGSMITH_", "LANGCHAIN_", INTERNAL, SOURCE_KEYS)
_HUB_COMMIT = "lc_hub_commit_hash"
"""Metadata key of a prompt from LangChain's hub: its version."""


@dataclass(slots=True, eq=False)
class Started:
    """A run began.

    Attributes:
        run_id: The run; an id or a UUID, whose text is made when somebody reads: it is a fifth of what a hook costs.
        parent_id: The run around it, likewise.
        kind: The kind of component, from the callback's name.
        serialized: LangChain's description of the component; None for graphs and many others.
        payload: The inputs, from `snapshot`.
        details: The callback's keyword arguments; its metadata must be a copy.
    """

    run_id: Hashable
    parent_id: Hashable | None
    kind: RunKind
    serialized: Mapping[str, Any] | None = None
    payload: object = None
    details: Mapping[str, Any] = field(default_factory=dict)
    phase: ClassVar[Literal["started"]] = "started"

    def convert(self, seq: int) -> RunStarted:
        """Makes the event."""
        metadata = self.details.get("metadata") or {}
        kind = self.kind
        if kind == "chain":
            given = {"llm": "model"}.get(run_type := self.details.get("run_type") or "", run_type)
            kind = cast("RunKind", given) if given in _KINDS else kind
        name = _name(self.serialized, self.details.get("name"), metadata, kind)
        inputs = pieces(self.payload, model=kind == "model", cut=True)
        return RunStarted(
            seq=seq,
            run_id=str(self.run_id),
            parent_id=None if self.parent_id is None else str(self.parent_id),
            kind=kind,
            name=name,
            inputs=inputs + _partial(self.serialized) if kind == "prompt" else inputs,
            hints=_hints(self.serialized, self.details, metadata, kind, name),
            tags=_tags(self.details.get("tags")) + labels(metadata.get("langfuse_tags")) if seq == 1 else (),
            metadata=said_of(metadata, root=seq == 1) | (_wording(self.serialized) if kind == "prompt" else {}),
        )


@dataclass(slots=True, eq=False)
class Finished:
    """A run came to its end, or was left by an exception, or paused.

    Attributes:
        run_id: The run.
        payload: The outputs, from `snapshot`; of one that failed those until then.
        late: Its inputs if they are known only at its end (streams), else None.
        metadata: For a model: the metadata of its start.
        error: Type and message of the exception; None for a run that ended well. Not the exception itself: its
            traceback holds the app's frames.
        status: Whether a run with an error failed, was cancelled or paused.
    """

    run_id: Hashable
    payload: object = None
    late: object = None
    metadata: Mapping[str, Any] | None = None
    error: str | None = None
    status: Status = "error"
    parent_id: ClassVar[None] = None

    @property
    def phase(self) -> Literal["ended", "failed"]:
        """Whether it ended well."""
        return "ended" if self.error is None else "failed"

    def convert(self, seq: int) -> RunEnded | RunFailed:
        """Makes the event."""
        run_id = str(self.run_id)
        # Inputs known at the end replace those of the start, unless there are none (an input that is not a stream).
        inputs = (pieces(self.late, cut=True) or None) if self.late is not None else None
        outputs = _outputs(self.payload, self.metadata, run_id)
        if self.error is None:
            return RunEnded(seq=seq, run_id=run_id, outputs=outputs, inputs=inputs)
        return RunFailed(seq=seq, run_id=run_id, error=self.error, status=self.status, inputs=inputs, outputs=outputs)


def snapshot(payload: object) -> object:
    """Copies a payload's containers two levels deep, so that later changes in place do not rewrite history."""
    copied: Any = _copied(payload)
    if type(copied) is dict:
        for key, value in copied.items():
            if (kind := type(value)) is not str and issubclass(kind, _CONTAINERS):
                copied[key] = _copied(value)
    return list(map(_copied, copied)) if type(copied) is list else copied


def _copied(value: Any) -> Any:
    """A copy of a container; methods of a class of the app's own might do anything when they are called here."""
    kind = type(value)
    return dict.copy(value) if issubclass(kind, dict) else list.copy(value) if issubclass(kind, list) else value


def status_of(error: BaseException) -> Status:
    """Returns what an exception means for a run: a failure, a cancellation, or a graph that stopped to be resumed.

    Graph exceptions are recognised by class, and only if the app has loaded langgraph.
    """
    if is_cancellation(error):
        return "cancelled"
    # Interrupts, hand-offs to a parent graph, drains.
    return "paused" if _is_graph_error(error, "GraphBubbleUp") else "error"


def stops_graph(error: BaseException, details: Mapping[str, Any]) -> bool:
    """True if a node stopped with an interrupt, so that the graph around it ends before it is finished."""
    tags = details.get("tags") or ()
    return _is_graph_error(error, "GraphInterrupt") and any(str(tag).startswith("graph:step:") for tag in tags)


def _is_graph_error(error: BaseException, name: str) -> bool:
    kind = getattr(sys.modules.get("langgraph.errors"), name, None)
    return kind is not None and isinstance(error, kind)


def _outputs(payload: object, metadata: Mapping[str, Any] | None, run_id: str) -> tuple[Piece, ...]:
    outputs = pieces(payload, cut=True)
    if not isinstance(payload, LLMResult):
        return outputs
    attributes = _model_attributes(payload, metadata or {})
    writer = _WRITER.match(outputs[0].id or "") if outputs else None
    if writer is not None and writer[1] != run_id:
        attributes["cached"] = True
    return tuple(replace(piece, attributes={**attributes, **piece.attributes}) for piece in outputs)


def _model_attributes(result: LLMResult, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Which model wrote this, by the provider's answer, else by the app's configuration."""
    response: Mapping[str, Any] = {}
    first = result.generations[0][0] if result.generations and result.generations[0] else None
    if isinstance(first, ChatGeneration):
        response = first.message.response_metadata
    attributes = {
        "model": response.get("model_name") or response.get("model") or metadata.get("ls_model_name"),
        "provider": metadata.get("ls_provider") or response.get("model_provider"),
        "finish_reason": response.get("finish_reason") or response.get("stop_reason"),
        "lc_source": metadata.get("lc_source"),
    }
    return {key: str(value) for key, value in attributes.items() if value} | _usage(result, first)


def _usage(result: LLMResult, first: object) -> dict[str, int]:
    """The tokens of a call, as the provider counted them."""
    known = getattr(first.message, "usage_metadata", None) if isinstance(first, ChatGeneration) else None
    counted = known or (result.llm_output or {}).get("token_usage")
    if not isinstance(counted, Mapping):
        return {}
    found = {
        "prompt_tokens": counted.get("input_tokens", counted.get("prompt_tokens")),
        "completion_tokens": counted.get("output_tokens", counted.get("completion_tokens")),
    }
    return {key: value for key, value in found.items() if isinstance(value, int)}


def _name(serialized: Mapping[str, Any] | None, given: object, metadata: Mapping[str, Any], kind: RunKind) -> str:
    """Names a run as the user would: the name they gave it, else for models and code the graph node, else the class."""
    own = _class_name(serialized)
    name = str(given or "") or own
    if kind == "model" and name == own and (node := metadata.get("langgraph_node")):
        agent = metadata.get("lc_agent_name")
        return f"{agent}.{node}" if agent else str(node)
    if kind == "chain" and _UNNAMED.match(name) and (node := metadata.get("langgraph_node")):
        return str(node)
    return name or kind


def _class_name(serialized: Mapping[str, Any] | None) -> str:
    if not isinstance(serialized, Mapping):
        return ""
    path = serialized.get("id")
    last = path[-1] if isinstance(path, Sequence) and not isinstance(path, str) and path else ""
    return str(serialized.get("name") or last)


def _hints(
    serialized: Mapping[str, Any] | None,
    details: Mapping[str, Any],
    metadata: Mapping[str, Any],
    kind: RunKind,
    name: str,
) -> Hints:
    sequence = branch = None
    in_graph = False
    for tag in details.get("tags") or ():
        if not isinstance(tag, str):
            continue
        if tag.startswith("seq:step:") and (match := _SEQUENCE.fullmatch(tag)):
            sequence = int(match[1])
        elif tag.startswith("map:key:"):
            branch = tag.removeprefix("map:key:")
        elif tag.startswith("graph:step:"):
            in_graph = True
    node = metadata.get("langgraph_node")
    # What a node calls inherits its metadata, and a subgraph may have its name, but only the node has the tag.
    is_node = in_graph and node is not None and details.get("name") == node
    task, superstep = (metadata.get(f"langgraph_{name}") for name in ("checkpoint_ns", "step"))
    call_id = details.get("tool_call_id")
    return Hints(
        sequence=sequence,
        branch=branch,
        variables=_variables(serialized) if kind == "prompt" else None,
        channels=is_node,
        task=str(task) if is_node and task else None,
        superstep=superstep if is_node and isinstance(superstep, int) else None,
        replays=is_node and node != _START and metadata.get("langgraph_triggers") == (_START,),
        call_id=str(call_id) if call_id else None,
        source_keys=_source_keys(metadata.get(SOURCE_KEYS)),
        internal=bool(metadata.get(INTERNAL)),
        unnamed=kind == "chain" and _UNNAMED.match(name) is not None,
    )


def _tags(given: object) -> tuple[str, ...]:
    """What the app tagged a run with, without what the framework did."""
    return tuple(tag for tag in labels(given) if not tag.startswith(_FRAMEWORK_TAGS))


def said_of(metadata: Mapping[Any, Any], *, root: bool = True) -> dict[str, Any]:
    """Returns what the app says of a run in its metadata; of one inside another, versions only: it inherits all."""
    return scalars(
        {
            key: value
            for key, value in metadata.items()
            if isinstance(key, str)
            and (key == _HUB_COMMIT or not key.startswith(_FRAMEWORK_KEYS))
            and (root or key == _HUB_COMMIT or key.endswith("_version"))
        }
    )


def _source_keys(given: object) -> tuple[str, ...]:
    if isinstance(given, str):
        return (given,)
    return tuple(map(str, given)) if isinstance(given, list | tuple | set | frozenset) else ()


def _variables(serialized: Mapping[str, Any] | None) -> tuple[str, ...] | None:
    """The input keys of a prompt template; None if LangChain does not list them."""
    settings = _settings(serialized)
    if not isinstance(settings.get("input_variables"), Sequence):
        return None
    named = [*settings["input_variables"], *(settings.get("optional_variables") or ())]
    named += settings.get("partial_variables") or ()
    return tuple(dict.fromkeys(str(variable) for variable in named))


def _partial(serialized: Mapping[str, Any] | None) -> tuple[Piece, ...]:
    """The values that the app gave a prompt template in advance; what a function gave is not known."""
    given = _settings(serialized).get("partial_variables")
    values = given.items() if isinstance(given, Mapping) else ()
    texts = {name: value for name, value in values if isinstance(value, str)}
    return tuple(replace(piece, origin="given") for piece in pieces(texts))


def _wording(serialized: Mapping[str, Any] | None) -> dict[str, str]:
    """The hash of what a prompt template says, whatever is filled in; empty if LangChain does not show it."""
    from trail_callbacks.trace.retrievals import content_hash  # noqa: PLC0415 - not needed to record

    texts = _LITERALS.findall(json.dumps(_settings(serialized), default=str))
    return {TEMPLATE: content_hash("\n".join(texts))} if texts else {}


def _settings(serialized: Mapping[str, Any] | None) -> Mapping[str, Any]:
    settings = serialized.get("kwargs") if isinstance(serialized, Mapping) else None
    return settings if isinstance(settings, Mapping) else {}
