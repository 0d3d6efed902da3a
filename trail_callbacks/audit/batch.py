"""The engine for batch endpoints: half the price where a provider has them, and hours of delay."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

from trail_callbacks.audit.judging import Judging, Outcome, Task
from trail_callbacks.errors import InputError
from trail_callbacks.judges.judge import Judge
from trail_callbacks.models.call import Model
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.work.budget import Granted, Grants

if TYPE_CHECKING:
    from trail_callbacks.audit.rounds import Rounds

__all__ = ["BatchEngine"]

_AT_ONCE = 1024  # calls of one answer that may be in the same batch
_PATIENCE = 60.0  # seconds for the thread to end


@dataclass(frozen=True, slots=True)
class BatchEngine:
    """Asks the judge's model through OpenAI-style batch endpoints, in rounds: one batch for many answers.

    Resumable: what was submitted is written down before it is waited for, and never submitted again while its batch
    is open or its replies are there.

    Args:
        folder: Where it is written down; one in the folder of the results.
        concurrency: Answers in work at once, 1 or more: they are in memory, and as many share a batch.
        requests: Requests of one batch, at most, 1 to 50,000.
        first: Seconds before a batch is looked at for the first time; they grow by a half each time.
        longest: Seconds between two looks, at most.

    Raises:
        InputError: If a number is out of range.
    """

    folder: str | Path
    concurrency: int = 1000
    requests: int = 20_000
    first: float = 2.0
    longest: float = 60.0

    def __post_init__(self) -> None:
        """Checks ranges."""
        for name, most in (("concurrency", None), ("requests", 50_000)):
            value = getattr(self, name)
            if value < 1 or (most is not None and value > most):
                raise InputError(f"BatchEngine.{name} is {value}, expected 1 {f'to {most}' if most else 'or more'}")
        if not 0 < self.first <= self.longest < float("inf"):
            raise InputError(f"BatchEngine waits {self.first} to {self.longest} seconds, expected over 0 and in order")

    def run(self, tasks: Iterator[Task], judge: Judge, options: VerifyOptions, grants: Grants) -> Iterator[Outcome]:
        """See `Engine`."""
        from trail_callbacks.audit.rounds import Asking, Rounds  # noqa: PLC0415 - needs the extra `llm`

        if judge.model is None:
            raise InputError("batches are for a judge that asks a model: name one, as in judge='openai/gpt-5-mini'")
        rounds = Rounds(Path(self.folder), self.requests, self.first, self.longest)
        asked: dict[int, tuple[Model, Model]] = {}

        def through(model: Model) -> Model:
            if id(model) not in asked:
                asked[id(model)] = model, rounds.model(model)  # the first is kept so that its id is not used again
            return Asking(Granted(asked[id(model)][1], grants))

        through(judge.model)  # says at once if it cannot be asked
        settings = replace(options, concurrency=max(_AT_ONCE, options.concurrency), max_seconds=None)
        yield from _Work(rounds, Judging(judge, settings, grants, through=through)).run(tasks, self.concurrency)


class _Work:
    """Has many answers judged on an event loop of its own, on a thread."""

    def __init__(self, rounds: Rounds, judging: Judging) -> None:
        self._rounds, self._judging = rounds, judging
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="trail-audit-batch", daemon=True)
        self._done: SimpleQueue[Future[Outcome]] = SimpleQueue()
        self._running: set[Future[Outcome]] = set()

    def run(self, tasks: Iterator[Task], most: int) -> Iterator[Outcome]:
        """Carries out tasks, so many at once."""
        self._thread.start()
        whole = False
        try:
            more = self._fill(tasks, most)
            while self._running:
                self._tell_filling(False)
                ended = [self._done.get()]
                self._tell_filling(more)
                while not self._done.empty():
                    ended.append(self._done.get())
                self._running.difference_update(ended)
                yield from (each.result() for each in ended)
                more = more and self._fill(tasks, most)
            whole = True
        finally:
            self._close(whole=whole)

    def _fill(self, tasks: Iterator[Task], most: int) -> bool:
        """Begins tasks while there is room; tells whether there may be more."""
        while len(self._running) < most:
            task = next(tasks, None)
            if task is None:
                return False
            started = asyncio.run_coroutine_threadsafe(self._one(task), self._loop)
            self._running.add(started)
            started.add_done_callback(self._done.put)
        return True

    async def _one(self, task: Task) -> Outcome:
        with self._rounds.row():
            return await self._judging.ajudge(task)

    def _tell_filling(self, filling: bool) -> None:
        self._loop.call_soon_threadsafe(self._rounds.fill, filling)

    def _close(self, *, whole: bool) -> None:
        for each in self._running:
            each.cancel()
        try:
            asyncio.run_coroutine_threadsafe(self._rounds.close(whole=whole), self._loop).result(_PATIENCE)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_PATIENCE)
            if not self._loop.is_running():
                self._loop.close()
