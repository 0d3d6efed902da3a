"""`TrailGuard`: middleware for `create_agent` that lets an answer through only if its sources support it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from operator import or_
from typing import Annotated, Any, NotRequired, Unpack, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config

from langchain_trail.answers import answer_message, answer_text, structured_text, with_message_summary
from langchain_trail.drafts import EVENT, Drafts, adispatch, dispatch, from_messages, grounds, guarded_run, isolated
from langchain_trail.withholding import earlier, judged_only, replaced, unjudged
from trail_callbacks.errors import MissingExtraError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard import (
    Guard,
    GuardKeywords,
    GuardOutcome,
    GuardSettings,
    GuardSteps,
    Stream,
    acarry_out,
    carry_out,
    guard_answer,
    reject,
)
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.models.call import Usage
from trail_callbacks.signatures import shows_settings

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

try:  # tracers get the messages from the model's own run; twice would only cost
    from langgraph.types import TracePolicy, omit_payload

    _TRACED: TracePolicy | None = TracePolicy(process_inputs=omit_payload)
except ImportError:  # an older langgraph does not trace these hooks
    _TRACED = None


class _Latest(LastValue[Any]):
    """A key that several guards may write in one step: the outermost counts, as it is applied last."""

    def update(self, values: Sequence[Any]) -> bool:
        return super().update(values[-1:])


class TrailState(AgentState[Any]):
    """What the guard adds to an agent's state.

    Attributes:
        trail: Summary of the report on the last answer, see `Report.summary`, with `passed`, `blocked`, `attempts` and
            `usage`. Part of the output, not of the input.
        trail_rejected: For the guards alone: drafts rejected in this turn before tools were called again, by the name
            of the guard.
    """

    trail: NotRequired[Annotated[dict[str, Any], _Latest, OmitFromInput]]
    trail_rejected: NotRequired[Annotated[dict[str, Any], PrivateStateAttr, or_]]


class TrailGuard(AgentMiddleware[TrailState, Any, Any]):
    """Judges each answer of an agent before the user gets it.

        agent = create_agent(model, tools, middleware=[TrailGuard(judge="openai/gpt-5-mini", on_fail="retry")])

    A turn that calls tools is not an answer and is not judged; neither are reasoning, annotations and what a tool
    returns directly (`return_direct`). The summary names them in `unjudged`: that of the answer, of a message that
    calls tools, or in the state. With `on_undecided="fail"` they are left out.

    An answer is checked against what the agent read: the captured graph if a `TrailCallbackHandler` records the run,
    else the tool results, the system prompt and the user's messages. The summary is in `response_metadata["trail"]` of
    the answer's message and in `trail` of the agent's state, and is sent as the custom event `trail.report`. None of
    them contains the text of a withheld answer; only `on_report` receives it.

    Drafts enter neither the agent's state nor its streams. Callback handlers of the app, such as tracers, receive every
    draft, rejected ones too: a handler that shows tokens to users must not be among them. Put the guard last in the
    list, to judge what the model itself wrote, and so that nothing outside retries what it does. A
    `TrailCallbackHandler` on the same agent verifies the final answer once more, as it does any: give it
    `evaluate="never"` if the judge costs money.

    Args:
        judge: Who decides; it must be given. A string such as `"openai/gpt-5-mini"` is a model through instructor;
            `as_model(chat_model)` is the app's own model; `"local"` is the offline judge.
        stream: `buffer`: nothing of a draft is streamed before it is accepted, then its events follow; `pass`: tokens
            are streamed as they come, which only `annotate` allows and does by default.
        name: Name among the agent's middleware, which must differ.
        **settings: `max_score`, `on_fail`, `max_retries` and more; see `trail_callbacks.guard.GuardSettings`.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If there is no judge, or it is unknown.
    """

    state_schema = TrailState
    trace_policy = _TRACED

    @shows_settings(GuardSettings, GuardKeywords)
    def __init__(
        self,
        judge: JudgeLike = None,
        *,
        stream: Stream | None = None,
        name: str = "TrailGuard",
        **settings: Unpack[GuardKeywords],
    ) -> None:
        super().__init__()
        self.tools = []
        self._guard = Guard(GuardSettings(judge=judge, stream=stream, **settings), around=isolated)
        self._settings = self._guard.settings
        self._name = name

    @property
    def name(self) -> str:
        """As given."""
        return self._name

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Called by the agent around each model call."""
        if (end := _end_if_withheld(request)) is not None:
            return end
        config = ensure_config()
        drafts = Drafts(config, hide=self._settings.hides_drafts)

        def write(draft: ModelRequest[Any]) -> ModelResponse[Any]:
            with drafts.hidden():
                return handler(draft)

        outcome, whole = self._noted(request, carry_out(self._steps(request, config), write, self._guard.checker))
        if not outcome.withheld and whole:
            drafts.release()
        response, summary = self._answered(request, outcome)
        if summary:
            dispatch(summary, config)
        return self._finished(request, outcome, response, summary)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """As `wrap_model_call`."""
        if (end := _end_if_withheld(request)) is not None:
            return end
        config = ensure_config()
        drafts = Drafts(config, hide=self._settings.hides_drafts)

        async def write(draft: ModelRequest[Any]) -> ModelResponse[Any]:
            with drafts.hidden():
                return await handler(draft)

        written = await acarry_out(self._steps(request, config), write, self._guard.checker)
        outcome, whole = self._noted(request, written)
        if not outcome.withheld and whole:
            await drafts.arelease()
        response, summary = await asyncio.to_thread(self._answered, request, outcome)  # work, if the answer is long
        if summary:
            await adispatch(summary, config)
        return self._finished(request, outcome, response, summary)

    def after_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002 - as the agent calls it
        """Called by the agent at its end: an answer that a tool returned directly was not judged, and that is said."""
        last = state["messages"][-1] if state["messages"] else None
        if not isinstance(last, ToolMessage) or state.get("structured_response") is not None:
            return None
        strict = self._settings.on_undecided == "fail"
        names = dict.fromkeys([*earlier(state["messages"]), *unjudged([last])])
        summary = {"unjudged": [*names], "passed": False, "blocked": strict}
        update = {"messages": judged_only([last], self._settings.message)} if strict else {}
        return {**update, "trail": summary}

    def _noted(
        self, request: ModelRequest[Any], outcome: GuardOutcome[ModelResponse[Any]]
    ) -> tuple[GuardOutcome[ModelResponse[Any]], bool]:
        """An outcome that names what was not judged, and whether its draft is whole: not if strict.

        An answer's summary speaks for the turn: it names what earlier messages had, too.
        """
        said = [message for message in outcome.draft.result if isinstance(message, AIMessage)]

        def kept(draft: ModelResponse[Any]) -> ModelResponse[Any]:
            return replace(draft, result=[judged_only(each, "") if each in said else each for each in draft.result])

        noted = self._guard.noted(outcome, unjudged(said), kept)
        before = earlier(request.messages) if outcome.report is not None else ()
        whole = noted.draft is outcome.draft
        return replace(noted, unjudged=tuple(dict.fromkeys([*before, *noted.unjudged]))), whole

    def _steps(self, request: ModelRequest[Any], config: RunnableConfig) -> GuardSteps[ModelResponse[Any]]:
        ignored = _structuring_tools(request)

        def graph_of(draft: ModelRequest[Any], response: ModelResponse[Any]) -> Callable[[], ProvenanceGraph] | None:
            answer = _answer_of(response)
            if answer is None:
                return None
            message, text = answer
            read = [*([draft.system_message] if draft.system_message else []), *draft.messages]
            return lambda: grounds(config, message, text, lambda: from_messages(read, text, ignored))

        rejected, spent = self._before(request)
        return guard_answer(
            self._settings,
            request,
            graph_of=graph_of,
            texts_of=_texts,
            revised=_revised,
            run=lambda _: guarded_run(config),
            rejected=rejected,
            spent=spent,
        )

    def _before(self, request: ModelRequest[Any]) -> tuple[int, Usage]:
        """Drafts rejected earlier in this turn, and their cost: calling tools in between resets neither."""
        kept = _state(request).get("trail_rejected", {}).get(self._name)
        if not kept or kept["turn"] != _turn(request):
            return 0, Usage()
        return int(kept["drafts"]), Usage(**kept["cost"])

    def _counted(self, request: ModelRequest[Any], outcome: GuardOutcome[Any]) -> dict[str, Any]:
        drafts, usage = (outcome.rejected, outcome.usage) if outcome.action == "skip" else (0, Usage())
        if self._before(request)[0] == drafts:
            return {}
        kept = {"turn": _turn(request), "drafts": drafts, "cost": asdict(usage)}
        return {"trail_rejected": {self._name: kept}}

    def _answered(
        self, request: ModelRequest[Any], outcome: GuardOutcome[ModelResponse[Any]]
    ) -> tuple[ModelResponse[Any], dict[str, Any]]:
        """The response that the agent gets, with the summary on it, and the summary.

        A message replaces a withheld answer, under its id; what came before the answer stays.
        """
        response, summary = outcome.draft, outcome.summary()
        if self._guard.instead(outcome) is not None:
            answer = _answer_of(response)
            asked = [message.text for message in request.messages if isinstance(message, HumanMessage)]
            withheld = self._guard.withheld(outcome, [answer[1]] if answer else [], asked)
            said = {"messages": response.result[: _last(response.result) + 1]}
            result = replaced(said, withheld, summary)["messages"]
            response = ModelResponse(result=result, structured_response=None)
        elif summary and outcome.action != "raise":
            said = with_message_summary({"messages": response.result}, summary)
            response = replace(response, result=said["messages"])
        return response, summary

    def _finished(
        self,
        request: ModelRequest[Any],
        outcome: GuardOutcome[ModelResponse[Any]],
        response: ModelResponse[Any],
        summary: dict[str, Any],
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        update = self._counted(request, outcome)
        if outcome.action == "raise":
            reject(outcome)
        if outcome.action == "skip":
            if not update:
                return response
            return ExtendedModelResponse(model_response=response, command=Command(update=update))
        with suppress(RuntimeError):  # there is no stream to write to
            request.runtime.stream_writer({"event": EVENT, "data": summary})
        if outcome.action == "block":
            # Without the jump, an agent with a response format would ask its model until it has one.
            update["jump_to"] = "end"
        return ExtendedModelResponse(model_response=response, command=Command(update={**update, "trail": summary}))


def _texts(response: ModelResponse[Any]) -> list[str]:
    """What may be the answer; fields of a structured one are none."""
    answer = _answer_of(response)
    return [answer[1]] if answer and response.structured_response is None else []


def _turn(request: ModelRequest[Any]) -> str | None:
    """The turn of the conversation: the user's last message."""
    return next((m.id for m in reversed(_state(request)["messages"]) if isinstance(m, HumanMessage)), None)


def _state(request: ModelRequest[Any]) -> dict[str, Any]:
    return cast("dict[str, Any]", request.state)


def _end_if_withheld(request: ModelRequest[Any]) -> ExtendedModelResponse[Any] | None:
    """Ends an agent that came back although its answer was withheld: some other middleware's hooks lost the jump.

    The structured response it still waits for is an empty one.
    """
    messages = _state(request)["messages"]
    if not messages or not _is_withheld(messages[-1]):
        return None
    return ExtendedModelResponse(
        model_response=ModelResponse(result=[], structured_response={}), command=Command(update={"jump_to": "end"})
    )


def _answer_of(response: ModelResponse[Any]) -> tuple[AIMessage, str] | None:
    """Returns the message that answers and its text; None if the model calls tools or another guard withheld it."""
    answer = answer_message({"messages": response.result})
    if answer is None or _is_withheld(answer):
        return None
    if response.structured_response is not None:
        return answer, structured_text(response.structured_response)
    return None if answer.tool_calls else (answer, answer_text(answer))


def _revised(request: ModelRequest[Any], response: ModelResponse[Any], feedback: str) -> ModelRequest[Any]:
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


def _is_withheld(message: BaseMessage) -> bool:
    """True for a message that replaces a withheld answer."""
    return isinstance(message, AIMessage) and bool((message.response_metadata.get("trail") or {}).get("blocked"))


def _structuring_tools(request: ModelRequest[Any]) -> frozenset[str]:
    """Returns the tools that only give an answer its structure: the agent says they returned what the model wrote."""
    specs = getattr(request.response_format, "schema_specs", None) or ()
    return frozenset(str(spec.name) for spec in specs)


def _last(messages: list[BaseMessage]) -> int:
    return max((i for i, message in enumerate(messages) if isinstance(message, AIMessage)), default=-1)
