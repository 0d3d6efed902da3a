"""OpenInference attributes to steps: what the instrumentors of LangChain and LlamaIndex write, and Phoenix keeps."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from trail_callbacks.capture.events import Hints, Piece, RunKind
from trail_callbacks.capture.payloads import exact_text
from trail_callbacks.importing.llama_index import is_passing, nodes_in, not_printed, said, without_settings
from trail_callbacks.importing.otlp import OtlpSpan
from trail_callbacks.importing.pieces import REDACTED, document, first_of, object_of, pieces, text_of
from trail_callbacks.importing.steps import Sides, Step, kind_of, step_made

KIND = "openinference.span.kind"
"""The attribute that says that a span is written in this dialect."""

_DEEPEST = 12  # parts of a key
_SPEAKER = re.compile(r"\Aassistant:\s*")
"""What LlamaIndex prints before the text of a message."""


def step(span: OtlpSpan) -> Step:
    """Makes the step of a span."""
    known = span.attributes
    named = str(known.get(KIND) or _named(known))
    kind = kind_of(named, span.name)
    if "llama_index" in span.scope and (
        is_passing(span.name, kind, known.get("input.value")) or known.get("tool.name") == "handoff"
    ):
        kind = None
    metadata = object_of(known.get("metadata"))
    inputs, outputs = _sides(span, kind)
    template = object_of(known.get("llm.prompt_template.variables"))
    variables = tuple(template) if kind == "prompt" else ()
    if len(outputs or ()) != 1:  # of several messages only the first one's are written
        variables = ()
    if inputs and len(variables) == len(inputs) == 1 and not inputs[0].path:  # an object, shown as its one text
        inputs = (replace(inputs[0], path=variables),)
    return step_made(
        span,
        kind,
        (inputs, outputs),
        named=named,
        name=str(known.get("tool.name") or span.name) if kind == "tool" else span.name,
        model=first_of(known, "llm.model_name") or metadata.get("ls_model_name"),
        details={
            "prompt_tokens": known.get("llm.token_count.prompt"),
            "completion_tokens": known.get("llm.token_count.completion"),
            "provider": known.get("llm.provider"),
        },
        metadata=metadata,
        tags=text_of(known.get("tag.tags")),
        hints=Hints(variables=variables or None),
        variables=template if kind == "model" else None,
    )


def _named(known: Mapping[str, Any]) -> str:
    """The kind of a span that lost it, by what only spans of one kind have."""
    keys = " ".join(known)
    found = {"llm.output_messages.": "LLM", "llm.prompts": "LLM", "llm.model_name": "LLM", "tool.name": "TOOL"}
    return next((kind for key, kind in found.items() if key in keys), "RETRIEVER" if "retrieval." in keys else "CHAIN")


def _sides(span: OtlpSpan, kind: RunKind | None) -> Sides:
    inputs, outputs = _pieces(span, kind)
    return tuple(  # type: ignore[return-value] # two
        each or (None if f"{side}.value" not in span.attributes else ())
        for side, each in (("input", inputs), ("output", outputs))
    )


def _pieces(span: OtlpSpan, kind: RunKind | None) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    known = span.attributes
    given, returned = _payload(span, "input"), _payload(span, "output")
    if kind == "model":
        return _prompt(known, given), _written(known, returned)
    if "reranker.output_documents." in " ".join(known):
        before, after = (_documents(known, f"reranker.{side}_documents") for side in ("input", "output"))
        return pieces(known.get("reranker.query"), ("query",)) + before, after
    of_llama_index = "llama_index" in span.scope
    if of_llama_index:
        given = without_settings(given)
    inputs = pieces(given, ("query",) if kind == "retriever" and isinstance(given, str) else ())
    outputs = pieces(returned)
    if kind == "retriever":
        return inputs, _identified(_documents(known, "retrieval.documents"), outputs)
    if kind == "chain" and of_llama_index:
        inputs, outputs = not_printed(inputs), not_printed(outputs)
        if span.name.endswith("postprocess_nodes"):
            return (*inputs, *nodes_in(known.get("input.value"))), nodes_in(known.get("output.value"))
    elif kind == "chain" and "langchain" in span.scope:
        outputs = _own_json(known.get("output.value"), outputs)
    return inputs, outputs or said(known.get("output.value"))


def _prompt(known: Mapping[str, Any], given: object) -> tuple[Piece, ...]:
    """What a model read: LangChain's own messages have ids, those of OpenInference do not."""
    own = tuple(each for each in pieces(given, model=True) if each.form == "message")
    messages = listed(known, "llm.input_messages", "message")
    if own and len(own) >= len(messages):
        return own
    if messages:
        return pieces(messages, ("messages",), model=True)
    prompts = known.get("llm.prompts") or [first_of(each, "text") for each in listed(known, "llm.prompts", "prompt")]
    return pieces(prompts, ("prompt",), model=True) or pieces(given, ("prompt",), model=True)


