"""OpenInference attributes to steps: what the instrumentors of LangChain and LlamaIndex write, and Phoenix keeps."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from trail_callbacks.capture.events import Hints, Piece, RunKind
from trail_callbacks.capture.payloads import exact_text
from trail_callbacks.importing.llama_index import is_passing, lost_with, not_printed, said, without_settings
from trail_callbacks.importing.messages import REDACTED, parsed, text_of
from trail_callbacks.importing.otlp import OtlpSpan
from trail_callbacks.importing.pieces import Step, detailed, document, pieces, said_of, step_of

__all__ = ["KIND", "gaps_in", "step"]

KIND = "openinference.span.kind"
"""The attribute that says that a span is written in this dialect."""

_KINDS: dict[str, RunKind | None] = {
    "CHAIN": "chain",
    "AGENT": "chain",
    "RERANKER": "chain",
    "UNKNOWN": "chain",
    "GUARDRAIL": "chain",
    "EVALUATOR": "chain",
    "RETRIEVER": "retriever",
    "LLM": "model",
    "PROMPT": "prompt",
    "TOOL": "tool",
    "EMBEDDING": None,
}
_DEEPEST = 12  # parts of a key
_JUDGING = frozenset({"GUARDRAIL", "EVALUATOR"})
_INDEXED = re.compile(r"retrieval\.documents\.(\d+)\.")
_SPEAKER = re.compile(r"\w+:\s*")
"""What LlamaIndex prints of a message without a text."""


def step(span: OtlpSpan) -> Step:
    """Makes the step of a span."""
    known = span.attributes
    named = str(known.get(KIND) or "").upper()
    kind = _KINDS.get(named, "chain")
    if "llama_index" in span.scope and (
        is_passing(span.name, kind, known.get("input.value")) or known.get("tool.name") == "handoff"
    ):
        kind = None
    metadata = _object(known.get("metadata"))
    inputs, outputs = _sides(span, kind)
    answered = next((piece.call_id for piece in outputs if kind == "tool" and piece.call_id), None)
    node = metadata.get("langgraph_node")
    variables = _variables(known, outputs) if kind == "prompt" else None
    if variables and len(variables) == len(inputs) == 1 and not inputs[0].path:  # an object, shown as its one text
        inputs = (replace(inputs[0], path=variables),)
    return step_of(
        span,
        kind,
        _name(span, kind, metadata),
        _model(known),
        inputs=inputs,
        outputs=outputs,
        hints=Hints(
            variables=variables,
            call_id=answered,
            channels=kind == "chain" and node is not None and span.name == node,
            internal=named in _JUDGING,
            unnamed=kind == "chain" and re.match(r"Runnable[A-Z]\w*(<|$)|LangGraph$", span.name) is not None,
        ),
        tags=tuple(
            tag for tag in map(str, _list(known.get("tag.tags"))) if not tag.startswith(("seq:", "map:", "graph:"))
        ),
        metadata=said_of(metadata),
    )


def gaps_in(spans: Sequence[OtlpSpan]) -> Iterator[str]:
    """Yields what the spans of a trace are known to lack."""
    hidden = [span.name for span in spans if REDACTED in span.attributes.values()]
    if hidden:
        yield f"texts of {', '.join(dict.fromkeys(hidden[:8]))} were hidden when they were recorded ({REDACTED})"
    broken = [span.name for span in spans if any(_is_cut(span, side) for side in ("input", "output"))]
    if broken:
        yield f"the recorded JSON of {', '.join(dict.fromkeys(broken[:8]))} is cut off: its texts are missing"
    yield from lost_with(span for span in spans if "llama_index" in span.scope)
    for span in spans:
        found = {int(match[1]) for key in span.attributes if (match := _INDEXED.match(key))}
        missing = max(found, default=-1) + 1 - len(found)
        if missing:
            yield f"{missing} documents of {span.name} are not in the file"


def _sides(span: OtlpSpan, kind: RunKind | None) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    known = span.attributes
    if kind == "model":
        return _prompt(known), _written(known)
    if known.get(KIND) == "RERANKER":
        query = pieces(known.get("reranker.query"), ("query",))
        before, after = (_documents(known, f"reranker.{side}_documents") for side in ("input", "output"))
        return query + before, after
    given = _payload(known, "input")
    if "llama_index" in span.scope:
        given = without_settings(given)
    inputs = pieces(given, _path(given, kind))
    outputs = pieces(_payload(known, "output"))
    if kind == "chain" and "langchain" in span.scope and {each.form for each in outputs} == {"text"}:
        outputs = _own_json(known["output.value"]) or outputs
    if "llama_index" in span.scope and kind == "chain":
        inputs, outputs = not_printed(inputs), not_printed(outputs)
    if kind == "retriever":
        listed = _documents(known, "retrieval.documents")
        return inputs, _identified(listed, outputs) or tuple(each for each in outputs if each.form == "document")
    return inputs, outputs or said(known.get("output.value"))


def _variables(known: Mapping[str, Any], outputs: Sequence[Piece]) -> tuple[str, ...] | None:
    """The variables of a prompt, if it is one message: of several only the first one's are written."""
    named = _object(known.get("llm.prompt_template.variables"))
    return tuple(named) if named and len(outputs) == 1 else None


def _path(given: object, kind: RunKind | None) -> tuple[str | int, ...]:
    return ("query",) if kind == "retriever" and isinstance(given, str) else ()


