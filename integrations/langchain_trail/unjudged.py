"""What a model returns beside its answer, and no guard judges: reasoning, annotations, text beside tool calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from langchain_trail.pieces import CALLS, REASONING
from trail_callbacks.guard import holds_text

_TEXTS = frozenset({"text", "text-plain", "output_text", "refusal"})
_NOTES = ("annotations", "citations")
_KNOWN = frozenset({"tool_calls", "function_call", "lc_source", "refusal"})


def unjudged(message: BaseMessage) -> tuple[str, ...]:
    """Returns the names of what a message says that is not judged: empty if all is, or nothing is said."""
    names = [name for name, _ in _beside(message)]
    if isinstance(message, ToolMessage) and message.text.strip():
        names.append(f"result of the tool {message.name or message.tool_call_id}")
    elif isinstance(message, AIMessage) and _calls(message) and message.text.strip():
        names.append("text beside tool calls")
    return tuple(dict.fromkeys(names))


def judged_only(message: Any, instead: str) -> Any:
    """Returns a message without what is not judged; tool calls stay."""
    if not isinstance(message, BaseMessage) or not unjudged(message):
        return message
    if isinstance(message, ToolMessage):
        return message.model_copy(update={"content": instead, "artifact": None, "additional_kwargs": {}})
    keeps_text = not (isinstance(message, AIMessage) and _calls(message))
    content: Any = message.content
    if isinstance(content, str):
        content = content if keeps_text else ""
    else:
        content = [block for each in content if (block := _block(each, keeps_text)) is not None]
    extra = {key: value for key, value in message.additional_kwargs.items() if key in _KNOWN}
    return message.model_copy(update={"content": content, "additional_kwargs": extra})


def unjudged_of_output(output: Any) -> tuple[str, ...]:
    """As `unjudged`, of all messages of this turn in what a runnable returned."""
    return tuple(dict.fromkeys(name for message in _messages(output) for name in unjudged(message)))


def output_judged_only(output: Any, instead: str) -> Any:
    """As `judged_only`, of all messages of this turn in what a runnable returned."""
    turn = {id(message) for message in _messages(output)}

    def changed(value: Any) -> Any:
        if id(value) in turn:
            return judged_only(value, instead)
        if isinstance(value, list | tuple) and type(value) in {list, tuple}:
            return type(value)(map(changed, value))
        return type(value)((key, changed(each)) for key, each in value.items()) if isinstance(value, dict) else value

    return changed(output) if turn else output


def _messages(output: Any, depth: int = 0) -> Iterator[BaseMessage]:
    """What models and tools said in this turn: of a conversation, after the user's last message.

    The result of a tool counts where it is the last word: then it is what the user gets.
    """
    if isinstance(output, AIMessage):
        yield output
    elif isinstance(output, Mapping) and depth < 8:  # noqa: PLR2004 - deeper nobody keeps messages
        for value in output.values():
            yield from _messages(value, depth + 1)
    elif isinstance(output, list | tuple) and depth < 8:  # noqa: PLR2004 - as above
        start = max((i + 1 for i, each in enumerate(output) if isinstance(each, HumanMessage)), default=0)
        for each in output[start:]:
            yield from _messages(each, depth + 1)
        if output and isinstance(output[-1], ToolMessage):
            yield output[-1]


def _beside(message: BaseMessage) -> Iterator[tuple[str, Any]]:
    for block in message.content if isinstance(message.content, list) else ():
        if isinstance(block, Mapping):
            kind = str(block.get("type") or "content")
            if kind in REASONING:
                yield "reasoning", block
            elif kind not in _TEXTS and kind not in CALLS:
                yield kind, block
            elif any(block.get(name) for name in _NOTES):
                yield "annotations", block
    for key, value in message.additional_kwargs.items():
        if key not in _KNOWN and holds_text(value):
            yield ("reasoning" if key in REASONING else key), value


def _block(block: Any, keeps_text: bool) -> Any:
    if not isinstance(block, Mapping):
        return block if keeps_text else None
    kind = block.get("type")
    if kind in CALLS:
        return block
    if kind not in _TEXTS or not keeps_text:
        return None
    return {key: value for key, value in block.items() if key not in _NOTES}


def _calls(message: AIMessage) -> bool:
    return bool(message.tool_calls or message.invalid_tool_calls or message.additional_kwargs.get("function_call"))
