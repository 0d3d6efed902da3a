"""Which question is asked next, and when: in the order of the plan, as budget and pace allow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from time import monotonic

from trail_callbacks.canary.arm import Ask
from trail_callbacks.canary.runs.plan import Cell, Plan
from trail_callbacks.models.call import Failure, Usage
from trail_callbacks.models.tokens import count
from trail_callbacks.work.budget import Ledger

__all__ = ["Posed", "Queue"]


@dataclass(frozen=True, slots=True)
class Posed:
    """A question, its place in the plan, and the tokens that were granted for it."""

    cell: Cell
    ask: Ask
    tokens: int


class Queue:
    """The questions that are to be asked.

    Args:
        plan: What the numbers of cells mean.
        todo: The cells, in their order.
        ledger: Grants the calls.

    Attributes:
        stopped: Why nothing more is asked; None if it is, or all was.
    """

    def __init__(self, plan: Plan, todo: Iterable[Cell], ledger: Ledger) -> None:
        self.stopped: str | None = None
        self._plan, self._todo, self._ledger = plan, iter(todo), ledger
        self._without: set[tuple[int, int]] = set()
        self._held: tuple[Posed, float] | None = None  # the next one, and when the pace lets it go

    @property
    def held(self) -> float | None:
        """In how many seconds the pace lets the next question go; None if nothing waits for that."""
        return None if self._held is None else max(0.0, self._held[1] - monotonic())

    def end(self, why: str) -> None:
        """Ends the queue; the first reason counts."""
        self.stopped = self.stopped or why

    def leave_out(self, cell: Cell) -> bool:
        """Leaves out an arm of a strategy from now on; returns whether that is new."""
        new = (cell[0], cell[2]) not in self._without
        self._without.add((cell[0], cell[2]))
        return new

    def next(self) -> Posed | None:
        """The next question that may be asked now; None if there is none, or the pace holds it back."""
        if self._held is None and self.stopped is None:
            self._held = self._admitted()
        if self._held is None:
            return None
        question, due = self._held
        if self.stopped is not None:
            self._ledger.settle(question.tokens, Usage(), None)  # gives back what was granted
        elif due > monotonic():
            return None
        self._held = None
        return question if self.stopped is None else None

    def _admitted(self) -> tuple[Posed, float] | None:
        """The next question with the time from which it may be asked; None if there is none, or no budget."""
        for cell in self._todo:
            if (cell[0], cell[2]) in self._without:
                continue
            strategy, probe, arm = self._plan.at(cell)
            tokens = count(probe.question)
            wait = self._ledger.admit(tokens)
            if isinstance(wait, Failure):
                self.end(wait.detail)
                return None
            ask = Ask(probe=probe.id, question=probe.question, arm=arm, strategy=strategy)
            return Posed(cell, ask, tokens), monotonic() + wait
        return None
