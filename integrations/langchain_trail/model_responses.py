"""The answer in what an agent's model call returned, and what a guard keeps of it in the agent's state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware.types import AgentState, ModelRequest, ModelResponse, OmitFromInput, PrivateStateAttr
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.channels import LastValue

from langchain_trail.answers import answer_text, structured_text, with_summary
from langchain_trail.withholding import cleared
from trail_callbacks.guard.withheld import Withheld

__all__ = ["TrailState", "annotated", "answer_of", "is_withheld", "revised", "structuring_tools", "withheld"]

_KEPT_METADATA = ("model_name", "model", "model_provider")


class _Latest(LastValue[Any]):
    """A key that several guards may write in one step: the outermost counts, as it is applied last."""

    def update(self, values: Sequence[Any]) -> bool:
        return super().update(values[-1:])


class _ByGuard(LastValue[Any]):
    """A key in which each guard has a place of its own."""

    def update(self, values: Sequence[Any]) -> bool:
        if not values:
            return False
        known = self.get() if self.is_available() else {}
        return super().update([{**known, **{name: kept for value in values for name, kept in value.items()}}])


class TrailState(AgentState[Any]):
    """What the guard adds to an agent's state.

    Attributes:
        trail: Summary of the report on the last answer, see `Report.summary`, with `passed`, `blocked`, `attempts` and
            `usage`. Part of the output, not of the input.
        trail_rejected: For the guards alone: drafts rejected in this turn before tools were called again.
    """

    trail: NotRequired[Annotated[dict[str, Any], _Latest, OmitFromInput]]
    trail_rejected: NotRequired[Annotated[dict[str, Any], _ByGuard, PrivateStateAttr]]


def answer_of(response: ModelResponse[Any]) -> tuple[AIMessage, str] | None:
    """Returns the message that answers and its text; None if the model calls tools or another guard withheld it."""
    at = _last(response.result)
    answer = response.result[at] if at >= 0 else None
    if not isinstance(answer, AIMessage) or is_withheld(answer):
        return None
    if response.structured_response is not None:
        return answer, structured_text(response.structured_response)
    return None if answer.tool_calls else (answer, answer_text(answer))


def revised(request: ModelRequest[Any], response: ModelResponse[Any], feedback: str) -> ModelRequest[Any]:
    """Returns the request for the next draft.

    Providers want each tool call of a draft answered, also that of a structured answer: then the feedback is what the
    tool returned.
    """
    at = _last(response.result)
    answer = response.result[at]
    calls = answer.tool_calls if isinstance(answer, AIMessage) else []
    results: list[BaseMessage] = [
        ToolMessage(feedback, tool_call_id=call["id"] or "", name=call["name"], status="error") for call in calls
    ]
    return request.override(
        messages=[*request.messages, *response.result[: at + 1], *(results or [HumanMessage(feedback)])]  # type: ignore[list-item]  # messages of any kind
    )


def annotated(response: ModelResponse[Any], summary: dict[str, Any]) -> ModelResponse[Any]:
    """Returns a response with a summary on the message that answers."""
    messages, at = response.result, _last(response.result)
    answer = messages[at]
    return replace(response, result=[*messages[:at], with_summary(answer, summary), *messages[at + 1 :]])


def withheld(response: ModelResponse[Any], text: Withheld, summary: dict[str, Any]) -> ModelResponse[Any]:
    """Returns a response in which a message replaces the answer, under its id; what came before the answer stays.

    Args:
        response: What the model returned.
        text: What is withheld.
        summary: Goes on the message.
    """
    message, at = text.message, _last(response.result)
    answer = response.result[at]
    replacement = AIMessage(
        message,
        id=answer.id,
        name=answer.name,
        usage_metadata=getattr(answer, "usage_metadata", None),
        response_metadata={
            **{key: answer.response_metadata[key] for key in _KEPT_METADATA if key in answer.response_metadata},
            "trail": summary,
        },
    )
    return ModelResponse(result=[*cleared(response.result[:at], text), replacement], structured_response=None)


def is_withheld(message: BaseMessage) -> bool:
    """True for a message that replaces a withheld answer."""
    return isinstance(message, AIMessage) and bool((message.response_metadata.get("trail") or {}).get("blocked"))


def structuring_tools(request: ModelRequest[Any]) -> frozenset[str]:
    """Returns the tools that only give an answer its structure: the agent says they returned what the model wrote."""
    specs = getattr(request.response_format, "schema_specs", None) or ()
    return frozenset(str(spec.name) for spec in specs)


def _last(messages: list[BaseMessage]) -> int:
    return max((i for i, message in enumerate(messages) if isinstance(message, AIMessage)), default=-1)
