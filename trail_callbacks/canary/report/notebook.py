"""The main figures of a canary run in a notebook: one element, no script, all text escaped.

A fragment cannot know whether the notebook is light or dark, so text keeps the notebook's colour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.report.words import answer, remarks, shown, summary, ties
from trail_callbacks.canary.statistics.measures import MEASURES
from trail_callbacks.render.safe_text import line, shorten
from trail_callbacks.statistics.rates import Rate

__all__ = ["to_fragment"]

_MAIN: Final[tuple[str, ...]] = ("follow", "leak", "leak_known", "follow_real", "right_closed_book")
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
    yield from _table(found)
    for measure in found.ranking:
        if said := ties(found, measure):
            yield f"<div>{line(said)}.</div>"
    yield f"<div>{line(found.precision)}.</div>"
    yield from (f'<div style="{_FAINT}">{line(shorten(each, _REMARK))}</div>' for each in remarks(found))
    policy = found.rates.policy.replace("_", " ")
    yield f'<div style="{_FAINT}">Policy: {line(policy)}. All rates: print(results); examples: '
    yield "results.to_html(&quot;canary.html&quot;)</div></div>"


def _table(found: Results) -> Iterator[str]:
    rows = list(found.rates.strategies.values())
    known = [name for name in _MAIN if any(each.rates[name].n for each in rows)]
    right = any("fictive" in each.right and each.right["fictive"].n for each in rows)
    if not known:
        return
    yield '<table style="border-collapse:collapse;font-size:13px;margin:.4em 0"><thead><tr>'
    heads = ["strategy", *(MEASURES[name].label for name in known), *(["right, fictive context"] if right else [])]
    yield "".join(f'<th style="{_CELL}">{line(each)}</th>' for each in heads)
    yield "</tr></thead><tbody>"
    for each in rows[:_ROWS]:
        rates = [each.rates[name] for name in known] + ([each.right["fictive"]] if right else [])
        name = line(shorten(each.strategy or "all", _NAME))
        yield f'<tr><th style="{_CELL}"><bdi>{name}</bdi></th>{_cells(rates)}</tr>'
    yield "</tbody></table>"
    if len(rows) > _ROWS:
        yield f'<div style="{_FAINT}">and {len(rows) - _ROWS:,} more strategies</div>'
    yield f'<div style="{_FAINT}">Percent, with 95 % intervals (Wilson) and n.</div>'


def _cells(rates: Sequence[Rate]) -> str:
    parts = (shown(rate).partition(" ") for rate in rates)
    return "".join(
        f'<td style="{_CELL}"><b>{line(share)}</b> <span style="white-space:nowrap">{line(rest)}</span></td>'
        for share, _, rest in parts
    )
