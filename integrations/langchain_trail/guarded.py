"""`guarded(runnable)`: the same app, of which only those answers come out that its sources support."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast
from uuid import UUID, uuid4

from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import merge_configs

from langchain_trail.answers import annotated, calls_tools, replaced
from langchain_trail.chunks import added, as_chunk, trailing
from langchain_trail.drafts import Drafts, hides, unseen
from langchain_trail.events import adispatch, dispatch
from langchain_trail.handler import TrailCallbackHandler
from langchain_trail.parts import complete, parts
from langchain_trail.revising import Revise, prepared, revised
from langchain_trail.sentences import Sentences
from langchain_trail.streams import END, Emit, Fetch, Open, Steps, by_sentence, whole
from trail_callbacks.errors import AnswerRejectedError, InputError
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
    answered,
    carry_out,
    guarding,
    refused,
)
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions

if TYPE_CHECKING:
    from trail_callbacks.judges.resolve import JudgeLike

__all__ = ["Guarded", "guarded"]

In = TypeVar("In")
Out = TypeVar("Out")


@dataclass(frozen=True, slots=True)
class _Draft:
    """What the app returned, or streamed, and the run that it came from."""

    output: Any
    run_id: UUID
    chunks: list[Any] | None = None


class _Attempts:
    """The drafts of one call: each is a run of its own, recorded by a handler of our own."""

    def __init__(self, config: RunnableConfig, *, hide: bool = True) -> None:
        self.recorder = TrailCallbackHandler(evaluate="never")
        self.drafts = Drafts(config, hide=hide)
        self.run_id = uuid4()

    def next(self) -> RunnableConfig:
        """The config of the next draft."""
        self.run_id = uuid4()
        return merge_configs(self.drafts.next(), {"callbacks": [self.recorder], "run_id": self.run_id})


class Guarded(Runnable[In, Out]):
    """A runnable around another one, with all its methods. Made by `guarded`."""

    def __init__(
        self,
        runnable: Runnable[In, Out],
        policy: Policy,
        checker: Checker,
        *,
        message: str,
        stream: Literal["buffer", "sentences", "pass"],
        revise: Revise | None,
    ) -> None:
        self._runnable = runnable
        self._policy = policy
        self._checker = checker
        self._message = message
        self._stream = stream
        self._revise: Revise = revise or partial(revised, runnable)

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

    # ------------------------------------------------------------------ whole answers

    def invoke(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Out:  # noqa: A002 - as Runnable names it
        """Calls the app until an answer passes, or does what the policy says.

        Raises:
            AnswerRejectedError: If the policy says so, or the output has no place for a message.
        """

        def call(given: In, run_manager: CallbackManagerForChainRun, config: RunnableConfig) -> Out:
            del run_manager  # the config has its child
            attempts = _Attempts(config)

            def write(request: Any) -> _Draft:
                settings = attempts.next()
                return _Draft(self._runnable.invoke(request, settings, **kwargs), attempts.run_id)

            outcome = carry_out(self._steps(given, attempts), write, self._checker)
            _tell(outcome, attempts, config)
            return self._result(outcome)

        return self._call_with_config(call, input, config)

    async def ainvoke(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Out:  # noqa: A002 - as Runnable names it
        """As `invoke`, without blocking the event loop."""

        async def call(given: In, run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig) -> Out:
            del run_manager  # as in `invoke`
            attempts = _Attempts(config)

            async def write(request: Any) -> _Draft:
                settings = attempts.next()
                return _Draft(await self._runnable.ainvoke(request, settings, **kwargs), attempts.run_id)

            outcome = await acarry_out(self._steps(given, attempts), write, self._checker)
            await _atell(outcome, attempts, config)
            return self._result(outcome)

        return await self._acall_with_config(call, input, config)

    def _steps(self, given: Any, attempts: _Attempts) -> Guarding[_Draft]:
        def graph_of(request: Any, draft: _Draft) -> Callable[[], ProvenanceGraph] | None:
            del request  # the graph holds it
            if calls_tools(draft.output):
                return None
            return lambda: complete(attempts.recorder.graph(draft.run_id), draft.output)

        return guarding(
            self._policy,
            prepared(self._runnable, given),
            graph_of=graph_of,
            revised=lambda request, draft, told: self._revise(request, draft.output, told),
        )

    def _result(self, outcome: Outcome[_Draft]) -> Out:
        output = outcome.draft.output
        if outcome.action == "raise":
            refused(outcome)
        if outcome.action == "block":
            return cast("Out", self._withheld(outcome))
        return cast("Out", output if outcome.action == "skip" else annotated(output, outcome.summary()))

    def _withheld(self, outcome: Outcome[_Draft]) -> Any:
        output, graph = outcome.draft.output, outcome.report.graph if outcome.report else ProvenanceGraph(nodes=())
        texts = parts(graph, output) or [graph.answer.text if graph.answer else ""]
        found = replaced(output, texts, self._message, outcome.summary())
        if found is None:
            raise AnswerRejectedError(
                f"the answer was not accepted, and a {type(output).__name__} has no place for a message instead",
                outcome.report,
                outcome.attempts,
            )
        return found

    # ------------------------------------------------------------------ streams

    def stream(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Out]:  # noqa: A002 - as Runnable names it
        """Streams an answer that passes; see `guarded` for when its chunks come."""

        def transform(
            inputs: Iterator[In], run_manager: CallbackManagerForChainRun, config: RunnableConfig
        ) -> Iterator[Out]:
            del run_manager  # as in `invoke`
            yield from self._streamed(list(inputs)[-1], _Attempts(config, hide=self._stream != "pass"), config, kwargs)

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
            attempts = _Attempts(config, hide=self._stream != "pass")
            async with aclosing(self._astreamed(given, attempts, config, kwargs)) as chunks:
                async for chunk in chunks:
                    yield chunk

        async for chunk in self._atransform_stream_with_config(once(), transform, config):
            yield chunk

    def _streamed(
        self, given: Any, attempts: _Attempts, config: RunnableConfig, kwargs: dict[str, Any]
    ) -> Generator[Any]:
        steps, result = self._stream_steps(given, attempts), None
        stream: Iterator[Any] = iter(())
        try:
            while True:
                try:
                    step = steps.send(result)
                except StopIteration as stop:
                    outcome = stop.value
                    break
                result = None
                if isinstance(step, Open):
                    _close(stream)
                    stream = self._runnable.stream(step.request, attempts.next(), **kwargs)
                elif isinstance(step, Fetch):
                    result = next(stream, END)
                elif isinstance(step, Emit):
                    yield step.chunk
                else:
                    result = self._checker.carry_out(step)
        finally:
            _close(stream)
        _tell(outcome, attempts, config)
        yield from self._rest(outcome)

    async def _astreamed(
        self, given: Any, attempts: _Attempts, config: RunnableConfig, kwargs: dict[str, Any]
    ) -> AsyncGenerator[Any]:
        steps, result = self._stream_steps(given, attempts), None
        stream: AsyncIterator[Any] | None = None
        try:
            while True:
                try:
                    step = steps.send(result)
                except StopIteration as stop:
                    outcome = stop.value
                    break
                result = None
                if isinstance(step, Open):
                    await _aclose(stream)
                    stream = self._runnable.astream(step.request, attempts.next(), **kwargs)
                elif isinstance(step, Fetch):
                    result = END if stream is None else await anext(stream, END)
                elif isinstance(step, Emit):
                    yield step.chunk
                else:
                    result = await self._checker.acarry_out(step)
        finally:
            await _aclose(stream)
        await _atell(outcome, attempts, config)
        for chunk in self._rest(outcome):
            yield chunk

    def _stream_steps(self, given: Any, attempts: _Attempts) -> Steps[Any]:
        if self._stream == "sentences":
            return by_sentence(
                self._policy,
                prepared(self._runnable, given),
                graph_of=lambda text: partial(_so_far, attempts.recorder, attempts.run_id, text, given),
                revised=self._revise,
            )
        return whole(
            self._steps(given, attempts),
            lambda chunks: _Draft(added(chunks), attempts.run_id, chunks),
            live=self._stream == "pass",
        )

    def _rest(self, outcome: Outcome[Any]) -> list[Any]:
        """The chunks that are left when it is known what becomes of the answer."""
        draft, summary = outcome.draft, outcome.summary()
        if outcome.action == "raise":
            refused(outcome)
        if isinstance(draft, Sentences):
            return [draft.instead(self._message, summary)] if outcome.action == "block" else draft.last(summary)
        if outcome.action == "block":
            return [as_chunk(self._withheld(outcome))]
        chunks = [] if self._stream == "pass" else list(draft.chunks)
        return chunks + (trailing(draft.output, summary) if summary else [])


def _tell(outcome: Outcome[Any], attempts: _Attempts, config: RunnableConfig) -> None:
    if outcome.action not in {"block", "raise"}:
        attempts.drafts.release()
    if summary := outcome.summary():
        dispatch(summary, config)


async def _atell(outcome: Outcome[Any], attempts: _Attempts, config: RunnableConfig) -> None:
    if outcome.action not in {"block", "raise"}:
        await attempts.drafts.arelease()
    if summary := outcome.summary():
        await adispatch(summary, config)


def _so_far(recorder: TrailCallbackHandler, run_id: UUID, text: str, given: Any) -> ProvenanceGraph:
    """The graph of an answer that is still being written."""
    graph = recorder.graph_so_far(run_id, text)
    wrote = [node for node in graph.nodes if node.kind in {"completion", "answer"} and node.text == text]
    if wrote and graph.question:
        return graph if graph.answer else answered(graph, wrote[-1].id, text)
    # A stream tells its input at its end; a question that is a plain text is known all the same.
    asked = graph.question.text if graph.question else given if isinstance(given, str) else None
    leaves = graph.leaves(wrote[-1].id) if wrote else graph.leaves()
    return ProvenanceGraph.from_texts(text, [leaf for leaf in leaves if leaf is not graph.question], asked)


def _close(stream: Iterator[Any]) -> None:
    if (close := getattr(stream, "close", None)) is not None:
        close()


async def _aclose(stream: AsyncIterator[Any] | None) -> None:
    if (close := getattr(stream, "aclose", None)) is not None:
        await close()


def guarded(
    runnable: Runnable[In, Out],
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
    stream: Literal["buffer", "sentences", "pass"] | None = None,
    on_report: Callable[[Report], None] | None = None,
    revise: Revise | None = None,
) -> Guarded[In, Out]:
    """Wraps a chain so that only answers come out that its sources support.

        app = guarded(chain, on_fail="retry")
        app.invoke(question)

    It is a runnable like the one inside, with the same input and output. A message that passes carries the summary of
    its report in `response_metadata["trail"]`, a dictionary under `trail`; a plain text has no place for one, but
    `on_report` and the custom event `trail.report` tell. For agents made by `create_agent` there is `TrailGuard`.

    Of a dictionary the answer is the last message of a model in `messages`, what stands under `answer`, `output`,
    `result` or the like, or else all that models wrote side by side, as in a `RunnableParallel`; of a list likewise.
    Callback handlers of the app, such as tracers, hear every draft, rejected ones too: a handler that shows tokens to
    users must not be among them. Streams show accepted answers only.

    To ask again, the feedback needs a place in the input: messages and prompt values get two more messages; a
    dictionary gets the key `feedback`, if the prompt has a variable of that name (the first time it is empty), else its
    `messages` grow. An input with no place for feedback is given to the app as it was: a model that is sampled may do
    better, and after `max_retries` the policy `exhausted` decides.

    Args:
        runnable: A chain or model; it is not changed.
        judge: See `TrailGuard`, as for all arguments but the last three.
        max_score: Likewise.
        on_fail: Likewise.
        max_retries: Likewise.
        exhausted: Likewise.
        on_error: Likewise.
        no_evidence: Likewise.
        timeout: Likewise.
        max_calls: Likewise.
        max_tokens: Likewise.
        options: Likewise.
        message: What the user reads in place of a withheld answer. It replaces a text, a message, or the answer in a
            dictionary; where an output has no place for it, `AnswerRejectedError` is raised.
        stream: `buffer`: the chunks of an answer come when it has passed; `sentences`: of a text or message each
            sentence comes when it has passed together with those before it, and `message` ends an answer that fails
            (asking again is possible only before the first sentence was shown), so an answer is judged as often as it
            has sentences, which is for the offline judge and short answers; `pass`: chunks come at once, and then the
            report, which only `annotate` allows and does by default.
        on_report: Called with the report on every draft, on the thread that judged.
        revise: Makes a new input of the last one, its output and the feedback, in place of the rules above.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """
    if not isinstance(runnable, Runnable):
        raise InputError(f"guarded() takes a runnable, got {type(runnable).__name__}")
    if stream not in {None, "buffer", "sentences", "pass"}:
        raise InputError(f"stream is {stream!r}, expected 'buffer', 'sentences' or 'pass'")
    if stream != "sentences":
        stream = "buffer" if hides(stream, on_fail) else "pass"
    policy = Policy(
        max_score=max_score,
        on_fail=on_fail,
        max_retries=max_retries,
        exhausted=exhausted,
        on_error=on_error,
        no_evidence=no_evidence,
    )
    checker = Checker(
        judge,
        options or policy.options(),
        timeout=timeout,
        max_calls=max_calls,
        max_tokens=max_tokens,
        on_report=on_report,
        around=unseen,
    )
    return Guarded(runnable, policy, checker, message=message, stream=stream, revise=revise)
