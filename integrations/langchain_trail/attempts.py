"""The drafts of one guarded call: each is a run of its own, recorded by a handler of ours."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import UUID, uuid4

from langchain_core.language_models import BaseLanguageModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import merge_configs

from langchain_trail.answers import answer_message, answer_text, complete, earlier, shown
from langchain_trail.drafts import Drafts, adispatch, dispatch, guarded_run, redacting
from langchain_trail.handler import TrailCallbackHandler
from langchain_trail.memory import held, identified, without_reviews
from langchain_trail.pieces import pieces
from langchain_trail.withholding import cleared
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard import Guard, GuardOutcome
from trail_callbacks.guard.withheld import Withheld
from trail_callbacks.report import Report
from trail_callbacks.session.guarded import GuardedRun

VARIABLE = "feedback"
"""The input key, and so the prompt variable, that takes feedback."""
Revise: TypeAlias = Callable[[Any, Any, str], Any]
"""Makes a new input of the last one, its output and the feedback on that output."""

_logger = logging.getLogger("trail_callbacks")


@dataclass(frozen=True, slots=True)
class Draft:
    """What the app returned, or streamed, and the run that it came from."""

    output: Any
    run_id: UUID
    chunks: list[Any] | None = None


class Attempts:
    """The drafts of one call.

    Attributes:
        first: The first input: a prompt that has a variable for feedback gets it empty.
        run_id: The run of the last draft.
    """

    def __init__(self, guard: Guard, config: RunnableConfig, app: Runnable[Any, Any], given: Any) -> None:
        self._guard = guard
        self._config = config
        self.first = first_input(app, given)
        self._given = given
        self._app = app
        self._holder = held(app)
        self._reviews: frozenset[str] = frozenset()
        self._around = merge_configs(getattr(app, "config", None), config)  # a handler may be bound to the app
        known = redacting(
            self._around
        )  # the judge reads what is recorded here: no more than the app's own handler keeps
        self._recorder = TrailCallbackHandler(evaluate="never", redact=known.settings.redact if known else None)
        self._drafts = Drafts(config, hide=not guard.is_live)
        self._withheld: Withheld | None = None
        self.run_id = uuid4()

    def next(self) -> tuple[Runnable[Any, Any], RunnableConfig]:
        """Returns the app to write the next draft with, whose memory is held back, and its config."""
        self._holder = held(self._app)
        self.run_id = uuid4()
        config = merge_configs(self._drafts.next(), {"callbacks": [self._recorder], "run_id": self.run_id})
        return self._holder.runnable, config

    def reviewed(self, request: Any) -> Any:
        """Returns a request whose reviews can be told from the messages that the app was given."""
        request, reviews = identified(self._given, request)
        self._reviews |= reviews
        return request

    def unreviewed(self, output: Any) -> Any:
        """Returns an output without the reviews of earlier drafts."""
        return without_reviews(output, self._reviews)

    def graph(self, draft: Draft) -> ProvenanceGraph:
        """Returns the provenance graph of a draft."""
        output = shown(draft.output, draft.chunks)
        return complete(self._recorder.graph(draft.run_id), output, self._recorder.session.redacted)

    def around(self, draft: Draft) -> GuardedRun:
        """Returns the run around a draft."""
        return guarded_run(self._around, (self._recorder.session, str(draft.run_id)))

    def publish(self, outcome: GuardOutcome[Any], summary: dict[str, Any]) -> None:
        """Shows the last draft if it is accepted, and sends the summary of its report."""
        if not outcome.withheld:
            self._drafts.release()
        if summary:
            dispatch(summary, self._config)

    async def apublish(self, outcome: GuardOutcome[Any], summary: dict[str, Any]) -> None:
        """As `publish`."""
        if not outcome.withheld:
            await self._drafts.arelease()
        if summary:
            await adispatch(summary, self._config)

    def keep(self, outcome: GuardOutcome[Any]) -> None:
        """Lets the app remember the answer as the user gets it; of one that raises nothing is kept."""
        self._holder.keep(self._scrub(outcome))

    async def akeep(self, outcome: GuardOutcome[Any]) -> None:
        """As `keep`."""
        await self._holder.akeep(await asyncio.to_thread(self._scrub, outcome))

    def withheld(self, outcome: GuardOutcome[Any]) -> Withheld:
        """Returns what is withheld of a draft that is not accepted."""
        if self._withheld is None:
            output = outcome.draft.output
            known = [piece.text for piece in pieces([self._given, earlier(self.unreviewed(output))])]
            texts = [] if outcome.taken else _answer_texts(output, outcome.report, known)
            self._withheld = self._guard.withheld(outcome, texts, known)
        return self._withheld

    def _scrub(self, outcome: GuardOutcome[Any]) -> Callable[[Any], Any]:
        if self._guard.instead(outcome) is None:
            return self.unreviewed
        withheld = self.withheld(outcome)
        return lambda value: cleared(self.unreviewed(value), withheld)


def _answer_texts(output: Any, report: Report | None, known: Sequence[str]) -> list[str]:
    """The answer as it was judged; if the judge failed before there was a graph, all that the app was not given."""
    if (message := answer_message(output)) is not None:
        return [answer_text(message)]
    if report is not None and report.graph.answer is not None:
        return [report.graph.answer.text]
    given = {text.strip() for text in known}
    return [piece.text for piece in pieces(output) if piece.text.strip() not in given]


def first_input(runnable: Runnable[Any, Any], given: Any) -> Any:
    """Returns the first input: a prompt that has a variable for feedback gets it empty."""
    if not isinstance(given, Mapping) or VARIABLE in given:
        return given
    try:
        wants = VARIABLE in runnable.get_input_jsonschema().get("properties", {})
    except Exception as error:  # noqa: BLE001 - a runnable without a readable schema has no such variable
        _logger.debug("the input schema of %r cannot be read: %r", runnable, error)
        return given
    return {**given, VARIABLE: ""} if wants else given


def revised(runnable: Runnable[Any, Any], given: Any, output: Any, feedback: str) -> Any:
    """Returns an input with the feedback in it; the same input if it has no place for it.

    Messages, a prompt value or a dictionary with `messages` get the draft and the feedback as two more messages; a
    dictionary gets the key `feedback` if it has it or the runnable's prompt has a variable of that name.
    """
    if isinstance(given, PromptValue):
        return [*given.to_messages(), *_review(output, feedback)]
    if isinstance(given, str) and isinstance(runnable, BaseLanguageModel):
        return [HumanMessage(given), *_review(output, feedback)]
    if isinstance(given, Mapping):
        if VARIABLE in given:
            return {**given, VARIABLE: feedback}
        messages = given.get("messages")
        return {**given, "messages": [*messages, *_review(output, feedback)]} if isinstance(messages, list) else given
    return [*given, *_review(output, feedback)] if _are_messages(given) else given


def _review(output: Any, feedback: str) -> list[BaseMessage]:
    draft = answer_message(output) or _of_step(output) or AIMessage(output if isinstance(output, str) else str(output))
    return [draft, HumanMessage(feedback)]


def _of_step(output: Any) -> AIMessage | None:
    """The message in what a graph streams: the updates of a step, under its name."""
    updates = reversed(output.values()) if isinstance(output, dict) else ()
    return next((message for message in map(answer_message, updates) if message is not None), None)


def _are_messages(given: Any) -> bool:
    return (
        isinstance(given, list) and bool(given) and all(isinstance(item, BaseMessage | tuple | dict) for item in given)
    )
