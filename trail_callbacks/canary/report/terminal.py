"""The results of a canary run in a terminal; a notebook shows the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.report.sections import FigureTable, Listing, answer, remarks, sections, shown, summary
from trail_callbacks.render.excerpt import block, line, plain
from trail_callbacks.render.terminal import plain_text
from trail_callbacks.statistics.rates import Rate

_MOST, _ITEMS = 60, 5  # rows of a table, and items of a list
_COLUMNS, _RATE = 2, 24  # rates beside each other, and characters of one: a terminal may have no more than 80
_WIDE = 110  # columns in a notebook
_BOX = "font-family:system-ui,sans-serif;font-size:14px;line-height:1.5;max-width:70em;text-align:left"


def to_text(found: Results, width: int | None = None) -> str:
    """Renders results as plain text without colour; `width` as for `render.terminal.to_text`."""
    return plain_text(to_rich(found), width)


def to_fragment(found: Results) -> str:
    """Renders results as one HTML element: what was found in a sentence, and what a terminal shows; text is escaped."""
    said = f'<div style="{_BOX}"><b>{line(answer(found))}</b>'
    return f'{said}<pre style="line-height:1.3;overflow:auto">{block(to_text(found, _WIDE))}</pre></div>'


def to_rich(found: Results, *, brief: bool = False) -> Group:
    """Renders results for a rich console; if brief, only main rates and which strategies cannot be told apart."""
    views: list[Any] = [Text(summary(found), style="bold"), Text(plain(answer(found)))]
    for section in sections(found):
        if brief and section.id not in ("strategies", "order"):
            continue
        for part in section.parts[:2] if brief and section.id == "strategies" else section.parts:
            if isinstance(part, str):
                views.append(Text(f"\n{part}", style="dim"))
            elif isinstance(part, Listing):
                views += _listed(part)
            elif not part.is_detail:
                views += _drawn(part)
    return Group(*views, *(Text(f"\n{plain(each)}", style="dim") for each in remarks(found)))


def _listed(found: Listing) -> Iterator[Any]:
    items = found.items if found.is_ranking else found.items[:_ITEMS]
    if items:
        yield Text(f"\n{found.title}")
    for at, each in enumerate(items, 1):
        place = f"{at}. " if found.is_ranking else ""
        yield Padding(Text(f"{place}{' | '.join(map(plain, each))}"), (0, 0, 0, 2))
    if more := len(found.items) - len(items):
        yield Padding(Text(f"and {more:,} more"), (0, 0, 0, 2))


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
        for names, cells in found.rows[:_MOST]:
            table.add_row(*(Text(plain(each)) for each in names), *map(shown, cells[first : first + step]))
        yield table
        if len(found.rows) > _MOST:
            yield Text(f"and {len(found.rows) - _MOST:,} more rows, see --json", style="dim")