def _prompt(known: Mapping[str, Any]) -> tuple[Piece, ...]:
    """What a model read: LangChain's own messages have ids, those of OpenInference do not."""
    own = tuple(each for each in pieces(_payload(known, "input"), model=True) if each.form == "message")
    listed = _unflattened(known, "llm.input_messages")
    if own and len(own) >= len(listed):
        return own
    if listed:
        return pieces([each.get("message", each) for each in listed], ("messages",), model=True)
    prompts = known.get("llm.prompts") or [_text(each) for each in _unflattened(known, "llm.prompts")]
    found = pieces(prompts, ("prompt",), model=True)
    return found or pieces(_payload(known, "input"), ("prompt",), model=True)


def _written(known: Mapping[str, Any]) -> tuple[Piece, ...]:
    own = pieces(_payload(known, "output"))
    if not any(each.form in {"message", "tool_call"} for each in own):
        listed = _unflattened(known, "llm.output_messages")
        found = pieces([each.get("message", each) for each in listed], ("messages",))
        empty = bool(listed) and all(_SPEAKER.fullmatch(each.text) for each in own)
        own = found if empty or any(each.text.strip() for each in found) else own
    return detailed(own, _details(known))


def _own_json(value: object) -> tuple[Piece, ...]:
    """The JSON text that the app itself made, if its form shows that: the instrumentor writes objects in one form."""
    found = text_of(value)
    own = isinstance(value, str) and found is not value and json.dumps(found, ensure_ascii=False) != value
    return (Piece(text=exact_text(value)),) if own else ()


def _details(known: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, key in (("prompt_tokens", "llm.token_count.prompt"), ("completion_tokens", "llm.token_count.completion")):
        if isinstance(count := known.get(key), int | float):
            found[name] = int(count)
    if provider := known.get("llm.provider"):
        found["provider"] = str(provider)
    return found


def _model(known: Mapping[str, Any]) -> str | None:
    named = known.get("llm.model_name") or _object(known.get("metadata")).get("ls_model_name")
    return str(named) if named else None


def _name(span: OtlpSpan, kind: RunKind | None, metadata: Mapping[str, Any]) -> str:
    """The name that the user knows: of a model in a graph the node, of a tool its own."""
    if kind == "tool":
        return str(span.attributes.get("tool.name") or span.name)
    if kind == "model" and (node := metadata.get("langgraph_node")):
        agent = metadata.get("lc_agent_name")
        return f"{agent}.{node}" if agent else str(node)
    return span.name


def _payload(known: Mapping[str, Any], side: str) -> Any:
    """The value of one side: text, or what its JSON holds; None if it is hidden or its JSON is cut off."""
    value = known.get(f"{side}.value")
    if value == REDACTED:
        return None
    if str(known.get(f"{side}.mime_type") or "").endswith("json"):
        try:
            return parsed(value)
        except ValueError:
            return None
    return value


def _is_cut(span: OtlpSpan, side: str) -> bool:
    value = span.attributes.get(f"{side}.value")
    if not isinstance(value, str) or not str(span.attributes.get(f"{side}.mime_type") or "").endswith("json"):
        return False
    try:
        parsed(value)
    except ValueError:
        return value != REDACTED
    return False


def _documents(known: Mapping[str, Any], prefix: str) -> tuple[Piece, ...]:
    found = []
    for i, item in enumerate(_unflattened(known, prefix)):
        inside = item.get("document")
        fields = inside if isinstance(inside, Mapping) else item
        found.append(
            document(
                fields.get("content"),
                fields.get("metadata"),
                ("documents", i),
                id_=fields.get("id"),
                score=fields.get("score"),
            )
        )
    return tuple(found)


def _identified(listed: Sequence[Piece], written: Sequence[Piece]) -> tuple[Piece, ...]:
    """The listed documents with the ids that only the output of LangChain's retriever has, and those it alone has."""
    ids = defaultdict(list)
    for piece in written:
        if piece.form == "document":
            ids[piece.text].append(piece)
    if sum(map(len, ids.values())) > len(listed):
        return tuple(piece for piece in written if piece.form == "document")
    return tuple(
        replace(piece, id=ids[piece.text].pop(0).id) if piece.id is None and ids.get(piece.text) else piece
        for piece in listed
    )


def _unflattened(known: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """The items of a list that is written with an index in each key, in the order of the numbers."""
    items: dict[int, dict[str, Any]] = defaultdict(dict)
    for key, value in known.items():
        if key.startswith(f"{prefix}."):
            index, _, rest = key[len(prefix) + 1 :].partition(".")
            if index.isdecimal() and rest:
                _put(items[int(index)], rest.split(".", _DEEPEST), value)
    return [cast("dict[str, Any]", _as_lists(items[i])) for i in sorted(items)]


def _put(into: dict[str, Any], path: Sequence[str], value: object) -> None:
    for part in path[:-1]:
        inside = into.setdefault(part, {})
        if not isinstance(inside, dict):
            return
        into = inside
    into[path[-1]] = value


def _as_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    inside = {key: _as_lists(each) for key, each in value.items()}
    if inside and all(key.isdecimal() for key in inside):
        return [inside[key] for key in sorted(inside, key=int)]
    return inside


def _text(item: Mapping[str, Any]) -> object:
    inside = item.get("prompt")
    return inside.get("text") if isinstance(inside, Mapping) else item.get("text")


def _object(value: object) -> dict[str, Any]:
    found = text_of(value)
    return found if isinstance(found, dict) else {}


def _list(value: object) -> list[Any]:
    found = text_of(value)
    return found if isinstance(found, list) else []
