"""The results of a canary run in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.report.words import (
    ARM_WORDS,
    SPLIT_BY,
    TABLES,
    answer,
    counted,
    remarks,
    shown,
    summary,
    ties,
)
from trail_callbacks.canary.statistics.contrasts import Compared
from trail_callbacks.canary.statistics.measures import MEASURES
from trail_callbacks.canary.statistics.rates import Figures, Split
from trail_callbacks.canary.trial import OUTCOMES, Outcome
from trail_callbacks.render.safe_text import plain
from trail_callbacks.render.terminal import plain_text

__all__ = ["to_rich", "to_text", "views"]

_MOST = 60  # rows of a table
_COLUMNS, _RATE = 3, 17  # rates beside each other, and characters of one: a terminal may have no more than 80
_REASONS = 5
_ARMS: Mapping[Arm, str] = {"closed_book": "closed", "real": "real", "fictive": "fictive", "empty": "empty"}
_SHORT: Mapping[Outcome, str] = {
    "follows_context": "follows",
    "leaks_prior": "leaks",
    "blends": "blends",
    "abstains": "abstains",
    "other_wrong": "wrong",
    "retrieval_miss": "missed",
    "unscorable": "unscored",
}


def to_text(found: Results, width: int | None = None) -> str:
    """Renders results as plain text without colour; `width` as for `render.terminal.to_text`."""
    return plain_text(to_rich(found), width)


def to_rich(found: Results) -> Group:
    """Renders results for a rich console."""
    return Group(*(Text(each) if isinstance(each, str) else each for each in views(found)))


def views(found: Results, by: Split | None = None) -> Iterator[Any]:
    """Renders results for a rich console, part by part.

    Args:
        found: The results.
        by: Also shows rates by this, of all strategies together; JSON and page have each.
    """
    yield Text(summary(found), style="bold")
    yield Text(plain(answer(found)))
    yield ""
    yield Text("Shares in percent with their 95 % interval (Wilson).", style="dim")
    strategies = list(found.rates.strategies.values())
    for title, names in TABLES.items():
        yield from _table(title, strategies, names)
    yield from _right(found, strategies)
    yield from _outcomes(found, strategies)
    for measure in found.ranking:
        yield from _ranking(found, measure)
    if by:
        split = found.rates.splits[by]
        pooled = [each for each in split if each.strategy is None] or split
        yield from _table(f"By {by}, all strategies", pooled, SPLIT_BY, split=by)
    yield from _unscorable(found)
    yield ""
    yield Text(f"Precision: {found.precision}.")
    yield from (Text(plain(each), style="dim") for each in remarks(found))


def _outcomes(found: Results, rows: Sequence[Figures]) -> Iterator[Any]:
    arms = [arm for arm in found.run.arms if any(sum(each.outcomes[arm].values()) for each in rows)]
    if not arms:
        return
    known = [each for each in OUTCOMES if any(row.outcomes[arm][each] for row in rows for arm in arms)]
    table = _blank("Trials by outcome")
    for head in ("strategy", "arm"):
        table.add_column(head, overflow="fold")
    for outcome in known:
        table.add_column(_SHORT[outcome], justify="right", no_wrap=True)
    for row in rows[:_MOST]:
        for place, arm in enumerate(arms):
            name = Text(plain(row.strategy or "all") if place == 0 else "")
            table.add_row(name, _ARMS[arm], *(f"{row.outcomes[arm][each]:,}" for each in known))
    yield from _shown(table, len(rows))


def _table(title: str, rows: Sequence[Figures], names: Sequence[str], split: str = "") -> Iterator[Any]:
    """Rates by strategy, or by the values of a split; columns without any trial are left out."""
    known = [measure for measure in names if any(each.rates[measure].n for each in rows)]
    for first in range(0, len(known), _COLUMNS):
        table = _blank(title if first == 0 else "")
        table.add_column(split or "strategy", overflow="fold")
        table.add_column("n", justify="right", no_wrap=True)
        part = known[first : first + _COLUMNS]
        for measure in part:
            table.add_column(MEASURES[measure].label, overflow="fold", min_width=_RATE)
        for each in rows[:_MOST]:
            n = each.rates[part[0]].n
            head = Text(plain((each.value if split else each.strategy) or "all"))
            table.add_row(head, f"{n:,}", *(shown(each.rates[measure], beside=n) for measure in part))
        yield from _shown(table, len(rows))


def _right(found: Results, rows: Sequence[Figures]) -> Iterator[Any]:
    arms = [arm for arm in found.run.arms if any(each.right[arm].n for each in rows)]
    if not arms:
        return
    table = _blank(f"Right, if the policy is: {found.rates.policy.replace('_', ' ')}")
    table.add_column("strategy", overflow="fold")
    table.add_column("n", justify="right", no_wrap=True)
    for arm in arms:
        table.add_column(ARM_WORDS[arm], overflow="fold", min_width=_RATE)
    for each in rows[:_MOST]:
        n = each.right[arms[0]].n
        cells = (shown(each.right[arm], beside=n) for arm in arms)
        table.add_row(Text(plain(each.strategy or "all")), f"{n:,}", *cells)
    yield from _shown(table, len(rows))


def _ranking(found: Results, measure: Compared) -> Iterator[Any]:
    said = ties(found, measure)
    if not said:
        return
    yield ""
    yield Text(f"{said}. Best first; on one line, those that cannot be told apart:")
    for number, group in enumerate(found.ranking[measure], 1):
        yield Padding(Text(f"{number}. {' | '.join(map(plain, group))}"), (0, 0, 0, 2))


def _unscorable(found: Results) -> Iterator[Any]:
    if not found.unscorable:
        return
    yield ""
    yield Text(f"Unscorable: {counted(sum(each.trials for each in found.unscorable), 'trial')}")
    for each in found.unscorable[:_REASONS]:
        yield Padding(Text(f"{each.trials:,}: {plain(each.words)}"), (0, 0, 0, 2))
    more = len(found.unscorable) - _REASONS
    if more > 0:
        yield Padding(Text(f"and {counted(more, 'other reason')}"), (0, 0, 0, 2))


def _blank(title: str) -> Table:
    return Table(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), title=title or None, title_justify="left", title_style="bold"
    )


def _shown(table: Table, rows: int) -> Iterator[Any]:
    yield ""
    yield table
    if rows > _MOST:
        yield Text(f"and {rows - _MOST:,} more rows, see --json", style="dim")
