"""The page as a whole, with its figures: strategies by arm, ties, outcomes, splits, and what could not be scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from string import Template

from trail_callbacks.canary.page.examples import gallery
from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.report.words import (
    FigureTable,
    answer,
    counted,
    outcome_table,
    rate_tables,
    remarks,
    split_table,
    summary,
    ties,
)
from trail_callbacks.canary.statistics.comparing import LABELS
from trail_callbacks.canary.statistics.measures import MEASURES
from trail_callbacks.canary.statistics.rates import SPLITS
from trail_callbacks.render.excerpt import line, name, plain, shorten
from trail_callbacks.render.page.document import base_style, security_policy
from trail_callbacks.statistics.rates import Rate, percent

__all__ = ["to_page"]

_TITLE = "Does it answer from its context?"
_ROWS, _LISTED, _SETTINGS = 150, 50, 12  # shown of them
_NAME, _WORDS, _ANSWER = 90, 300, 600  # characters


def to_page(found: Results, *, title: str | None = None, most: int = 3) -> str:
    """Renders the results of a run as one self-contained HTML file.

    All text of the run is escaped, control and bidirectional characters included. The page has no script and loads
    nothing; its policy allows the style sheet of this file by its hash. Tables and texts are cut, and say so.

    Args:
        found: The results.
        title: Title of the page.
        most: Examples of each outcome.
    """
    style, rates = base_style() + _asset("canary.css"), list(rate_tables(found))
    splits = [table for split in SPLITS for table in split_table(found, split) if len(table.rows) > 1]
    settings = {"policy": found.rates.policy.replace("_", " "), **dict(list(found.run.settings.items())[:_SETTINGS])}
    facts = ((str(key), "none" if value is None else str(value)) for key, value in settings.items())
    return Template(_asset("canary.html")).substitute(
        policy=security_policy((), (style,)),
        style=style,
        title=line(shorten(plain(title or _TITLE), 120)),
        heading=line(shorten(plain(title or _TITLE), 300)),
        policy_name=found.rates.policy,
        answer=line(shorten(plain(answer(found)), _ANSWER)),
        summary=line(summary(found)),
        facts="".join(f"<div><dt>{_said(key, _NAME)}</dt><dd>{_said(value, _NAME)}</dd></div>" for key, value in facts),
        warnings="".join(f"<li>{line(each)}</li>" for each in remarks(found)),
        matrix=f"<p>Shares of trials with 95 % intervals (Wilson). {line(found.precision)}.</p>"
        + (_tables([each for each in rates if each.main]) or _missing("The run has no strategy with a trial.")),
        order="".join(_order(found)),
        rates=_tables([each for each in rates if not each.main]) + "".join(_meanings()),
        outcomes='<p class="faint">Closed book, the model alone, the real value is what it knows, and no fault.</p>'
        + (_tables(list(outcome_table(found))) or _missing("There is no trial.")),
        splits=_tables(splits) or _missing("All probes are of one kind, size, subject and model, as far as is known."),
        unscored="".join(_unscored(found)),
        examples="".join(gallery(found.run, most)),
    )


def _tables(found: Sequence[FigureTable]) -> str:
    parts: list[str] = []
    for table in found:
        rows = (
            "".join(f'<th scope="row">{_named(each)}</th>' for each in names) + "".join(map(_cell, figures))
            for names, figures in table.rows
        )
        parts += _table(table.title, [*(head.capitalize() for head in table.heads), *table.labels], list(rows))
    return "".join(parts)


def _table(title: str, heads: Sequence[str], rows: Sequence[str]) -> Iterator[str]:
    """A table that scrolls by itself."""
    columns = "".join(f'<th scope="col">{line(each)}</th>' for each in heads)
    yield f'<p class="caption" aria-hidden="true">{line(title)}</p><div class="scroll" tabindex="0" role="group" '
    yield f'aria-label="{line(title)}"><table><thead><tr>{columns}</tr></thead><tbody>'
    yield from (f"<tr>{each}</tr>" for each in rows[:_ROWS])
    yield f"</tbody></table></div>{_more(len(rows) - _ROWS)}"


def _cell(rate: Rate | int) -> str:
    """A count, or a rate with its interval as a bar."""
    if not isinstance(rate, Rate):
        return f'<td class="number">{rate:,}</td>'
    if rate.value is None or rate.low is None or rate.high is None:
        return f'<td class="rate"><span class="faint" title="{line(rate.why)}">no trial</span></td>'
    low, high, at = 100 * rate.low, 100 * rate.high, 100 * rate.value
    words = f"{percent(rate.low)} to {percent(rate.high)}; {rate.k:,} of {rate.n:,}"
    bar = (
        '<svg class="scale" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="track" x="0" y="4" width="100" height="2"/>'
        f'<rect class="spread" x="{low:.1f}" y="1" width="{max(high - low, 0.5):.1f}" height="8"/>'
        f'<rect class="point" x="{min(max(at - 0.6, 0), 98.8):.1f}" y="0" width="1.2" height="10"/></svg>'
    )
    return f'<td class="rate"><b>{percent(rate.value)} %</b>{bar}<span class="faint">{words}</span></td>'


def _meanings() -> Iterator[str]:
    yield '<details><summary>What each rate is of</summary><dl class="list">'
    for measure in MEASURES.values():
        yield f"<div><dt><b>{line(measure.label)}</b></dt><dd>{line(measure.about)}</dd></div>"
    yield "</dl></details>"


def _order(found: Results) -> Iterator[str]:
    """Groups of strategies that cannot be told apart, and each pair."""
    if not any(found.contrasts.values()):
        yield _missing("There is one strategy, or none: nothing to compare.")
        return
    yield '<div class="measures">'
    for measure, contrasts in found.contrasts.items():
        yield f"<div><h3>{line(LABELS[measure].capitalize())}</h3><p>{line(ties(found, measure))}.</p>"
        yield '<p class="faint">Best first; those on one line cannot be told apart.</p><ol class="groups">'
        for group in found.ranking[measure][:_LISTED]:
            chips = "".join(f'<span class="chip">{_named(each)}</span>' for each in group[:_LISTED])
            yield f"<li>{chips}{_more(len(group) - _LISTED)}</li>"
        yield "</ol><details><summary>Each pair</summary>"
        rows = [f"<td>{_named(each.a)}</td><td>{_named(each.b)}</td><td>{line(each.words)}</td>" for each in contrasts]
        yield from _table("Second minus first, paired by probe", ["First", "Second", "Verdict"], rows)
        yield "</details></div>"
    yield "</div>"


def _unscored(found: Results) -> Iterator[str]:
    """Why trials are unscorable, and what was left out."""
    trials = counted(sum(each.trials for each in found.unscorable), "trial")
    yield from _list(
        f"Unscorable: {trials}", [f"<b>{each.trials:,}</b> {_said(each.words)}" for each in found.unscorable]
    )
    skipped = [f"{_named(each.place)}: {_said(each.why)}" for each in found.run.skipped]
    yield from _list(f"Left out: {len(skipped):,}", skipped)


def _list(title: str, items: Sequence[str]) -> Iterator[str]:
    yield f'<h3>{title}</h3><ul class="list plain">' if items else f"<p>{title}</p>"
    yield from (f"<li>{each}</li>" for each in items[:_LISTED])
    yield f"</ul>{_more(len(items) - _LISTED)}" if items else ""


def _more(left: int) -> str:
    return _missing(f"and {left:,} more, in the JSON") if left > 0 else ""


def _missing(words: str) -> str:
    return f'<p class="missing">{words}</p>'


def _named(said: str) -> str:
    return name(shorten(plain(said), _NAME))


def _said(words: str, limit: int = _WORDS) -> str:
    return f"<bdi>{line(shorten(words, limit))}</bdi>"


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text("utf-8")
