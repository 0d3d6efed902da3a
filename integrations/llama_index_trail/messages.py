"""Chat messages, replies of models and retrieved nodes, as texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Real
from typing import Any, NamedTuple

from llama_index_trail.records import Path, Raw, by_class, field_of
from trail_callbacks.capture.events import LEFT
from trail_callbacks.capture.payloads import contained
from trail_callbacks.graph import Origin

_HISTORY = {LEFT: "the history"}  # a message that nothing in the run wrote is of before
_TURN = re.compile(r"^[ \t]*(system|user|assistant|tool|function): ", re.MULTILINE)


def message(value: Any, path: Path) -> Raw:
    """Reads a chat message; tool calls are shown in its text."""
    if isinstance(value, str):
        return Raw(value, path, "message", role="user")
    role = getattr(value, "role", None)
    role = str(getattr(role, "value", role) or "user")
    extra = getattr(value, "additional_kwargs", None) or {}
    text = message_text(value)
    if role in ("assistant", "chatbot", "model"):
        shown = [f"{name}({_json(arguments)})" for _, name, arguments in calls_of(value)]
        text = "\n".join([line for line in (text,) if line] + shown)
        return Raw(text, path, "message", role="assistant", attributes=_HISTORY)
    if role in ("tool", "function"):
        call_id = extra.get("tool_call_id") or _call_id_of_blocks(value)
        call = str(call_id) if call_id else None
        return Raw(text, path, "message", role="tool", call_id=call, attributes=_HISTORY)
    return Raw(text, path, "message", role="system" if role in ("system", "developer") else "user")


def turns(prompt: str, message: str) -> list[Raw]:
    """Lists the turns of a conversation that LlamaIndex wrote into one text, for a model that takes no messages."""
    starts = list(_TURN.finditer(prompt))
    if not starts:
        return []
    ends = [turn.start() for turn in starts[1:]] + [_before(message, prompt, starts[-1].end())]
    parts = [(turn[1], prompt[turn.end() : end].strip()) for turn, end in zip(starts, ends, strict=True)]
    return [
        Raw(text, ("history", i), "message", role="assistant", attributes=_HISTORY)
        if role == "assistant"
        else Raw(text, ("history", i), origin="user")
        for i, (role, text) in enumerate(parts)
        if text and role in ("user", "assistant")
    ]


def with_authors(prompt: Sequence[Raw], summaries: AbstractSet[str]) -> list[Raw]:
    """Marks who wrote the messages of a chat: the user those that were replied to, a model the summaries."""
    last = max((i for i, raw in enumerate(prompt) if raw.role == "assistant"), default=0)
    marked = []
    for i, raw in enumerate(prompt):
        if raw.role == "user" and i < last:
            marked.append(raw._replace(origin="user"))
        elif raw.role == "system" and raw.text.strip() in summaries:
            marked.append(raw._replace(origin="model"))
        else:
            marked.append(raw)
    return marked


def _before(message: str, prompt: str, start: int) -> int:
    at = prompt.find(message, start) if message else -1
    if at <= start:
        return len(prompt)
    line = prompt.rfind("\n", start, at) + 1
    if line and not prompt[line:at].strip():  # the heading is a line of its own
        line = prompt.rfind("\n", start, len(prompt[:line].rstrip())) + 1
    return max(line, start)


def reply(response: object, model: object = None, attributes: Mapping[str, Any] | None = None) -> list[Raw]:
    """Lists what a model wrote: a message that shows its tool calls, then the calls."""
    values = getattr(response, "__dict__", {})  # asking a pydantic object for what it lacks is slow
    written = values.get("message")
    if written is None:
        text = values.get("text")
        if not isinstance(text, str):
            text = response if isinstance(response, str) else other_text(response)
        return [Raw(text, ("text",), attributes=attributes)]
    calls = calls_of(written, model, response)
    shown = [f"{name}({_json(arguments)})" for _, name, arguments in calls]
    text = "\n".join([line for line in (message_text(written),) if line] + shown)
    pieces = [Raw(text, ("message",), "message", role="assistant", attributes=attributes)]
    for i, (call_id, _, _) in enumerate(calls):
        pieces.append(Raw(shown[i], ("message", "tool_calls", i), "tool_call", call_id=call_id))
    return pieces


def joined(chunks: Sequence[Any]) -> str:
    """Returns the text of a stream; a structured one repeats the whole object as it grows."""
    if all(isinstance(chunk, str) for chunk in chunks):
        return "".join(chunks)
    if all(isinstance(getattr(chunk, "delta", None), str) for chunk in chunks):
        return "".join(chunk.delta for chunk in chunks)
    return reply(chunks[-1])[0].text


def refusal(value: Any) -> str:
    """Returns what a provider lets a model say in place of an answer; empty if it says none."""
    refused = (getattr(value, "additional_kwargs", None) or {}).get("refusal")
    return refused if isinstance(refused, str) else ""


def message_text(value: Any) -> str:
    """Returns the text of a message; a refusal is text, other content becomes a short marker."""
    blocks, refused = getattr(value, "blocks", None), refusal(value)
    if (
        not refused
        and isinstance(blocks, list)
        and len(blocks) == 1
        and isinstance(text := getattr(blocks[0], "text", None), str)
    ):
        return text
    lines = [text for text in (value.content, refused) if text]
    for block in blocks if isinstance(blocks, list) else ():
        kind = getattr(block, "block_type", "text")
        if kind not in ("text", "tool_call", "thinking"):
            lines.append(f"[{kind}]")
    return "\n".join(lines)


def calls_of(value: Any, model: Any = None, response: object = None) -> list[tuple[str | None, str, object]]:
    """Lists the tool calls of a message: id, name, arguments."""
    blocks = getattr(value, "blocks", None) or ()
    calls = [
        (block.tool_call_id, str(block.tool_name), block.tool_kwargs)
        for block in blocks
        if getattr(block, "block_type", None) == "tool_call"
    ]
    raw = (getattr(value, "additional_kwargs", None) or {}).get("tool_calls")
    if calls or not raw:
        return calls
    read = getattr(model, "get_tool_calls_from_response", None)
    if read is not None and response is not None:  # each provider has its own format, which the model knows
        selections = read(response, error_on_no_tool_call=False)
        return [(call.tool_id, call.tool_name, call.tool_kwargs) for call in selections]
    return [call for each in raw if (call := _provider_call(each)) is not None]


def _provider_call(each: Any) -> tuple[str | None, str, object] | None:
    """Reads a call in the shape of the OpenAI API, as object or dictionary, or as a pair of name and arguments."""
    if isinstance(each, list | tuple) and len(each) == 2:  # noqa: PLR2004 - name, arguments
        return None, str(each[0]), each[1]
    function = field_of(each, "function") or each
    name = field_of(function, "name")
    arguments = field_of(function, "arguments") or field_of(function, "args") or field_of(function, "input")
    return (field_of(each, "id"), str(name), arguments) if name else None


def _call_id_of_blocks(value: Any) -> str | None:
    return next((b.tool_call_id for b in getattr(value, "blocks", ()) if hasattr(b, "tool_call_id")), None)


def _json(arguments: object) -> str:
    """Arguments as JSON in one spelling: providers differ in spaces and in how they write letters beyond ASCII."""
    value = arguments
    if isinstance(arguments, str):
        try:
            value = json.loads(arguments)
        except ValueError:
            return arguments
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError):  # odd keys, cycles
        return str(arguments)


def other_text(value: object) -> str:
    """Returns the text for a value that is not a text: a structured answer is its JSON."""
    if value is None or isinstance(value, dict | list):
        return _json(value) if value is not None else ""
    dump: Callable[[], str] | None = getattr(value, "model_dump_json", None)
    return dump() if dump is not None else str(value)


_SOURCE = "1"  # the key of a node's document: an enum of strings, which need not be imported
_SUB_ANSWER = re.compile(r"\s*Sub question: .*?\nResponse: ", re.DOTALL)
_RENDERED = ("text", "metadata_template", "metadata_separator", "text_template")  # texts that rendering needs


class _Copy(NamedTuple):
    """What is known of a node besides its text."""

    rank: int
    score: object
    kind: type
    document: str | None = None
    node: Any = None

    def read(self, raw: Raw) -> Raw:
        """Returns the node as a model sees it."""
        text, metadata = raw.text, {}
        if self.node is not None:
            metadata = self.node.metadata
            text = str(self.node.get_content(metadata_mode="llm"))  # an enum of strings, which need not be imported
        attributes = {
            **_attributes(self.rank, self.score, self.kind, self.document, metadata),
            **(raw.attributes or {}),
        }
        origin = raw.origin or _origin(text, raw.text, metadata)
        return raw._replace(text=text, origin=origin, attributes=attributes, late=None)


def documents(nodes: Sequence[Any], path: Path) -> list[Raw]:
    """Lists retrieved nodes; the rank is their position."""
    found: list[Raw] = []
    for i, node in enumerate(nodes):
        try:
            found.append(snapshot(node, (*path, i), i))
        except BaseException as error:  # noqa: BLE001 - metadata that cannot be read, say; there are other nodes
            contained(error)
            found.append(Raw(f"[unreadable {type(node).__name__}]", (*path, i), "document"))
    return found


def snapshot(value: Any, path: Path, rank: int) -> Raw:
    """Copies what a node, with or without a score, shows now."""
    fields = value.__dict__  # asking pydantic for what it lacks is slow
    node, score = fields.get("node", value), fields.get("score")
    own = node.__dict__
    text, metadata = own.get("text"), own.get("metadata")
    if not isinstance(text, str) or not _is_plain(type(node)) or not all(map(_is_fixed, metadata.values())):
        return _rendered(node, path, rank, score)
    copy = _copied(node, own) if metadata else None
    return Raw(text, path, "document", own["id_"], late=_Copy(rank, score, type(node), _document(own), copy))


def _copied(node: Any, fields: Mapping[str, Any]) -> Any:
    """A node with what rendering needs and nothing else: relationships and embeddings would be kept alive for long."""
    copy = object.__new__(type(node))
    kept: dict[str, Any] = {name: fields[name] for name in _RENDERED}
    kept["metadata"] = dict(fields["metadata"])
    kept["excluded_llm_metadata_keys"] = list(fields["excluded_llm_metadata_keys"])
    object.__setattr__(copy, "__dict__", kept)
    return copy


def _is_fixed(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)


def _rendered(node: Any, path: Path, rank: int, score: object) -> Raw:
    """A node of another class, or with other metadata: it may render itself from anything, which may change."""
    metadata = getattr(node, "metadata", None) or {}
    body = getattr(node, "text", None)
    text = str(node.get_content(metadata_mode="llm"))
    attributes = _attributes(rank, score, type(node), _document(getattr(node, "__dict__", {})), metadata)
    return Raw(text, path, "document", node.node_id, origin=_origin(text, body, metadata), attributes=attributes)


def _document(fields: Mapping[str, Any]) -> str | None:
    """The document that a node was cut from, from its fields: its own property is slower."""
    related = fields.get("relationships")
    source = related.get(_SOURCE) if related else None
    known = getattr(source, "node_id", None)
    return known if isinstance(known, str) else None


def _attributes(
    rank: int, score: object, kind: type, document: str | None, metadata: Mapping[Any, Any]
) -> dict[str, Any]:
    attributes: dict[str, Any] = {"rank": rank}
    if isinstance(score, Real):
        attributes["score"] = float(score)
    if document is not None:
        attributes["ref_doc_id"] = document
    if kind.__name__.startswith("Image"):
        attributes["modality"] = "image"
    attributes.update((k, v) for k, v in metadata.items() if isinstance(v, str | int | float))
    return attributes


@by_class
def _is_plain(kind: type) -> bool:
    """True for a class of LlamaIndex that renders its text and metadata in LlamaIndex's own way."""
    own = next((base for base in kind.__mro__ if base.__name__ == "TextNode"), None)
    methods = ("get_content", "get_metadata_str", "__getattribute__")
    known = own is not None and own.__module__ == "llama_index.core.schema"
    return known and all(getattr(kind, name) is getattr(own, name) for name in methods)


def _origin(text: str, body: object, metadata: Mapping[Any, Any]) -> Origin | None:
    """Who wrote a node, if it tells: a model an answer to a sub-question; a window was indexed with its sentence."""
    if _SUB_ANSWER.match(text):
        return "model"
    return "retrieved" if any(isinstance(value, str) and value == body for value in metadata.values()) else None
