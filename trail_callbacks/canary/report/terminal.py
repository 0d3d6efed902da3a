"""The results of a canary run in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.report.tables import RateTable, rate_tables, split_table
from trail_callbacks.canary.report.words import answer, counted, remarks, shown, summary, ties
from trail_callbacks.canary.statistics.rates import Split
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
        by: Also shows rates by this, of all strategies together; JSON has each.
    """
    yield Text(summary(found), style="bold")
    yield Text(plain(answer(found)))
    yield ""
    yield Text("Shares in percent with their 95 % interval (Wilson).", style="dim")
    for table in rate_tables(found):
        yield from _rates(table)
    yield from _outcomes(found)
    for measure, groups in found.ranking.items():
        if said := ties(found, measure):
            yield from ("", Text(f"{said}. Best first; on one line, those that cannot be told apart:"))
        for number, group in enumerate(groups if said else (), 1):
            yield _indented(f"{number}. {' | '.join(map(plain, group))}")
    for table in split_table(found, by) if by else ():
        yield from _rates(table)
    if found.unscorable:
        yield from ("", Text(f"Unscorable: {counted(sum(each.trials for each in found.unscorable), 'trial')}"))
        yield from (_indented(f"{each.trials:,}: {plain(each.words)}") for each in found.unscorable[:_REASONS])
        if more := len(found.unscorable[_REASONS:]):
            yield _indented(f"and {counted(more, 'other reason')}")
    yield from ("", Text(f"Precision: {found.precision}."))
    yield from (Text(plain(each), style="dim") for each in remarks(found))


def _rates(found: RateTable) -> Iterator[Any]:
    """The n of the first rate has a column; others say theirs where it is another."""
    for first in range(0, len(found.labels), _COLUMNS):
        table = _blank(found.title if first == 0 else "")
        table.add_column(found.head, overflow="fold")
        table.add_column("n", justify="right", no_wrap=True)
        for label in found.labels[first : first + _COLUMNS]:
            table.add_column(label, overflow="fold", min_width=_RATE)
        for name, rates in found.rows[:_MOST]:
            part = rates[first : first + _COLUMNS]
            cells = (shown(each, beside=part[0].n) for each in part)
            table.add_row(Text(plain(name)), f"{part[0].n:,}", *cells)
        yield from _shown(table, len(found.rows))


def _outcomes(found: Results) -> Iterator[Any]:
    rows = list(found.rates.strategies.values())
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
        for arm in arms:
            name = Text(plain(row.strategy or "all") if arm == arms[0] else "")
            table.add_row(name, _ARMS[arm], *(f"{row.outcomes[arm][each]:,}" for each in known))
    yield from _shown(table, len(rows))


def _indented(words: str) -> Padding:
    return Padding(Text(words), (0, 0, 0, 2))


def _blank(title: str) -> Table:
    return Table(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), title=title or None, title_justify="left", title_style="bold"
    )


def _shown(table: Table, rows: int) -> Iterator[Any]:
    yield from ("", table)
    if rows > _MOST:
        yield Text(f"and {rows - _MOST:,} more rows, see --json", style="dim")
