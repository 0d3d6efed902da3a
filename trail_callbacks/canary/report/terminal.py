"""The results of a canary run in a terminal; a notebook shows the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.report.words import (
    FigureTable,
    answer,
    counted,
    outcome_table,
    rate_tables,
    remarks,
    shown,
    summary,
    ties,
)
from trail_callbacks.render.excerpt import block, line, plain
from trail_callbacks.render.terminal import plain_text
from trail_callbacks.statistics.rates import Rate

_MOST = 60  # rows of a table
_COLUMNS, _RATE = 2, 24  # rates beside each other, and characters of one: a terminal may have no more than 80
_REASONS = 5
_WIDE = 110  # columns in a notebook
_BOX = "font-family:system-ui,sans-serif;font-size:14px;line-height:1.5;max-width:70em;text-align:left"


def to_text(found: Results, width: int | None = None) -> str:
    """Renders results as plain text without colour; `width` as for `render.terminal.to_text`."""
    return plain_text(to_rich(found), width)


def to_fragment(found: Results) -> str:
    """Renders results as one HTML element: what was found in a sentence, and what a terminal shows; text is escaped."""
    said = f'<div style="{_BOX}"><b>{line(answer(found))}</b>'
    return f'{said}<pre style="line-height:1.3;overflow:auto">{block(to_text(found, _WIDE))}</pre></div>'


def to_rich(found: Results) -> Group:
    """Renders results for a rich console."""
    return Group(*views(found))


def views(found: Results, *, brief: bool = False) -> Iterator[Any]:
    """Renders results for a rich console, part by part.

    Args:
        found: The results.
        brief: Only follow and leak rates, with the strategies that cannot be told apart.
    """
    yield Text(summary(found), style="bold")
    yield Text(plain(answer(found)))
    yield Text("\nShares in percent with their 95 % interval (Wilson).", style="dim")
    tables = [*rate_tables(found), *outcome_table(found)]
    for table in tables[:1] if brief else tables:
        yield from _drawn(table)
    for measure, groups in found.ranking.items():
        if said := ties(found, measure):
            yield Text(f"\n{said}. Best first; on one line, those that cannot be told apart:")
            yield from (_indented(f"{at}. {' | '.join(map(plain, group))}") for at, group in enumerate(groups, 1))
    if found.unscorable and not brief:
        yield Text(f"\nUnscorable: {counted(sum(each.trials for each in found.unscorable), 'trial')}")
        yield from (_indented(f"{each.trials:,}: {plain(each.words)}") for each in found.unscorable[:_REASONS])
        if more := len(found.unscorable[_REASONS:]):
            yield _indented(f"and {counted(more, 'other reason')}")
    yield Text(f"\nPrecision: {found.precision}.")
    yield from (Text(plain(each), style="dim") for each in remarks(found))


def _drawn(found: FigureTable) -> Iterator[Any]:
    """A table; of rates, several where it is too wide."""
    are_rates = isinstance(found.rows[0][1][0], Rate)
    step = _COLUMNS if are_rates else len(found.labels)
    for first in range(0, len(found.labels), step):
        title = f"\n{found.title}" if first == 0 else "\n"
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), title=title, title_justify="left")
        table.title_style = "bold"
        for head in found.heads:
            table.add_column(head, overflow="fold")
        for label in found.labels[first : first + step]:
            table.add_column(label, overflow="fold", min_width=_RATE if are_rates else None)
        for names, figures in found.rows[:_MOST]:
            part = figures[first : first + step]
            cells = (shown(each) if isinstance(each, Rate) else f"{each:,}" for each in part)
            table.add_row(*(Text(plain(each)) for each in names), *cells)
        yield table
        if len(found.rows) > _MOST:
            yield Text(f"and {len(found.rows) - _MOST:,} more rows, see --json", style="dim")


def _indented(words: str) -> Padding:
    return Padding(Text(words), (0, 0, 0, 2))
