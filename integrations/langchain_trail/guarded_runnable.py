"""`guarded(runnable)`: the same app, which returns only answers that its sources support."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias, TypeVar, Unpack, cast

from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig

from langchain_trail.answers import added, annotated, as_chunk, calls_tools, short_fields, trailing
from langchain_trail.attempts import Attempts, Draft, Revise, revised
from langchain_trail.drafts import isolated
from langchain_trail.hooks import unmarked
from langchain_trail.pieces import pieces
from langchain_trail.withholding import judged_only, replaced, unjudged
from trail_callbacks.errors import AnswerRejectedError, InputError
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
from trail_callbacks.signatures import shows_settings

In = TypeVar("In")
Out = TypeVar("Out")
_Result: TypeAlias = Callable[[GuardOutcome[Draft], Attempts, dict[str, Any]], Any]


class Guarded(Runnable[In, Out]):
    """A runnable around another one, with all its methods. Made by `guarded`."""

    def __init__(self, runnable: Runnable[In, Out], settings: GuardSettings, revise: Revise) -> None:
        self._runnable = runnable
        self._guard = Guard(settings, around=isolated)
        self._settings = settings
        self._revise = revise

    @property
    def InputType(self) -> Any:  # noqa: N802 - as Runnable names it
        """That of the runnable inside."""
        return self._runnable.InputType

    @property
    def OutputType(self) -> Any:  # noqa: N802 - as Runnable names it
        """That of the runnable inside."""
        return self._runnable.OutputType

    def get_input_schema(self, config: RunnableConfig | None = None) -> Any:
        """That of the runnable inside."""
        return self._runnable.get_input_schema(config)

    def get_output_schema(self, config: RunnableConfig | None = None) -> Any:
        """That of the runnable inside."""
        return self._runnable.get_output_schema(config)

    def invoke(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Out:  # noqa: A002 - as Runnable names it
        """Calls the app until an answer passes, or does what the settings say.

        Raises:
            AnswerRejectedError: If the settings say so, or the output has no place for a message.
        """

        def call(given: In, config: RunnableConfig) -> Out:
            attempts = Attempts(self._guard, config, self._runnable, given)

            def write(request: Any) -> Draft:
                app, draft_config = attempts.next()
                return Draft(app.invoke(request, draft_config, **kwargs), attempts.run_id)

            return cast("Out", self._guarded(attempts, write, self._result))

        return self._call_with_config(cast("Any", call), input, config)

    async def ainvoke(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Out:  # noqa: A002 - as Runnable names it
        """As `invoke`, without blocking the event loop."""

        async def call(given: In, config: RunnableConfig) -> Out:
            attempts = Attempts(self._guard, config, self._runnable, given)

            async def write(request: Any) -> Draft:
                app, draft_config = attempts.next()
                return Draft(await app.ainvoke(request, draft_config, **kwargs), attempts.run_id)

            return cast("Out", await self._aguarded(attempts, write, self._result))

        return await self._acall_with_config(cast("Any", call), input, config)

    def stream(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Out]:  # noqa: A002 - as Runnable names it
        """Streams an answer that passes; see `guarded` for when its chunks come."""

        def transform(inputs: Iterator[In], config: RunnableConfig) -> Iterator[Out]:
            attempts = Attempts(self._guard, config, self._runnable, list(inputs)[-1])

            def opened(request: Any) -> Iterator[Out]:
                app, draft_config = attempts.next()
                return map(unmarked, app.stream(request, draft_config, **kwargs))

            def write(request: Any) -> Draft:
                return _of_chunks(seen or list(opened(request)), attempts)

            seen: list[Any] = []
            if self._guard.is_live:
                for chunk in opened(attempts.first):
                    seen.append(chunk)
                    yield chunk
            yield from self._guarded(attempts, write, self._rest)

        yield from self._transform_stream_with_config(iter([input]), cast("Any", transform), config)

    async def astream(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncIterator[Out]:  # noqa: A002 - as Runnable names it
        """As `stream`."""

        async def once() -> AsyncIterator[In]:
            yield input

        async def transform(inputs: AsyncIterator[In], config: RunnableConfig) -> AsyncIterator[Out]:
            attempts = Attempts(self._guard, config, self._runnable, [item async for item in inputs][-1])

            def opened(request: Any) -> aclosing[Any]:
                app, draft_config = attempts.next()
                return aclosing(cast("Any", app.astream(request, draft_config, **kwargs)))

            async def write(request: Any) -> Draft:
                if not seen:
                    async with opened(request) as chunks:
                        return _of_chunks([unmarked(chunk) async for chunk in chunks], attempts)
                return _of_chunks(seen, attempts)

            seen: list[Any] = []
            if self._guard.is_live:
                async with opened(attempts.first) as chunks:
                    async for chunk in chunks:
                        seen.append(unmarked(chunk))
                        yield seen[-1]
            for chunk in await self._aguarded(attempts, write, self._rest):
                yield chunk

        async for chunk in self._atransform_stream_with_config(once(), cast("Any", transform), config):
            yield chunk

    def _guarded(self, attempts: Attempts, write: Callable[[Any], Draft], result: _Result) -> Any:
        """Carries out the guarding of one call; returns what `result` makes of the outcome."""
        outcome = self._noted(carry_out(self._steps(attempts), write, self._guard.checker))
        summary = outcome.summary()
        attempts.publish(outcome, summary)
        returned = result(outcome, attempts, summary)
        attempts.keep(outcome)
        return returned

    async def _aguarded(self, attempts: Attempts, write: Callable[[Any], Any], result: _Result) -> Any:
        """As `_guarded`. Of a long answer each part is work: it is done on a thread, while the event loop waits."""
        outcome = await acarry_out(self._steps(attempts), write, self._guard.checker)
        outcome = await asyncio.to_thread(self._noted, outcome)
        summary = await asyncio.to_thread(outcome.summary)
        await attempts.apublish(outcome, summary)
        returned = await asyncio.to_thread(result, outcome, attempts, summary)
        await attempts.akeep(outcome)
        return returned

    def _steps(self, attempts: Attempts) -> GuardSteps[Draft]:
        def graph_of(_: Any, draft: Draft) -> Callable[[], ProvenanceGraph] | None:
            return None if calls_tools(draft.output) else partial(attempts.graph, draft)

        def again(request: Any, draft: Draft, feedback: str) -> Any:
            return attempts.reviewed(self._revise(request, draft.output, feedback))

        return guard_answer(
            self._settings, attempts.first, graph_of=graph_of, texts_of=_texts, revised=again, run=attempts.around
        )

    def _noted(self, outcome: GuardOutcome[Draft]) -> GuardOutcome[Draft]:
        """An outcome that names what of its draft was not judged; in the strict setting that is left out of it."""
        output, message = outcome.draft.output, self._settings.message
        names = unjudged(output)
        if outcome.report is not None:
            names = (*names, *short_fields(outcome.report.graph, output))

        def strict(draft: Draft) -> Draft:
            if outcome.withheld:
                return draft
            left = judged_only(output, message)
            if isinstance(left, dict):
                left = type(left)((key, message if key in names else value) for key, value in left.items())
            return replace(draft, output=left, chunks=None if draft.chunks is None else [as_chunk(left)])

        return self._guard.noted(outcome, names, strict)

    def _result(self, outcome: GuardOutcome[Draft], attempts: Attempts, summary: dict[str, Any]) -> Any:
        output = self._instead(outcome, attempts, summary)
        if output is None:
            output = annotated(outcome.draft.output, summary) if summary else outcome.draft.output
        return attempts.unreviewed(output)

    def _rest(self, outcome: GuardOutcome[Draft], attempts: Attempts, summary: dict[str, Any]) -> list[Any]:
        """The chunks that follow the decision on the answer."""
        output, draft = self._instead(outcome, attempts, summary), outcome.draft
        if output is not None:
            chunks = [as_chunk(output)]
        else:
            chunks = [] if self._guard.is_live else list(draft.chunks or ())
            chunks += trailing(draft.output, summary) if summary else []
        return [attempts.unreviewed(chunk) for chunk in chunks]

    def _instead(self, outcome: GuardOutcome[Draft], attempts: Attempts, summary: dict[str, Any]) -> Any:
        """What the user gets instead of the draft's output; None if it is that."""
        if outcome.action == "raise":
            reject(outcome)
        if self._guard.instead(outcome) is None:
            return None
        output = outcome.draft.output
        replacement = replaced(output, attempts.withheld(outcome), summary)
        if replacement is None:
            raise AnswerRejectedError(
                f"the answer was not accepted, and a {type(output).__name__} has no place for a message instead",
                outcome.report,
                outcome.attempts,
            )
        return replacement


