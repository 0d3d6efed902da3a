"""The app's own chat model: as a judge's model, and asked once more what it was asked in a recorded run."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from langchain_trail.convert import INTERNAL
from langchain_trail.handler import untraced
from langchain_trail.pieces import message_text
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Call, Failure, Model, Reply, Usage
from trail_callbacks.models.chat import AppModel, parsed_reply, stop_failure, with_schema

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.runnables import Runnable, RunnableConfig

    from trail_callbacks.diagnosis import Replay

_KINDS: dict[str, type[BaseMessage]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}


def as_model(chat_model: BaseChatModel) -> Model:
    """Makes a chat model of the app usable as a judge's model: `TrailCallbackHandler(judge=as_model(chat))`.

    Structured output is used where the model has it; else the schema is part of the prompt. The model's own settings
    stay as they are. Its calls as a judge reach no callback of the app, no trace of ours and no token stream.

    Args:
        chat_model: Any LangChain chat model.

    Raises:
        InputError: If it is no chat model.
    """
    if not hasattr(chat_model, "with_structured_output") or not hasattr(chat_model, "ainvoke"):
        raise InputError(f"as_model() takes a LangChain chat model, got {type(chat_model).__name__}")
    return _ChatModel(chat_model)


class _ChatModel(AppModel):
    """A `Model` that asks a chat model."""

    def __init__(self, chat_model: BaseChatModel) -> None:
        self._chat = chat_model
        self._plain = False
        self._unique = uuid4().hex

    @property
    def name(self) -> str:
        """Provider and model, as LangChain reports them to tracers."""
        params = getattr(self._chat, "_get_ls_params", None)
        known: dict[str, Any] = dict(params()) if params is not None else {}
        model = known.get("ls_model_name") or type(self._chat).__name__
        return "/".join(str(part) for part in (known.get("ls_provider"), model) if part)

    @property
    def parameters(self) -> dict[str, str]:
        """What may change an answer: the key of LangChain's own cache, without secrets; if it has none, its own."""
        key = getattr(self._chat, "_get_llm_string", None)
        try:
            return {"settings": str(key()) if callable(key) else self._unique}
        except Exception:  # noqa: BLE001 - a model that cannot be described shares no answers with others
            return {"settings": self._unique}

    def _asked(self, call: Call) -> Reply:
        model, messages = self._prepared(call)
        with untraced():
            return _read(call, model.invoke(messages, _config(call)))

    async def _aasked(self, call: Call) -> Reply:
        model, messages = self._prepared(call)
        with untraced():
            return _read(call, await model.ainvoke(messages, _config(call)))

    def _prepared(self, call: Call) -> tuple[Runnable[Any, Any], list[BaseMessage]]:
        structured = self._structured_for(call.schema)
        prompt = with_schema(call) if structured is None else call.messages
        return structured or self._chat, [_KINDS[message.role](message.content) for message in prompt]

    def _structured_for(self, schema: type[BaseModel]) -> Runnable[Any, Any] | None:
        """The model with structured output, or None. Not kept: a judge may make a schema for one call."""
        if self._plain:
            return None
        try:
            return self._chat.with_structured_output(schema, include_raw=True)
        except NotImplementedError:  # the model cannot; LangChain says so when asked, not before
            self._plain = True
            return None


def _config(call: Call) -> RunnableConfig:
    return {
        "callbacks": [],
        "tags": ["nostream"],  # else a graph that streams messages streams the judge's too
        "metadata": {INTERNAL: True},
        "run_name": f"trail_{call.purpose}",
    }


def _read(call: Call, answer: object) -> Reply:
    """Reads what came back: with structured output a dictionary of raw message, parsed value and parsing error."""
    both = cast("dict[str, Any]", answer) if isinstance(answer, dict) else {"raw": answer, "parsed": None}
    raw = both.get("raw")
    usage, text = Usage(calls=1), None
    if isinstance(raw, BaseMessage):
        usage, text = _usage(raw), _written(raw)
        if (failure := _stopped(raw)) is not None:
            return Reply(failure=failure, text=text, usage=usage)
    return parsed_reply(call, text, usage, both.get("parsed"))


def _written(raw: BaseMessage) -> str:
    """What the model wrote as its answer: the arguments of its calls, where the schema was offered as a tool."""
    if isinstance(raw, AIMessage) and raw.tool_calls:
        return json.dumps(raw.tool_calls[0]["args"], ensure_ascii=False, default=str)
    if isinstance(raw, AIMessage) and raw.invalid_tool_calls:
        return raw.invalid_tool_calls[0].get("args") or ""
    return message_text(raw)


def _stopped(raw: BaseMessage) -> Failure | None:
    """Why the model stopped, if not because it was done."""
    refusal = raw.additional_kwargs.get("refusal")
    if not refusal and isinstance(raw.content, list):
        refusal = next((b["refusal"] for b in raw.content if isinstance(b, dict) and b.get("refusal")), None)
    about = raw.response_metadata
    return stop_failure(refusal, about.get("finish_reason") or about.get("stop_reason") or about.get("done_reason"))


def _usage(raw: BaseMessage) -> Usage:
    counted = getattr(raw, "usage_metadata", None) or {}
    return Usage(
        calls=1,
        prompt_tokens=int(counted.get("input_tokens") or 0),
        completion_tokens=int(counted.get("output_tokens") or 0),
        cached_tokens=int((counted.get("input_token_details") or {}).get("cache_read") or 0),
    )


def replay(chat_model: BaseChatModel) -> Callable[[Replay], str]:
    """Makes a function that answers recorded prompts, for `trail_callbacks.diagnosis.ablate`.

    Results of tools become messages of the user, because the calls that they answer are not made again. Its calls
    reach no callback of the app and no trace of ours.
    """

    def rerun(prompt: Replay) -> str:
        with untraced():
            return message_text(chat_model.invoke(_turns(prompt)))

    return rerun


def areplay(chat_model: BaseChatModel) -> Callable[[Replay], Awaitable[str]]:
    """As `replay`, for `aablate`."""

    async def rerun(prompt: Replay) -> str:
        with untraced():
            return message_text(await chat_model.ainvoke(_turns(prompt)))

    return rerun


def _turns(prompt: Replay) -> list[BaseMessage]:
    return [_KINDS.get(turn.role or "", HumanMessage)(turn.text) for turn in prompt.turns]
