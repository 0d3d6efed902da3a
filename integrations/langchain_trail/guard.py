"""`TrailGuard`: middleware for `create_agent` that lets an answer through only if its sources support it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config

from langchain_trail.drafts import Drafts, hides, unseen
from langchain_trail.events import EVENT, adispatch, dispatch
from langchain_trail.grounds import answer_text, captured, from_messages, structured_text
from trail_callbacks.errors import MissingExtraError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard import (
    BLOCKED,
    Checker,
    Guarding,
    LastResort,
    OnFail,
    Outcome,
    Policy,
    acarry_out,
    carry_out,
    guarding,
    refused,
)
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions

try:
    from langchain.agents.middleware.types import (
        AgentMiddleware,
        AgentState,
        ExtendedModelResponse,
        ModelRequest,
        ModelResponse,
        OmitFromInput,
        PrivateStateAttr,
    )
    from langgraph.channels import LastValue
    from langgraph.types import Command
except ImportError as error:
    raise MissingExtraError("TrailGuard", "langchain-agents") from error
from typing import NotRequired

if TYPE_CHECKING:
    from trail_callbacks.judges.resolve import JudgeLike

__all__ = ["TrailGuard", "TrailState"]

try:  # tracers get the messages from the model's own run; twice would only cost
    from langgraph.types import TracePolicy, omit_payload

    _TRACED: TracePolicy | None = TracePolicy(process_inputs=omit_payload)
except ImportError:  # an older langgraph does not trace these hooks
    _TRACED = None

_KEPT = ("model_name", "model", "model_provider")


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
        trail_rejected: The guards' own: drafts rejected in this turn before tools were called again.
    """

    trail: NotRequired[Annotated[dict[str, Any], _Latest, OmitFromInput]]
    trail_rejected: NotRequired[Annotated[dict[str, Any], _ByGuard, PrivateStateAttr]]


