"""Asks an app several questions at once, each within a time, whatever the app does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, TypeVar

from trail_callbacks.canary.arm import Answered, App, ArmUnavailableError, Ask
from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.models.call import Usage
from trail_callbacks.models.loop import PrivateLoop
from trail_callbacks.models.provider_error import redact
from trail_callbacks.report import Report

__all__ = ["Asked", "Askers", "Question", "in_words"]

_T = TypeVar("_T")
_LONGEST = 400  # characters of an error
_GRACE = 1.0  # seconds that a coroutine has to end once it is cancelled


@dataclass(slots=True, eq=False)
class Question:
    """A question on its way.

    Attributes:
        cell: Its place in the plan.
        ask: What the app is asked.
        tokens: What was granted for it.
        started: When the app was called; None before.
        awaited: The app answers with a coroutine, which ends by itself when its time is over.
    """

    cell: tuple[int, int, int]
    ask: Ask
    tokens: int = 0
    started: float | None = None
    awaited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How a question ended: one of the first three is given.

    Attributes:
        question: The question.
        answered: What the app answered.
        error: Why it did not, in a line.
        unavailable: Why it cannot be asked under this arm.
        seconds: Wall time.
        hung: The app did not come back: its thread is left behind.
    """

    question: Question
    answered: Answered | None = None
    error: str | None = None
    unavailable: str | None = None
    seconds: float = 0.0
    hung: bool = False


class Askers:
    """A few threads that call an app. Those that do not come back in time are left behind, and replaced.

    Coroutines run on one event loop for all canary runs of the process, so that clients which belong to a loop can be
    used again by the next run.

    Args:
        app: The app.
        concurrency: Questions at once.
        timeout: Seconds for each.
        events: Where others announce what `wait` is to return, too.
    """

    def __init__(self, app: App, concurrency: int, timeout: float, events: SimpleQueue[Any]) -> None:
        self.hung = 0
        self._app, self._timeout = app, timeout
        self._events = events
        self._idle: list[_Thread] = []
        self._busy: dict[Question, _Thread] = {}
        self._most = concurrency

    @property
    def free(self) -> int:
        """How many more questions may be asked now."""
        return self._most - len(self._busy)

    @property
    def busy(self) -> int:
        """How many questions are on their way."""
        return len(self._busy)

    def ask(self, question: Question) -> None:
        """Asks a question; its end will be among the events."""
        thread = self._idle.pop() if self._idle else _Thread(self._app, self._timeout, self._events)
        self._busy[question] = thread
        thread.inbox.put(question)

    def wait(self, seconds: float | None) -> list[Any]:
        """Waits for events, as long as told at most.

        Returns:
            An `Asked` for each question that ended, and what others announced; nothing if the time is over.
        """
        due = min((self._deadline(each) for each in self._busy), default=None)
        limits = [each for each in (seconds, None if due is None else max(0.0, due - monotonic())) if each is not None]
        found: list[Any] = []
        try:
            found.append(self._events.get(timeout=min(limits)) if limits else self._events.get())
            while True:
                found.append(self._events.get_nowait())
        except Empty:
            pass
        return [*self._taken(found), *self._overdue()]

    def close(self) -> None:
        """Lets the threads end, those that are at work once they are done."""
        for thread in [*self._idle, *self._busy.values()]:
            thread.inbox.put(None)

    def _taken(self, found: list[Any]) -> Iterator[Any]:
        for event in found:
            if not isinstance(event, Asked):
                yield event
                continue
            thread = self._busy.pop(event.question, None)
            if thread is not None:  # None: it is too late
                self._idle.append(thread)
                yield event

    def _overdue(self) -> Iterator[Asked]:
        now = monotonic()
        for question in [each for each in self._busy if self._deadline(each) <= now]:
            thread = self._busy.pop(question)
            thread.inbox.put(None)
            self.hung += 1
            if question.awaited:
                _LOOP.renew()  # something blocks it: others must not wait behind
            why = f"no answer within {self._timeout:g} s, and the app is still at work on it"
            yield Asked(question=question, error=why, seconds=now - (question.started or now), hung=True)

    def _deadline(self, question: Question) -> float:
        if question.started is None:  # the thread was not given any time yet
            return monotonic() + self._timeout
        return question.started + self._timeout + (_GRACE if question.awaited else 0.0)


