"""The main figures of a canary run in a notebook: one element, no script, all text escaped.

A fragment cannot know whether the notebook is light or dark, so text keeps the notebook's colour.
"""

from __future__ import annotations

from collections.abc import Iterator

from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.report.tables import RateTable, rate_tables
from trail_callbacks.canary.report.words import answer, remarks, shown, summary, ties
from trail_callbacks.render.safe_text import line, shorten

__all__ = ["to_fragment"]

_MAIN = ("follow", "leak", "leak_known", "follow_real", "right_closed_book")
_ROWS, _NAME, _REMARK = 60, 90, 400  # strategies, and characters
_BOX = "font-family:system-ui,sans-serif;font-size:14px;line-height:1.5;max-width:70em;text-align:left"
_FAINT = "opacity:.7"
_CELL = "text-align:left;padding:.2em 1.2em .2em 0;vertical-align:top"


def to_fragment(found: Results) -> str:
    """Renders results as one HTML element: what was found in a sentence, the main rates, ties and remarks.

    All rates are in `str(found)`, examples in `found.to_html()`.
    """
    return "".join(_parts(found))


def _parts(found: Results) -> Iterator[str]:
    yield f'<div style="{_BOX}"><div><b>{line(summary(found))}</b></div>'
    yield f'<div style="margin:.3em 0;font-size:1.1em">{line(shorten(answer(found), _REMARK))}</div>'
    for table in rate_tables(found, _MAIN):
        yield from _table(table)
    said = [f"{each}." for measure in found.ranking if (each := ties(found, measure))]
    yield from (f"<div>{line(each)}</div>" for each in (*said, f"{found.precision}."))
    yield from (f'<div style="{_FAINT}">{line(shorten(each, _REMARK))}</div>' for each in remarks(found))
    yield f'<div style="{_FAINT}">Percent, with 95 % intervals (Wilson) and n. All rates: print(results); examples: '
    yield "results.to_html(&quot;canary.html&quot;)</div></div>"


def _table(found: RateTable) -> Iterator[str]:
    yield f"<div>{line(found.title)}</div>" if found.title else ""
    yield '<table style="border-collapse:collapse;font-size:13px;margin:.4em 0"><thead><tr>'
    yield "".join(f'<th style="{_CELL}">{line(each)}</th>' for each in (found.head, *found.labels))
    yield "</tr></thead><tbody>"
    for name, rates in found.rows[:_ROWS]:
        yield f'<tr><th style="{_CELL}"><bdi>{line(shorten(name, _NAME))}</bdi></th>'
        for share, _, rest in (shown(each).partition(" ") for each in rates):
            yield f'<td style="{_CELL}"><b>{line(share)}</b> <span style="white-space:nowrap">{line(rest)}</span></td>'
        yield "</tr>"
    yield "</tbody></table>"
    if len(found.rows) > _ROWS:
        yield f'<div style="{_FAINT}">and {len(found.rows) - _ROWS:,} more strategies</div>'
