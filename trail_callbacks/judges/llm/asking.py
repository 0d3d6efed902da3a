"""Asking a model until all is answered: the one place that says what is asked again, and how often.

- What cannot be used of an answer, or is missing in it, is asked once again, with a note that says why.
- Of an answer that was cut off, what is left gets twice the room if some of it came. Else the task is split, and if it
  cannot be, it gets twice the room once.
- A task that is refused, or too long for the model, is split.
- Any other failure stands: asking again cannot cure it.

Whatever of a reply can be used is kept. Some local servers drop what exceeds their context window, and say nothing:
`watched` warns of that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from trail_callbacks.models.call import Call, Failure, Pipeline, Reply
from trail_callbacks.models.drive import relayed
from trail_callbacks.models.tokens import count

Result = TypeVar("Result")

_NO_FAILURE = Failure("failed", "")
_CHECKED = 1500  # tokens from which a prompt is compared; shorter ones fit anywhere
_SMALLEST = 256  # tokens of a context window; a lower count is no window, but a server that does not count
_SHARE = 0.5  # of the estimated tokens; the estimate itself is within a quarter for nearly all texts


class Inquiry(Protocol[Result]):
    """What one call asks."""

    def call(self, note: str) -> Call:
        """Builds the call.

        Args:
            note: Why it is asked again, for the model; empty the first time.
        """

    def read(self, reply: Reply) -> Heard[Result]:
        """Reads a reply, also a failed one: its text may hold whole items."""

    def smaller(self, failure: Failure) -> Sequence[Inquiry[Result]]:
        """Splits the task so that this failure may not come again; returns nothing if that cannot be."""


@dataclass(frozen=True, slots=True)
class Heard(Generic[Result]):
    """What of a reply can be used, and what it leaves open.

    Attributes:
        result: What can be used.
        rest: To be asked for what is open, equal to the task that was asked if nothing came; None if nothing is open.
        failure: Why it is open.
        loss: The result for it if it is not asked again.
        note: Why it is asked again, for the model. Holds nothing that the model wrote: a text under judgement may have
            made it write that.
    """

    result: Result
    rest: Inquiry[Result] | None = None
    failure: Failure = _NO_FAILURE
    loss: Result | None = None
    note: str = ""


def ask(tasks: Iterable[Inquiry[Result]]) -> Pipeline[list[Result]]:
    """Asks tasks, and again what their replies leave open."""
    results: list[Result] = []
    todo = [_Request(task) for task in tasks]
    while todo:
        replies = yield [request.call() for request in todo]
        later: list[_Request[Result]] = []
        for request, reply in zip(todo, replies, strict=True):
            reading = request.task.read(reply)
            results.append(reading.result)
            further = _further(request, reading)
            later += further
            if not further and reading.loss is not None:
                results.append(reading.loss)
        todo = later
    return results


@dataclass(frozen=True, slots=True)
class _Request(Generic[Result]):
    """A task and how it is asked: `repeated` because an answer could not be used, `widened` to twice the room."""

    task: Inquiry[Result]
    note: str = ""
    repeated: bool = False
    widened: bool = False

    def call(self) -> Call:
        call = self.task.call(self.note)
        if self.widened and call.max_tokens is not None:
            call = replace(call, max_tokens=2 * call.max_tokens)
        return replace(call, worth_keeping=self._is_complete) if self.repeated else call

    def _is_complete(self, value: BaseModel) -> bool:
        return self.task.read(Reply(value=value)).rest is None


def _further(request: _Request[Result], heard: Heard[Result]) -> list[_Request[Result]]:
    """Says what is asked again for what a reply left open; nothing if that will not help."""
    rest = heard.rest
    match heard.failure.kind:
        case _ if rest is None:
            return []
        case "invalid":
            again = replace(request, task=rest, note=heard.note, repeated=True)
            return [] if request.repeated else [again]
        case "length" if rest != request.task:
            return [replace(request, task=rest, widened=True)]
        case "length" | "refused" | "too_long" as kind:
            parts = [replace(request, task=part) for part in rest.smaller(heard.failure)]
            wider = [replace(request, widened=True)] if kind == "length" and not request.widened else []
            return parts or wider
    return []


def watched(pipeline: Pipeline[Result], warnings: list[str]) -> Pipeline[Result]:
    """Runs a pipeline and adds a warning if an endpoint counted far fewer tokens than it was sent."""

    def see(calls: Sequence[Call], replies: Sequence[Reply]) -> None:
        if not warnings:
            warnings.extend(list(filter(None, map(unread, calls, replies)))[:1])

    return relayed(pipeline, see=see)


def unread(call: Call, reply: Reply) -> str:
    """Returns a warning if an endpoint counted far fewer tokens than it was sent, else nothing."""
    read = reply.usage.prompt_tokens // max(1, reply.usage.calls)
    if read < _SMALLEST:
        return ""
    sent = sum(count(message.content) for message in call.messages)
    if sent < _CHECKED or read >= sent * _SHARE:
        return ""
    return (
        f"the endpoint counted {read:,} tokens of a prompt of about {sent:,}: its context window may be too small, and "
        "what it did not read counts as absent; widen it, or lower VerifyOptions.read_tokens"
    )