class TrailGuard(AgentMiddleware[TrailState, Any, Any]):
    """Judges each answer of an agent before the user gets it.

        agent = create_agent(model, tools, middleware=[TrailGuard(on_fail="retry")])

    A turn that calls tools is no answer and passes. An answer is held against what the agent read: the captured graph
    where a `TrailCallbackHandler` listens, else the tool results, the system prompt and the user's messages. The
    answer's message carries the summary in `response_metadata["trail"]`, the agent's state in `trail`; it is sent as
    the custom event `trail.report` too. What a withheld answer says stands in none of them, only in `on_report`.

    Drafts enter neither the agent's state nor its streams. Callback handlers of the app, such as tracers, hear every
    draft, rejected ones too: a handler that shows tokens to users must not be among them. Put the guard last in the
    list, to judge what the model itself wrote, and so that nothing outside retries what it does. A
    `TrailCallbackHandler` beside it verifies the final answer once more, as it does any: give it `evaluate="never"`
    where the judge costs money.

    Args:
        judge: Who decides; None is the offline judge. See `TrailCallbackHandler`.
        max_score: Hallucination score up to which an answer passes, 0.0 to 1.0.
        on_fail: `retry`: ask the model again, told which claims failed and what the sources say; `block`: give the user
            `message` instead; `annotate`: let it through with its report; `raise`: raise `AnswerRejectedError`.
        max_retries: Further drafts asked for in one turn of the conversation, 0 or more.
        exhausted: What `retry` does with the last draft.
        on_error: When the judge fails: `open` lets the answer through with the failure noted, `closed` does what
            `on_fail` (of `retry`: `exhausted`) says.
        no_evidence: What is done with claims when nothing was read that could support them, see `Policy`.
        timeout: Seconds for judging one draft, above 0; None waits as long as it takes.
        max_calls: Model calls of the judge for all drafts in one turn of the conversation; None is no limit. `options`
            limits each draft.
        max_tokens: Tokens, likewise.
        options: Settings of the verification; by default the origin of unsupported claims is looked for only where the
            report gets to the user (`annotate`, `raise`).
        message: What the user reads in place of a withheld answer.
        stream: `buffer`: nothing of a draft is streamed before it is accepted, then its events follow; `pass`: tokens
            are streamed as they come, which only `annotate` allows and does by default.
        on_report: Called with the report on every draft, on the thread that judged.
        name: Name among the agent's middleware, which must differ.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """

    state_schema = TrailState
    trace_policy = _TRACED

    def __init__(
        self,
        judge: JudgeLike = None,
        max_score: float = 0.0,
        on_fail: OnFail = "retry",
        max_retries: int = 2,
        *,
        exhausted: LastResort = "block",
        on_error: Literal["open", "closed"] = "open",
        no_evidence: Literal["pass", "fail"] = "fail",
        timeout: float | None = 60.0,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        options: VerifyOptions | None = None,
        message: str = BLOCKED,
        stream: Literal["buffer", "pass"] | None = None,
        on_report: Callable[[Report], None] | None = None,
        name: str = "TrailGuard",
    ) -> None:
        super().__init__()
        self.tools = []
        self._policy = Policy(
            max_score=max_score,
            on_fail=on_fail,
            max_retries=max_retries,
            exhausted=exhausted,
            on_error=on_error,
            no_evidence=no_evidence,
        )
        self._checker = Checker(
            judge,
            options or self._policy.options(),
            timeout=timeout,
            max_calls=max_calls,
            max_tokens=max_tokens,
            on_report=on_report,
            around=unseen,
        )
        self._message = message
        self._hides = hides(stream, on_fail)
        self._name = name

    @property
    def name(self) -> str:
        """As given."""
        return self._name

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Called by the agent around each model call."""
        if (over := _blocked_before(request)) is not None:
            return over
        config = ensure_config()
        drafts = Drafts(config, hide=self._hides)

        def write(draft: ModelRequest[Any]) -> ModelResponse[Any]:
            with drafts.hidden():
                return handler(draft)

        outcome = carry_out(self._steps(request, config), write, self._checker)
        if outcome.action not in {"block", "raise"}:
            drafts.release()
        if summary := outcome.summary():
            dispatch(summary, config)
        return self._finished(request, outcome, summary)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """As `wrap_model_call`."""
        if (over := _blocked_before(request)) is not None:
            return over
        config = ensure_config()
        drafts = Drafts(config, hide=self._hides)

        async def write(draft: ModelRequest[Any]) -> ModelResponse[Any]:
            with drafts.hidden():
                return await handler(draft)

        outcome = await acarry_out(self._steps(request, config), write, self._checker)
        if outcome.action not in {"block", "raise"}:
            await drafts.arelease()
        if summary := outcome.summary():
            await adispatch(summary, config)
        return self._finished(request, outcome, summary)

    def _steps(self, request: ModelRequest[Any], config: RunnableConfig) -> Guarding[ModelResponse[Any]]:
        ignored = _structuring(request)

        def graph_of(draft: ModelRequest[Any], response: ModelResponse[Any]) -> Callable[[], ProvenanceGraph] | None:
            found = _answer(response)
            if found is None:
                return None
            answer, text = found
            read = [*([draft.system_message] if draft.system_message else []), *draft.messages]
            return lambda: captured(config, answer, text) or from_messages(read, text, ignored)

        rejected, spent = self._before(request)
        return guarding(self._policy, request, graph_of=graph_of, revised=_revised, rejected=rejected, spent=spent)

    def _before(self, request: ModelRequest[Any]) -> tuple[int, Usage]:
        """Drafts rejected earlier in this turn, and their cost: calling tools in between brings no more of either."""
        kept = _state(request).get("trail_rejected", {}).get(self._name)
        if not kept or kept["turn"] != _turn(request):
            return 0, Usage()
        return int(kept["drafts"]), Usage(**kept["cost"])

    def _counted(self, request: ModelRequest[Any], outcome: Outcome[Any]) -> dict[str, Any]:
        drafts, usage = (outcome.rejected, outcome.usage) if outcome.action == "skip" else (0, Usage())
        if self._before(request)[0] == drafts:
            return {}
        kept = {"turn": _turn(request), "drafts": drafts, "cost": asdict(usage)}
        return {"trail_rejected": {self._name: kept}}

    def _finished(
        self, request: ModelRequest[Any], outcome: Outcome[ModelResponse[Any]], summary: dict[str, Any]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        response, update = outcome.draft, self._counted(request, outcome)
        if outcome.action == "raise":
            refused(outcome)
        if outcome.action == "skip":
            if not update:
                return response
            return ExtendedModelResponse(model_response=response, command=Command(update=update))
        with suppress(RuntimeError):  # before Python 3.11 a coroutine cannot find out what runs around it
            request.runtime.stream_writer({"event": EVENT, "data": summary})
        if outcome.action == "block":
            # Without the jump, an agent with a response format would ask its model until it has one.
            response, update["jump_to"] = self._withheld(response, summary), "end"
        else:
            response = replace(response, result=_annotated(response.result, summary))
        return ExtendedModelResponse(model_response=response, command=Command(update={**update, "trail": summary}))

    def _withheld(self, response: ModelResponse[Any], summary: dict[str, Any]) -> ModelResponse[Any]:
        """The block message in place of the answer, under its id; what came before the answer stays."""
        at = _last(response.result)
        answer = response.result[at]
        said = AIMessage(
            self._message,
            id=answer.id,
            name=answer.name,
            usage_metadata=getattr(answer, "usage_metadata", None),
            response_metadata={
                **{key: answer.response_metadata[key] for key in _KEPT if key in answer.response_metadata},
                "trail": summary,
            },
        )
        return ModelResponse(result=[*response.result[:at], said], structured_response=None)


def _last(messages: list[BaseMessage]) -> int:
    return max((i for i, message in enumerate(messages) if isinstance(message, AIMessage)), default=-1)


def _answer(response: ModelResponse[Any]) -> tuple[AIMessage, str] | None:
    """The message that answers and what it says; None while the model calls tools, and for another guard's words."""
    at = _last(response.result)
    answer = response.result[at] if at >= 0 else None
    if not isinstance(answer, AIMessage) or _is_withheld(answer):
        return None
    if response.structured_response is not None:
        return answer, structured_text(response.structured_response)
    return None if answer.tool_calls else (answer, answer_text(answer))


