"""`guarded(runnable)`: the same app, which returns only answers that its sources support."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar, Unpack, cast

from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig

from langchain_trail.answers import annotated, calls_tools
from langchain_trail.around import Around
from langchain_trail.attempts import Attempts, Draft
from langchain_trail.chunks import added, as_chunk, trailing
from langchain_trail.drafts import isolated
from langchain_trail.parts import short_fields
from langchain_trail.pieces import pieces
from langchain_trail.revising import Revise, prepared, revised
from langchain_trail.sentences import SentenceStream
from langchain_trail.streams import StreamSteps, acarry_out_stream, by_sentence, carry_out_stream, whole
from langchain_trail.unjudged import output_judged_only, unjudged_of_output
from langchain_trail.withholding import replaced
from trail_callbacks.errors import AnswerRejectedError, InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard import (
    Guard,
    GuardKeywords,
    GuardSettings,
    GuardSteps,
    Outcome,
    acarry_out,
    carry_out,
    guard_answer,
    reject,
)
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.signatures import shows_settings

__all__ = ["Guarded", "guarded"]

In = TypeVar("In")
Out = TypeVar("Out")
Mode: TypeAlias = Literal["buffer", "sentences", "pass"]


class Guarded(Around[In, Out]):
    """A runnable around another one, with all its methods. Made by `guarded`."""

    def __init__(self, runnable: Runnable[In, Out], settings: GuardSettings, stream: Mode, revise: Revise) -> None:
        super().__init__(runnable)
        self._guard = Guard(settings, around=isolated)
        self._settings = settings
        self._stream = stream
        self._revise = revise

    # ------------------------------------------------------------------ whole answers

    def invoke(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Out:  # noqa: A002 - as Runnable names it
        """Calls the app until an answer passes, or does what the settings say.

        Raises:
            AnswerRejectedError: If the settings say so, or the output has no place for a message.
        """

        def call(given: In, run_manager: CallbackManagerForChainRun, config: RunnableConfig) -> Out:
            del run_manager  # the config has its child
            attempts = Attempts(self._guard, config, self._runnable, given)

            def write(request: Any) -> Draft:
                app, draft_config = attempts.next()
                return Draft(app.invoke(request, draft_config, **kwargs), attempts.run_id)

            outcome = carry_out(self._steps(given, attempts), write, self._guard.checker)
            outcome, summary = self._noted(outcome)
            attempts.publish(outcome, summary)
            result = self._result(outcome, attempts, summary)
            attempts.keep(outcome)
            return result

        return self._call_with_config(call, input, config)

    async def ainvoke(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Out:  # noqa: A002 - as Runnable names it
        """As `invoke`, without blocking the event loop."""

        async def call(given: In, run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig) -> Out:
            del run_manager  # as in `invoke`
            attempts = Attempts(self._guard, config, self._runnable, given)

            async def write(request: Any) -> Draft:
                app, draft_config = attempts.next()
                return Draft(await app.ainvoke(request, draft_config, **kwargs), attempts.run_id)

            outcome = await acarry_out(self._steps(given, attempts), write, self._guard.checker)
            outcome, summary = await asyncio.to_thread(self._noted, outcome)
            await attempts.apublish(outcome, summary)
            result = await asyncio.to_thread(self._result, outcome, attempts, summary)
            await attempts.akeep(outcome)
            return result

        return await self._acall_with_config(call, input, config)

    def _steps(self, given: Any, attempts: Attempts) -> GuardSteps[Draft]:
        def graph_of(request: Any, draft: Draft) -> Callable[[], ProvenanceGraph] | None:
            del request  # the graph holds it
            if calls_tools(draft.output):
                return None
            return partial(attempts.graph, draft)

        return guard_answer(
            self._settings,
            prepared(self._runnable, given),
            graph_of=graph_of,
            texts_of=_texts,
            revised=lambda request, draft, feedback: attempts.reviewed(
                given, self._revise(request, draft.output, feedback)
            ),
        )

    # Of a long answer this and what follows is work: it is done on a thread where an event loop waits.

    def _noted(self, outcome: Outcome[Any]) -> tuple[Outcome[Any], dict[str, Any]]:
        """An outcome that names what of its draft was not judged, and its summary.

        In the strict setting what was not judged is left out of the draft. A stream that is read as it comes was read.
        """
        draft = outcome.draft
        names = unjudged_of_output(draft.output)
        if not isinstance(draft, SentenceStream) and outcome.report is not None:
            names = (*names, *short_fields(outcome.report.graph, draft.output))
        if not names:
            return outcome, outcome.summary()
        if self._settings.on_undecided == "fail" and not outcome.withheld and self._stream != "pass":
            draft = draft.judged_only() if isinstance(draft, SentenceStream) else self._strict(draft, names)
        noted = replace(outcome, draft=draft, unjudged=names)
        return noted, noted.summary()

    def _strict(self, draft: Draft, names: Sequence[str]) -> Draft:
        output = output_judged_only(draft.output, self._settings.message)
        if isinstance(output, dict):
            output = type(output)((k, self._settings.message if k in names else v) for k, v in output.items())
        return replace(draft, output=output, chunks=None if draft.chunks is None else [as_chunk(output)])

    def _result(self, outcome: Outcome[Draft], attempts: Attempts, summary: dict[str, Any]) -> Out:
        output = outcome.draft.output
        if outcome.action == "raise":
            reject(outcome)
        if self._guard.instead(outcome) is not None:
            output = self._withheld(outcome, attempts, summary)
        elif summary:
            output = annotated(output, summary)
        return cast("Out", attempts.unreviewed(output))

    def _withheld(self, outcome: Outcome[Draft], attempts: Attempts, summary: dict[str, Any]) -> Any:
        output = outcome.draft.output
        replacement = replaced(output, attempts.withheld(outcome), summary)
        if replacement is None:
            raise AnswerRejectedError(
                f"the answer was not accepted, and a {type(output).__name__} has no place for a message instead",
                outcome.report,
                outcome.attempts,
            )
        return replacement

    # ------------------------------------------------------------------ streams

    def stream(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Out]:  # noqa: A002 - as Runnable names it
        """Streams an answer that passes; see `guarded` for when its chunks come."""

        def transform(
            inputs: Iterator[In], run_manager: CallbackManagerForChainRun, config: RunnableConfig
        ) -> Iterator[Out]:
            del run_manager  # as in `invoke`
            given = list(inputs)[-1]
            attempts = Attempts(self._guard, config, self._runnable, given, hide=self._stream != "pass")
            yield from self._streamed(given, attempts, kwargs)

        yield from self._transform_stream_with_config(iter([input]), transform, config)

    async def astream(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncIterator[Out]:  # noqa: A002 - as Runnable names it
        """As `stream`."""

        async def once() -> AsyncIterator[In]:
            yield input

        async def transform(
            inputs: AsyncIterator[In], run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig
        ) -> AsyncIterator[Out]:
            del run_manager  # as in `invoke`
            given = [item async for item in inputs][-1]
            attempts = Attempts(self._guard, config, self._runnable, given, hide=self._stream != "pass")
            async with aclosing(self._astreamed(given, attempts, kwargs)) as chunks:
                async for chunk in chunks:
                    yield chunk

        async for chunk in self._atransform_stream_with_config(once(), transform, config):
            yield chunk

    def _streamed(self, given: Any, attempts: Attempts, kwargs: dict[str, Any]) -> Generator[Any]:
        def opened(request: Any) -> Iterator[Any]:
            app, draft_config = attempts.next()
            return app.stream(request, draft_config, **kwargs)

        def finish(outcome: Outcome[Any]) -> list[Any]:
            outcome, summary = self._noted(outcome)
            attempts.publish(outcome, summary)
            chunks = self._rest(outcome, attempts, summary)
            attempts.keep(outcome)
            return chunks

        return carry_out_stream(
            self._stream_steps(given, attempts),
            opened,
            self._guard.checker,
            finish,
        )

    def _astreamed(self, given: Any, attempts: Attempts, kwargs: dict[str, Any]) -> AsyncGenerator[Any]:
        def opened(request: Any) -> AsyncIterator[Any]:
            app, draft_config = attempts.next()
            return app.astream(request, draft_config, **kwargs)

        async def finish(outcome: Outcome[Any]) -> list[Any]:
            outcome, summary = await asyncio.to_thread(self._noted, outcome)
            await attempts.apublish(outcome, summary)
            chunks = await asyncio.to_thread(self._rest, outcome, attempts, summary)
            await attempts.akeep(outcome)
            return chunks

        return acarry_out_stream(
            self._stream_steps(given, attempts),
            opened,
            self._guard.checker,
            finish,
        )

    def _stream_steps(self, given: Any, attempts: Attempts) -> StreamSteps[Any]:
        if self._stream == "sentences":
            return by_sentence(
                self._settings,
                prepared(self._runnable, given),
                graph_of=lambda text: partial(attempts.graph_so_far, text),
                revised=lambda request, draft, feedback: attempts.reviewed(
                    given, self._revise(request, draft, feedback)
                ),
            )
        return whole(
            self._steps(given, attempts),
            lambda chunks: Draft(added(chunks), attempts.run_id, chunks),
            live=self._stream == "pass",
        )

    def _rest(self, outcome: Outcome[Any], attempts: Attempts, summary: dict[str, Any]) -> list[Any]:
        """The chunks that follow the decision on the answer."""
        draft = outcome.draft
        if outcome.action == "raise":
            reject(outcome)
        if isinstance(draft, SentenceStream):
            ends = {"block": self._settings.message, "strip": ""}
            last = ends.get(outcome.action)
            chunks = draft.last(summary) if last is None else [draft.instead(last, summary)]
        elif self._guard.instead(outcome) is not None:
            chunks = [as_chunk(self._withheld(outcome, attempts, summary))]
        else:
            chunks = [] if self._stream == "pass" else list(draft.chunks)
            chunks += trailing(draft.output, summary) if summary else []
        return [attempts.unreviewed(chunk) for chunk in chunks]


def _texts(draft: Draft) -> list[str]:
    """What may be the answer, in an output that has a place for another."""
    return [piece.text for piece in pieces(draft.output)] if isinstance(draft.output, str | AIMessage | dict) else []


@shows_settings(GuardSettings, GuardKeywords)
def guarded(
    runnable: Runnable[In, Out],
    judge: JudgeLike = None,
    *,
    stream: Literal["buffer", "sentences", "pass"] | None = None,
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
    that is only a part of the chain writes as it runs. Of sentences that end early a history keeps nothing.

    To ask again, the feedback needs a place in the input: messages and prompt values get two more messages; a
    dictionary gets the key `feedback`, if the prompt has a variable of that name (the first time it is empty), else its
    `messages` grow. An input with no place for feedback is given to the app as it was: a model that is sampled may do
    better, and after `max_retries` the policy `exhausted` decides.

    Args:
        runnable: A chain or model; it is not changed.
        judge: Who decides; it must be given. A string such as `"openai/gpt-5-mini"` is a model through instructor;
            `as_model(chat_model)` is the app's own model; `"local"` is the offline judge.
        stream: `buffer`: the chunks of an answer come when it has passed; `sentences`: of a text or message each
            sentence comes when it has passed together with those before it, and `message` ends an answer that fails
            (asking again is possible only before the first sentence was shown), so an answer is judged as often as it
            has sentences, which is for the offline judge and short answers; `pass`: chunks come at once, and then the
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
    if stream not in {None, "buffer", "sentences", "pass"}:
        raise InputError(f"stream is {stream!r}, expected 'buffer', 'sentences' or 'pass'")
    checked = GuardSettings(judge=judge, stream=None if stream == "sentences" else stream, **settings)
    mode: Mode = "sentences" if stream == "sentences" else "buffer" if checked.hides_drafts else "pass"
    return Guarded(runnable, checked, mode, revise or partial(revised, runnable))
