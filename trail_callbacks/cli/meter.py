"""The bar of long work within a budget, on a terminal: rate, cost and time left."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from trail_callbacks.models.call import Usage
from trail_callbacks.render.safe_text import plain

__all__ = ["Meter", "meter"]


class Meter:
    """A bar with words beside it."""

    def __init__(self, bar: Progress, what: str) -> None:
        self._bar = bar
        self._task = bar.add_task(plain(what), total=None)

    def show(self, words: str, done: int, share: float | None, usage: Usage, money: float | None) -> None:
        """Shows how far the work is.

        Args:
            words: What was done, such as `12 judged`.
            done: How many by now, for the rate.
            share: Share of all, 0.0 to 1.0; None if nobody knows.
            usage: What it cost.
            money: The same in money; None without prices.
        """
        seconds = self._bar.tasks[0].elapsed or 0.0
        rate = f", {done / seconds:.1f} a second" if seconds else ""
        tokens = usage.prompt_tokens + usage.completion_tokens
        cost = f", {usage.calls} calls, {tokens:,} tokens" if usage.calls else ""
        cost += "" if money is None else f", {money:.2f} spent"
        total = None if share is None else 1.0
        self._bar.update(self._task, description=f"{words}{rate}{cost}", completed=share or 0.0, total=total)


@contextmanager
def meter(what: str) -> Generator[Meter]:
    """Shows a bar while a block runs, if the standard error is a terminal.

    Args:
        what: What is shown until something was done.
    """
    screen = Console(stderr=True, highlight=False, markup=False, emoji=False)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        TextColumn("left", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        yield Meter(bar, what)