def _revised(request: ModelRequest[Any], response: ModelResponse[Any], told: str) -> ModelRequest[Any]:
    """The request for the next draft: providers want each tool call of a draft, also of a structured one, answered."""
    at = _last(response.result)
    answer = response.result[at]
    calls = answer.tool_calls if isinstance(answer, AIMessage) else []
    review: list[BaseMessage] = [
        ToolMessage(told, tool_call_id=call["id"] or "", name=call["name"], status="error") for call in calls
    ]
    return request.override(
        messages=[*request.messages, *response.result[: at + 1], *(review or [HumanMessage(told)])]  # type: ignore[list-item]  # messages of any kind
    )


def _annotated(messages: list[BaseMessage], summary: dict[str, Any]) -> list[BaseMessage]:
    at = _last(messages)
    answer = messages[at]
    metadata = {**answer.response_metadata, "trail": summary}
    return [*messages[:at], answer.model_copy(update={"response_metadata": metadata}), *messages[at + 1 :]]


def _structuring(request: ModelRequest[Any]) -> frozenset[str]:
    """Names of the tools that only give an answer its structure: the agent says they returned what the model wrote."""
    specs = getattr(request.response_format, "schema_specs", None) or ()
    return frozenset(str(spec.name) for spec in specs)


def _turn(request: ModelRequest[Any]) -> str | None:
    """The turn of the conversation: the user's last message."""
    return next((m.id for m in reversed(_state(request)["messages"]) if isinstance(m, HumanMessage)), None)


def _state(request: ModelRequest[Any]) -> dict[str, Any]:
    return cast("dict[str, Any]", request.state)


def _is_withheld(message: BaseMessage) -> bool:
    return isinstance(message, AIMessage) and bool((message.response_metadata.get("trail") or {}).get("blocked"))


def _blocked_before(request: ModelRequest[Any]) -> ExtendedModelResponse[Any] | None:
    """Ends an agent that came back although its answer was withheld: some other middleware's hooks lost the jump.

    The structured response it still waits for is an empty one.
    """
    messages = _state(request)["messages"]
    if not messages or not _is_withheld(messages[-1]):
        return None
    return ExtendedModelResponse(
        model_response=ModelResponse(result=[], structured_response={}), command=Command(update={"jump_to": "end"})
    )