def _written(known: Mapping[str, Any], returned: object) -> tuple[Piece, ...]:
    own = pieces(returned)
    if any(each.form in {"message", "tool_call"} for each in own):
        return own
    found = pieces(listed(known, "llm.output_messages", "message"), ("messages",))
    own = tuple(replace(each, text=_SPEAKER.sub("", each.text)) for each in own)
    empty = bool(found) and not any(each.text for each in own)
    return found if empty or any(each.text.strip() for each in found) else own


def _own_json(value: object, read: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The JSON text that the app itself made, if its form shows that: the instrumentor writes objects in one form."""
    found = text_of(value)
    own = isinstance(value, str) and found is not value and json.dumps(found, ensure_ascii=False) != value
    return (Piece(text=exact_text(value)),) if own and {each.form for each in read} == {"text"} else read


def _payload(span: OtlpSpan, side: str) -> Any:
    """The value of one side: text, or what its JSON holds; None if it is hidden or cut off."""
    known = span.attributes
    value = known.get(f"{side}.value")
    if value == REDACTED:
        return None
    # These instrumentors say of all JSON that it is: where they do not, the type of a value was lost.
    if str(known.get(f"{side}.mime_type") or "").endswith("json") or span.scope.endswith(("langchain", "llama_index")):
        return text_of(value)
    return value


def _documents(known: Mapping[str, Any], prefix: str) -> tuple[Piece, ...]:
    found = enumerate(listed(known, prefix, "document"))
    return tuple(document(each, ("documents", i), first_of(each, "content")) for i, each in found)


def _identified(found: Sequence[Piece], written: Sequence[Piece]) -> tuple[Piece, ...]:
    """The listed documents with the ids that only the output of LangChain's retriever has, and those it alone has."""
    written = [piece for piece in written if piece.form == "document"]
    if len(written) > len(found):
        return tuple(written)
    ids: dict[str, list[str | None]] = defaultdict(list)
    for piece in written:
        ids[piece.text].append(piece.id)
    return tuple(
        replace(piece, id=ids[piece.text].pop(0)) if piece.id is None and ids[piece.text] else piece for piece in found
    )


def listed(known: Mapping[str, Any], prefix: str, wrapped: str) -> list[dict[str, Any]]:
    """Returns the items of a list that is written with an index in each key, in the order of the numbers, unwrapped."""
    items: dict[int, dict[str, Any]] = defaultdict(dict)
    for key, value in known.items():
        index, _, rest = key.removeprefix(f"{prefix}.").partition(".")
        if key.startswith(f"{prefix}.") and index.isdecimal() and rest:
            *path, last = rest.split(".", _DEEPEST)
            into: Any = items[int(index)]
            for part in path:
                into = into.setdefault(part, {}) if isinstance(into, dict) else None
            if isinstance(into, dict):
                into[last] = value
    found = [_as_lists(items[i]) for i in sorted(items)]
    return [cast("dict[str, Any]", each[wrapped] if isinstance(each.get(wrapped), dict) else each) for each in found]


def _as_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    inside = {key: _as_lists(each) for key, each in value.items()}
    if inside and all(key.isdecimal() for key in inside):
        return [inside[key] for key in sorted(inside, key=int)]
    return inside