def _of_chunks(chunks: list[Any], attempts: Attempts) -> Draft:
    return Draft(added(chunks), attempts.run_id, chunks)


def _texts(draft: Draft) -> list[str]:
    """What may be the answer, in an output that has a place for another."""
    return [piece.text for piece in pieces(draft.output)] if isinstance(draft.output, str | AIMessage | dict) else []


@shows_settings(GuardSettings, GuardKeywords)
def guarded(
    runnable: Runnable[In, Out],
    judge: JudgeLike = None,
    *,
    stream: Stream | None = None,
    revise: Revise | None = None,
    **settings: Unpack[GuardKeywords],
) -> Guarded[In, Out]:
    """Wraps a chain so that it returns only answers that its sources support.

        app = guarded(chain, judge="openai/gpt-5-mini", on_fail="retry")
        app.invoke(question)

    It is a runnable like the one inside, with the same input and output. A message that passes has the summary of its
    report in `response_metadata["trail"]`, a dictionary has it under `trail`; a plain text has no place for one, but
    `on_report` and the custom event `trail.report` bring it. For agents made by `create_agent` there is `TrailGuard`.

    The answer in a dictionary is the last message of a model in `messages`, the value of `answer`, `output`, `result`
    or the like, or else all that models wrote side by side, as in a `RunnableParallel`; in a list likewise. Callback
    handlers of the app, such as tracers, receive every draft, rejected ones too: a handler that shows tokens to
    users must not be among them. Streams show accepted answers only.

    With a withheld answer goes whatever else in the output carries its text, or numbers and names that only it has: see
    `docs/guards.md`. Inputs of the app and documents that it read stay. What is returned beside an answer and nobody
    judges, such as reasoning or text beside tool calls, is named in `unjudged` of the summary, and left out with
    `on_undecided="fail"`.

    A `RunnableWithMessageHistory`, or a graph with a checkpointer, remembers the answer as its user reads it: neither
    drafts nor feedback, and nothing of a call that raises, are written to the history or to any checkpoint. A graph
    that is only a part of the chain writes as it runs.

    To ask again, the feedback needs a place in the input: messages and prompt values get two more messages; a
    dictionary gets the key `feedback`, if the prompt has a variable of that name (the first time it is empty), else its
    `messages` grow. An input with no place for feedback is given to the app as it was: a model that is sampled may do
    better, and after `max_retries` the policy `exhausted` decides.

    Args:
        runnable: A chain or model; it is not changed.
        judge: Who decides; it must be given. A string such as `"openai/gpt-5-mini"` is a model through instructor;
            `as_model(chat_model)` is the app's own model; `"local"` is the offline judge.
        stream: `buffer`: the chunks of an answer come when it has passed; `pass`: chunks come at once, and then the
            report, which only `annotate` allows and does by default.
        revise: Makes a new input of the last one, its output and the feedback, in place of the rules above.
        **settings: `max_score`, `on_fail`, `max_retries` and more; see `trail_callbacks.guard.GuardSettings`. The
            `message` replaces a text, a message, or the answer in a dictionary; for an output that has no place for it,
            `AnswerRejectedError` is raised.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If there is no judge, or it is unknown.
    """
    if not isinstance(runnable, Runnable):
        raise InputError(f"guarded() takes a runnable, got {type(runnable).__name__}")
    checked = GuardSettings(judge=judge, stream=stream, **settings)
    return Guarded(runnable, checked, revise or partial(revised, runnable))
