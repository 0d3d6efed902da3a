"""What a runnable returns beside an answer that passes: text that nobody judged, and copies of a withheld answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from langchain_trail.answers import ANSWERS, answer_message, mapped, with_messages, with_summary
from langchain_trail.pieces import CALLS, REASONING, message_text
from trail_callbacks.guard import holds_text
from trail_callbacks.guard.withheld import Withheld

_TEXTS = frozenset({"text", "text-plain", "output_text", "refusal"})
_NOTES = ("annotations", "citations")
_SAID, _NAME = 2, 4  # words that are more than an id, or than the name of an agent
_BLOCK = frozenset({"type", "text", "refusal", *_NOTES})
_KNOWN = frozenset({"tool_calls", "function_call", "lc_source", "refusal"})
_PROVIDERS = frozenset({"trail", "logprobs", "headers", "ResponseMetadata"})  # of what a provider says about a call
_KEPT_METADATA = ("model_name", "model", "model_provider")
_DEEPEST = 8  # nobody keeps messages deeper


def replaced(output: Any, withheld: Withheld, summary: dict[str, Any]) -> Any:
    """Returns an output in which a message replaces the answer, or None if it has no place for one.

    Whatever else in it carries the withheld text goes too, see `Withheld`; inputs of the app and sources stay.
    """
    answer = answer_message(output)
    if answer is not None:
        marked = with_summary(_emptied(answer, withheld.message), summary)
        if output is answer:
            return marked
        blocked = {**mapped(output, answer, lambda _: marked), "trail": summary}
        return cleared(blocked, withheld, kept=(marked, summary))
    if isinstance(output, str):
        return withheld.message
    named = isinstance(output, dict) and any(isinstance(output.get(key), str) for key in ANSWERS)
    if not isinstance(output, dict) or (withheld.is_object and not named):
        return None
    rest = cleared(output, withheld)
    return None if rest is output or rest is None else {**rest, "trail": summary}


def cleared(value: Any, withheld: Withheld, kept: Sequence[object] = ()) -> Any:
    """Returns a value without what is withheld; a message that carries it is replaced whole."""
    whole = {id(each) for each in kept}

    def leaf(part: Any) -> Any:
        if id(part) in whole:
            return part
        if not isinstance(part, BaseMessage):
            return NotImplemented
        beside = [part.additional_kwargs, getattr(part, "artifact", None)]
        if not withheld.carried_by(message_text(part)) and withheld.cleared(beside) is beside:
            return _without(part, withheld)
        if isinstance(part, AIMessage):
            return _emptied(part, withheld.message)
        name = None if part.name and withheld.carried_by(part.name) else part.name
        fields: dict[str, Any] = {
            "content": withheld.message,
            "additional_kwargs": {},
            "response_metadata": {},
            "name": name,
        }
        return part.model_copy(update={**fields, **({"artifact": None} if beside[1] else {})})

    return withheld.cleared(value, leaf)


def _without(message: BaseMessage, withheld: Withheld) -> BaseMessage:
    """A message that says something else, without what it carries beside its text, such as log probabilities."""

    def said(part: Any) -> Any:  # a block or a tool call: what it asks about may stand in the answer too
        return withheld.cleared(part) if withheld.repeated_by(str(part)) else part

    about = message.response_metadata
    fields: dict[str, Any] = {
        "response_metadata": {key: each for key, each in about.items() if withheld.cleared(each) is each},
        "name": None if message.name and withheld.carried_by(message.name) else message.name,
    }
    if isinstance(message.content, list):
        fields["content"] = [each if isinstance(each, str) else said(each) for each in message.content]
    if isinstance(message, AIMessage):
        fields |= {
            name: [said(each) for each in getattr(message, name)] for name in ("tool_calls", "invalid_tool_calls")
        }
    changed = {name: value for name, value in fields.items() if value != getattr(message, name)}
    return message.model_copy(update=changed) if changed else message


def _emptied(message: AIMessage, text: str) -> AIMessage:
    """A message that keeps only id, name, model and cost of another: its log probabilities would spell it out."""
    about = {key: each for key, each in message.response_metadata.items() if key in _KEPT_METADATA}
    return AIMessage(
        text, id=message.id, name=message.name, usage_metadata=message.usage_metadata, response_metadata=about
    )


def unjudged(output: Any) -> tuple[str, ...]:
    """Returns the names of what an output says in this turn that is not judged: empty if all is, or nothing is said."""
    return tuple(dict.fromkeys(name for message in _messages(output) for name in _beside(message)))


def judged_only(output: Any, instead: str) -> Any:
    """Returns an output without what is not judged; tool calls stay.

    Args:
        output: A message, or whatever holds messages.
        instead: What the result of a tool is replaced by, where it is the last word.
    """
    turn = {id(message) for message in _messages(output)}
    return with_messages(output, lambda each: _judged_part(each, instead) if id(each) in turn else each)


def _messages(output: Any, depth: int = 0) -> Iterator[BaseMessage]:
    """What models and tools said in this turn: of a conversation, after the user's last message.

    The result of a tool counts where it is the last word: then it is what the user gets.
    """
    if isinstance(output, AIMessage):
        yield output
    elif isinstance(output, Mapping) and depth < _DEEPEST:
        for value in output.values():
            yield from _messages(value, depth + 1)
    elif isinstance(output, list | tuple) and depth < _DEEPEST:
        start = max((i + 1 for i, each in enumerate(output) if isinstance(each, HumanMessage)), default=0)
        for each in output[start:]:
            yield from _messages(each, depth + 1)
        if output and isinstance(output[-1], ToolMessage):
            yield output[-1]


def _beside(message: BaseMessage) -> Iterator[str]:
    """Names what a message says that no judge reads."""
    for block in message.content if isinstance(message.content, list) else ():
        if isinstance(block, Mapping):
            yield from _beside_text(block)
    for key, value in message.additional_kwargs.items():
        if key not in _KNOWN and holds_text(value):
            yield "reasoning" if key in REASONING else key
    yield from _metadata(message)
    if holds_text(message.name, _NAME):
        yield "name"
    if isinstance(message, ToolMessage) and message.text.strip():
        yield f"result of the tool {message.name or message.tool_call_id}"
    elif _calls(message) and message.text.strip():
        yield "text beside tool calls"


def _beside_text(block: Mapping[str, Any]) -> Iterator[str]:
    kind = str(block.get("type") or "content")
    if kind in REASONING:
        yield "reasoning"
    elif kind in _TEXTS:
        if any(block.get(name) for name in _NOTES):
            yield "annotations"
        yield from (str(name) for name, value in block.items() if name not in _BLOCK and holds_text(value, _SAID))
    elif kind not in CALLS:
        yield kind


def _metadata(message: BaseMessage) -> Iterator[str]:
    """The keys under which a provider says more than names and ids."""
    for key, value in message.response_metadata.items():
        if key not in _PROVIDERS and holds_text(value, _SAID):
            yield key


def earlier(messages: Sequence[BaseMessage]) -> list[str]:
    """Returns what a guard named in this turn on the messages before an answer."""
    said = (each.response_metadata.get("trail") for each in _messages(messages))
    return [name for summary in said if isinstance(summary, dict) for name in summary.get("unjudged", ())]


def _judged_part(message: BaseMessage, instead: str) -> BaseMessage:
    if not any(_beside(message)):
        return message
    if isinstance(message, ToolMessage):
        return message.model_copy(update={"content": instead, "artifact": None, "additional_kwargs": {}})
    keeps_text, content = not _calls(message), message.content
    if isinstance(content, str):
        content = content if keeps_text else ""
    else:
        content = [block for each in content if (block := _block(each, keeps_text)) is not None]
    extra = {key: value for key, value in message.additional_kwargs.items() if key in _KNOWN}
    named = set(_metadata(message))
    about = {key: value for key, value in message.response_metadata.items() if key not in named}
    name = None if holds_text(message.name, _NAME) else message.name
    kept = {"content": content, "additional_kwargs": extra, "response_metadata": about, "name": name}
    return message.model_copy(update=kept)


def _block(block: Any, keeps_text: bool) -> Any:
    if not isinstance(block, Mapping):
        return block if keeps_text else None
    kind = block.get("type")
    if kind in CALLS:
        return block
    if kind not in _TEXTS or not keeps_text:
        return None
    return {
        key: each for key, each in block.items() if key not in _NOTES and (key in _BLOCK or not holds_text(each, _SAID))
    }


def _calls(message: BaseMessage) -> bool:
    if not isinstance(message, AIMessage):
        return False
    return bool(message.tool_calls or message.invalid_tool_calls or message.additional_kwargs.get("function_call"))
