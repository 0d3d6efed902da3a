"""Runs of LangSmith to steps: what its tracer sends, its client lists and its export holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from trail_callbacks.capture.events import Hints, Piece, RunKind, Status
from trail_callbacks.importing.otlp import moment
from trail_callbacks.importing.pieces import ImportedRun, Step, detailed, pieces, said_of

__all__ = ["inside", "is_run", "run_of", "trace_id"]

_KINDS: dict[str, RunKind | None] = {
    "chain": "chain",
    "llm": "model",
    "retriever": "retriever",
    "prompt": "prompt",
    "tool": "tool",
    "parser": "parser",
    "embedding": None,
}
_SEQUENCE = re.compile(r"seq:step:(\d+)")
_FRAMEWORK_TAGS = ("seq:step:", "map:key:", "graph:step:", "langsmith:")
_WRAPPED = {"input", "output"}


def is_run(record: Mapping[str, Any]) -> bool:
    """True for a run of LangSmith."""
    return "run_type" in record and "id" in record and ("inputs" in record or "dotted_order" in record)


def trace_id(record: Mapping[str, Any]) -> str:
    """Returns the id of the trace of a run."""
    order = record.get("dotted_order")
    first = order.partition(".")[0].partition("Z")[2] if isinstance(order, str) else ""
    return str(record.get("trace_id") or first or record["id"])


def inside(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields a run and those that are nested in it."""
    todo = [record]
    while todo:
        run = todo.pop()
        yield run
        children = run.get("child_runs")
        todo += [
            {"parent_run_id": run["id"], "trace_id": trace_id(record), **child}
            for child in (children if isinstance(children, list) else ())
            if isinstance(child, Mapping) and is_run(child)
        ]


def run_of(trace: str, records: Sequence[Mapping[str, Any]]) -> ImportedRun:
    """Makes the run of the LangSmith runs of one trace."""
    ordered = sorted(records, key=lambda record: str(record.get("dotted_order") or ""))
    return ImportedRun(
        id=trace, steps=[_step(each) for each in ordered], lost=list(_gaps(ordered)), metadata=_context(ordered)
    )


