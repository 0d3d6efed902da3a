"""Guarding a stream, as steps to be carried out: whole answers, or sentence by sentence."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from langchain_trail.reading import unmarked
from langchain_trail.sentences import SentenceStream
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard import (
    Action,
    Checker,
    GuardSettings,
    GuardSteps,
    JudgeDraft,
    Outcome,
    StripAnswer,
    WriteDraft,
    WriteFeedback,
    decide,
    waits,
)
from trail_callbacks.guard.stripping import Stripped
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report

__all__ = ["StreamSteps", "acarry_out_stream", "by_sentence", "carry_out_stream", "whole"]

END = object()
"""Stands for the chunk after the last one."""

Draft = TypeVar("Draft")
StreamSteps: TypeAlias = Generator[Any, Any, Outcome[Draft]]
"""Yields `OpenStream`, `FetchChunk` and `EmitChunk`, and the steps that a `Checker` carries out."""


@dataclass(frozen=True, slots=True)
class OpenStream:
    """A step: start a stream; one that is open is closed."""

    request: Any


@dataclass(frozen=True, slots=True)
class FetchChunk:
    """A step: get the next chunk, or `END`."""


@dataclass(frozen=True, slots=True)
class EmitChunk:
    """A step: give the user a chunk."""

    chunk: Any


def whole(steps: GuardSteps[Draft], drafted: Callable[[list[Any]], Draft], *, live: bool) -> StreamSteps[Draft]:
    """Guards a stream as one answer.

    Args:
        steps: The steps of guarding the answer.
        drafted: Makes a draft of all its chunks.
        live: The user gets each chunk at once.
    """
    step = next(steps)
    while True:
        result: Any
        if isinstance(step, WriteDraft):
            yield OpenStream(step.request)
            chunks = []
            while (chunk := (yield FetchChunk())) is not END:
                chunks.append(chunk)
                if live:
                    yield EmitChunk(chunk)
            result = drafted(chunks)
        else:
            result = yield step
        try:
            step = steps.send(result)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]  # what the generator returns


def by_sentence(
    settings: GuardSettings,
    request: Any,
    *,
    graph_of: Callable[[str], Callable[[], ProvenanceGraph]],
    revised: Callable[[Any, Any, str], Any],
) -> StreamSteps[SentenceStream]:
    """Guards a stream of text; each new sentence is judged together with those before it, and released if they pass.

    Args:
        settings: How answers are guarded. `retry` can start again only while nothing was released; `strip` leaves out
            what fails, and cannot take back what was released.
        request: What the app is asked.
        graph_of: Returns how to get the graph of the answer so far.
        revised: As in `trail_callbacks.guard.guard_answer`, with the text of the draft.
    """
    usage, rejected = Usage(), 0
    while True:
        yield OpenStream(request)
        stream, more = SentenceStream(), True
        action: Action = "skip"
        report: Report | None = None
        remaining: Stripped | None = None
        while more and action in {"skip", "pass", "annotate", "strip"}:
            chunk = yield FetchChunk()
            more = chunk is not END
            if more:
                stream.add(chunk)
            end = stream.end() if more else len(stream.text)
            if stream.text[stream.released : end].strip():
                report = yield JudgeDraft(graph_of(stream.text[:end]), usage)
                usage += report.usage
                action = decide(settings, report, settings.max_retries if stream.shown else rejected)
                if more and waits(settings, report):
                    action, stream.released = "skip", end
                if settings.on_fail == "strip" and (action == "strip" or (action == "pass" and (more or remaining))):
                    remaining = yield from _remaining(stream, StripAnswer(report, [stream.text[:end]], ended=not more))
                    action = settings.exhausted if action == "strip" and remaining is None else action
            if action in {"pass", "annotate", "strip"} and end > stream.released:
                yield EmitChunk(stream.release(end, remaining.text if remaining else None))
        if action in {"skip", "pass", "annotate"} or report is None:
            attempts = rejected + 1
        else:
            attempts = rejected = rejected + 1
        if action != "retry" or report is None:
            left = remaining if action == "strip" else None
            return Outcome(
                draft=stream,
                action=action,
                report=report,
                rejected=rejected,
                attempts=attempts,
                usage=usage,
                remaining=left,
            )
        request = revised(request, stream.text, (yield WriteFeedback(report)))


def _remaining(stream: SentenceStream, step: StripAnswer) -> Generator[Any, Any, Stripped | None]:
    """What is left of the text so far; None if what was shown cannot stay."""
    remaining: Stripped | None = yield step
    return remaining if remaining and remaining.text.startswith(stream.shown) else None


def carry_out_stream(
    steps: StreamSteps[Any],
    open_stream: Callable[[Any], Iterator[Any]],
    checker: Checker,
    finish: Callable[[Outcome[Any]], Iterable[Any]],
) -> Generator[Any]:
    """Guards a stream; yields what the user gets.

    Args:
        steps: The steps.
        open_stream: Starts a stream for a request.
        checker: Judges drafts.
        finish: Returns the last chunks for an outcome.
    """
    result: Any = None
    stream: Iterator[Any] = iter(())
    try:
        while True:
            try:
                step = steps.send(result)
            except StopIteration as stop:
                outcome = stop.value
                break
            result = None
            if isinstance(step, OpenStream):
                _close(stream)
                stream = open_stream(step.request)
            elif isinstance(step, FetchChunk):
                result = unmarked(next(stream, END))
            elif isinstance(step, EmitChunk):
                yield step.chunk
            else:
                result = checker.carry_out(step)
    finally:
        _close(stream)
    yield from finish(outcome)


async def acarry_out_stream(
    steps: StreamSteps[Any],
    open_stream: Callable[[Any], AsyncIterator[Any]],
    checker: Checker,
    finish: Callable[[Outcome[Any]], Awaitable[Iterable[Any]]],
) -> AsyncGenerator[Any]:
    """As `carry_out_stream`."""
    result: Any = None
    stream: AsyncIterator[Any] | None = None
    try:
        while True:
            try:
                step = steps.send(result)
            except StopIteration as stop:
                outcome = stop.value
                break
            result = None
            if isinstance(step, OpenStream):
                await _aclose(stream)
                stream = open_stream(step.request)
            elif isinstance(step, FetchChunk):
                result = END if stream is None else unmarked(await anext(stream, END))
            elif isinstance(step, EmitChunk):
                yield step.chunk
            else:
                result = await checker.acarry_out(step)
    finally:
        await _aclose(stream)
    for chunk in await finish(outcome):
        yield chunk


def _close(stream: Iterator[Any]) -> None:
    if (close := getattr(stream, "close", None)) is not None:
        close()


async def _aclose(stream: AsyncIterator[Any] | None) -> None:
    if (close := getattr(stream, "aclose", None)) is not None:
        await close()