@dataclass(slots=True)
class _Loop:
    """The event loop of coroutines."""

    current: PrivateLoop = field(default_factory=PrivateLoop)
    stuck: list[PrivateLoop] = field(default_factory=list)  # kept: ending one waits for what it does

    def renew(self) -> None:
        self.stuck.append(self.current)
        self.current = PrivateLoop()


_LOOP = _Loop()


class _Thread:
    """A thread that asks what is put into its inbox, until that is None. It never keeps a process from ending."""

    def __init__(self, app: App, timeout: float, events: SimpleQueue[Any]) -> None:
        self.inbox: SimpleQueue[Question | None] = SimpleQueue()
        self._app, self._timeout, self._events = app, timeout, events
        Thread(target=self._work, name="trail-canary", daemon=True).start()

    def _work(self) -> None:
        while (question := self.inbox.get()) is not None:
            question.started = monotonic()
            found: dict[str, Any] = copy_context().run(self._outcome, question)
            self._events.put(Asked(question=question, seconds=monotonic() - question.started, **found))

    def _outcome(self, question: Question) -> dict[str, Any]:
        try:
            found = self._app(question.ask)
            if isinstance(found, Awaitable):
                question.awaited = True
                found = _LOOP.current.run(_in_time(found, self._timeout))
            return {"answered": _answered(found)}
        except ArmUnavailableError as error:
            return {"unavailable": in_words(error)}
        except NotImplementedError as error:
            if question.ask.arm == "closed_book":
                return {"unavailable": str(error) or "the app cannot be asked without context"}
            return {"error": in_words(error)}
        except _TooLateError:
            return {"error": f"no answer within {self._timeout:g} s"}
        except BaseException as error:  # noqa: BLE001 - whatever an app raises, SystemExit too, is an outcome
            return {"error": in_words(error)}


class _TooLateError(Exception):
    """The time of a coroutine is over; an app's own TimeoutError is another matter."""


async def _in_time(found: Awaitable[Any], timeout: float) -> Any:
    task = asyncio.ensure_future(found)
    done, _ = await asyncio.wait([task], timeout=timeout)
    if done:
        return task.result()
    task.cancel()
    await asyncio.wait([task], timeout=_GRACE / 2)
    raise _TooLateError


def _answered(found: Any) -> Answered:
    if isinstance(found, str):
        return Answered(text=found)
    if isinstance(found, Answered):
        passages = None if found.passages is None else _several("passages", found.passages, str)
        for name, kind in (("text", str), ("usage", Usage), ("report", Report | None)):
            if not isinstance(value := getattr(found, name), kind):
                given = type(value).__name__
                raise TypeError(f"the app answered with {given} as {name}, expected {getattr(kind, '__name__', kind)}")
        return replace(found, passages=passages, dropped=_several("dropped", found.dropped, Skipped))
    hint = "; is it a factory, which makes an app?" if callable(found) else ""
    raise TypeError(f"the app returned {type(found).__name__}, expected str or Answered{hint}")


def _several(name: str, found: Any, kind: type[_T]) -> tuple[_T, ...]:
    """Several things of a type; raises TypeError if one is not, or if there is a text in place of several."""
    listed = tuple(found)
    wrong = {type(each).__name__ for each in listed if not isinstance(each, kind)}
    given = "a str" if isinstance(found, str) else f"a sequence of {' and '.join(sorted(wrong))}"
    if wrong or isinstance(found, str):
        raise TypeError(f"the app answered with {given} as {name}, expected a sequence of {kind.__name__}")
    return listed


def in_words(error: BaseException) -> str:
    """An error in one line, without keys."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an app's exception may be broken, too
        text = "(its text cannot be made)"
    name = type(error).__name__
    words = f"{name}: {text}" if text else name
    return redact(" ".join(words.split())[:_LONGEST] if not isinstance(error, ArmUnavailableError) else text[:_LONGEST])