def _gaps(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for side, key in (("inputs", "inputs_s3_urls"), ("outputs", "outputs_s3_urls")):
        stored = [str(each.get("name")) for each in records if each.get(key) and not each.get(side)]
        if stored:
            yield f"the {side} of {', '.join(dict.fromkeys(stored[:8]))} are stored elsewhere ({key}): add them"


def _step(record: Mapping[str, Any]) -> Step:
    kind = _KINDS.get(str(record.get("run_type")), "chain")
    tags = [str(tag) for tag in record.get("tags") or ()]
    metadata = _metadata(record)
    outputs = _outputs(record, kind, metadata)
    error, status = _error(record)
    return Step(
        id=str(record["id"]),
        parent=_parent(record),
        kind=kind,
        name=_name(record, kind, metadata),
        inputs=_inputs(record, kind),
        outputs=outputs,
        model=_model(record, metadata) if kind == "model" else None,
        started=moment(record.get("start_time")),
        ended=moment(record.get("end_time")),
        error=error,
        status=status,
        hints=_hints(record, kind, tags, metadata, outputs),
        tags=tuple(tag for tag in tags if not tag.startswith(_FRAMEWORK_TAGS)),
        metadata=said_of(metadata),
    )


def _parent(record: Mapping[str, Any]) -> str | None:
    if record.get("parent_run_id"):
        return str(record["parent_run_id"])
    before = str(record.get("dotted_order") or "").rpartition(".")[0]
    return before.rpartition(".")[2].partition("Z")[2] or None


def _inputs(record: Mapping[str, Any], kind: RunKind | None) -> tuple[Piece, ...]:
    given = record.get("inputs")
    if kind == "model" and isinstance(given, Mapping):
        messages = given.get("messages", given.get("prompts", given.get("prompt", given)))
        return pieces(messages, ("messages",), model=True)
    found = pieces(_plain(given))
    if kind == "retriever":
        return tuple(replace(each, path=("query",)) if each.path in {(), ("input",)} else each for each in found)
    return found


def _outputs(record: Mapping[str, Any], kind: RunKind | None, metadata: Mapping[str, Any]) -> tuple[Piece, ...]:
    given = record.get("outputs")
    if kind == "model" and isinstance(given, Mapping):
        choices = given.get("choices")  # as OpenAI's client answers, which LangSmith wraps
        first = choices[0] if isinstance(choices, list) and choices else None
        value = first.get("message", first.get("text")) if isinstance(first, Mapping) else _plain(_generated(given))
        return detailed(pieces(value), _details(record, given, metadata))
    return pieces(_plain(given))


def _generated(given: Mapping[str, Any]) -> object:
    return {"generations": given["generations"]} if isinstance(given.get("generations"), list) else given


def _plain(given: object) -> object:
    """A value that LangSmith wrapped, because it stores objects only: `{"input": x}`, `{"output": y}`."""
    if isinstance(given, Mapping) and len(given) == 1 and given.keys() <= _WRAPPED:
        return next(iter(given.values()))
    return given


def _metadata(record: Mapping[str, Any]) -> dict[str, Any]:
    extra = record.get("extra")
    found = (extra.get("metadata") if isinstance(extra, Mapping) else None) or record.get("metadata")
    return dict(found) if isinstance(found, Mapping) else {}


def _model(record: Mapping[str, Any], metadata: Mapping[str, Any]) -> str | None:
    extra = record.get("extra")
    asked = extra.get("invocation_params") if isinstance(extra, Mapping) else None
    asked = asked if isinstance(asked, Mapping) else {}
    named = metadata.get("ls_model_name") or asked.get("model") or asked.get("model_name")
    return str(named) if named else None


def _details(record: Mapping[str, Any], given: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    output = given.get("llm_output")
    usage = given.get("usage_metadata") or (output.get("token_usage") if isinstance(output, Mapping) else None) or {}
    usage = usage if isinstance(usage, Mapping) else {}
    counted = {
        "prompt_tokens": record.get("prompt_tokens") or usage.get("input_tokens", usage.get("prompt_tokens")),
        "completion_tokens": record.get("completion_tokens")
        or usage.get("output_tokens", usage.get("completion_tokens")),
    }
    found: dict[str, Any] = {key: value for key, value in counted.items() if isinstance(value, int) and value}
    if provider := metadata.get("ls_provider"):
        found["provider"] = str(provider)
    return found


def _name(record: Mapping[str, Any], kind: RunKind | None, metadata: Mapping[str, Any]) -> str:
    name = str(record.get("name") or kind or "")
    if kind == "model" and (node := metadata.get("langgraph_node")):
        agent = metadata.get("lc_agent_name")
        return f"{agent}.{node}" if agent else str(node)
    return name


def _error(record: Mapping[str, Any]) -> tuple[str | None, Status]:
    given = record.get("error")
    if not given:
        return None, "error"
    text = str(given)
    first = next((line for line in text.splitlines() if line.strip()), text)[:2_000]
    if first.startswith(("GraphInterrupt", "GraphBubbleUp")):
        return first, "paused"
    return first, "cancelled" if first.startswith(("CancelledError", "GeneratorExit", "Cancelled")) else "error"


def _hints(
    record: Mapping[str, Any],
    kind: RunKind | None,
    tags: Sequence[str],
    metadata: Mapping[str, Any],
    outputs: Sequence[Piece],
) -> Hints:
    places = [int(match[1]) for tag in tags if (match := _SEQUENCE.fullmatch(tag))]
    branches = [tag.removeprefix("map:key:") for tag in tags if tag.startswith("map:key:")]
    node, name = metadata.get("langgraph_node"), str(record.get("name") or "")
    in_graph = any(tag.startswith("graph:step:") for tag in tags)
    answered = next((piece.call_id for piece in outputs if kind == "tool" and piece.call_id), None)
    return Hints(
        sequence=places[-1] if places else None,
        branch=branches[-1] if branches else None,
        channels=in_graph and node is not None and name == node,
        call_id=answered,
        unnamed=kind == "chain" and re.match(r"Runnable[A-Z]\w*(<|$)|LangGraph$", name) is not None,
    )


def _context(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    roots = [record for record in records if _parent(record) is None]
    found = said_of(_metadata(roots[0])) if roots else {}
    if roots and roots[0].get("session_name"):
        found.setdefault("project", str(roots[0]["session_name"]))
    return found
