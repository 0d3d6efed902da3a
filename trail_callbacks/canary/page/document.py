"""The page as a whole, with its figures: strategies by arm, ties, outcomes, splits, and what could not be scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from string import Template

from trail_callbacks.canary.arm import ARMS
from trail_callbacks.canary.page.examples import gallery
from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.report.tables import RateTable, rate_tables, split_table
from trail_callbacks.canary.report.words import (
    ARM_WORDS,
    OUTCOME_WORDS,
    answer,
    counted,
    notes,
    summary,
    ties,
    warnings,
)
from trail_callbacks.canary.statistics.contrasts import LABELS
from trail_callbacks.canary.statistics.measures import MEASURES
from trail_callbacks.canary.statistics.rates import SPLITS
from trail_callbacks.canary.trial import OUTCOMES
from trail_callbacks.render.page.document import base_style, security_policy
from trail_callbacks.render.safe_text import line, name, plain, shorten
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
    heading, style = title or _TITLE, _style()
    tables = list(rate_tables(found))
    return Template(_asset("canary.html")).substitute(
        policy=security_policy((), (style,)),
        style=style,
        title=line(shorten(plain(heading), 120)),
        heading=line(shorten(plain(heading), 300)),
        policy_name=found.rates.policy,
        answer=line(shorten(plain(answer(found)), _ANSWER)),
        summary=line(summary(found)),
        facts="".join(_facts(found)),
        warnings="".join(f"<li>{line(each)}</li>" for each in warnings(found)),
        notes="".join(f'<p class="faint">{line(each)}</p>' for each in notes(found)),
        matrix=_lead(found) + "".join(part for each in tables if each.main for part in _rates(each)),
        order="".join(_order(found)),
        rates="".join([*(part for each in tables if not each.main for part in _rates(each)), *_meanings()]),
        outcomes="".join(_outcomes(found)),
        splits="".join(_splits(found)),
        unscored="".join(_unscored(found)),
        examples="".join(gallery(found.run, most)),
    )


def _facts(found: Results) -> Iterator[str]:
    said = {"policy": found.rates.policy.replace("_", " ")}
    settings = list(found.run.settings.items())[:_SETTINGS]
    said |= {str(key): shorten("none" if value is None else str(value), _NAME) for key, value in settings}
    for key, value in said.items():
        yield f"<div><dt>{line(shorten(key, _NAME))}</dt><dd><bdi>{line(value)}</bdi></dd></div>"


def _lead(found: Results) -> str:
    if not found.rates.strategies:
        return _missing("The run has no strategy.")
    return f"<p>Shares of trials with 95 % intervals (Wilson). {line(found.precision)}.</p>"


def _rates(found: RateTable) -> Iterator[str]:
    yield _open(found.title, [found.head.capitalize(), *found.labels])
    for label, rates in found.rows[:_ROWS]:
        yield f'<tr><th scope="row">{_named(label)}</th>{"".join(map(_cell, rates))}</tr>'
    yield _close(len(found.rows))


def _cell(rate: Rate) -> str:
    """A rate with its interval as a bar."""
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
        yield _open("Second minus first, paired by probe", ["First", "Second", "Verdict"])
        for each in contrasts[:_ROWS]:
            yield f"<tr><td>{_named(each.a)}</td><td>{_named(each.b)}</td><td>{line(each.words)}</td></tr>"
        yield f"{_close(len(contrasts))}</details></div>"
    yield "</div>"


def _outcomes(found: Results) -> Iterator[str]:
    """How many trials of each strategy and arm had each outcome."""
    strategies = found.rates.strategies.values()
    rows = [(each, arm) for each in strategies for arm in ARMS if any(each.outcomes.get(arm, {}).values())]
    if not rows:
        yield _missing("There is no trial.")
        return
    yield '<p class="faint">Closed book, the model alone, the real value is what it knows, and no fault.</p>'
    keys = [f'<span class="key" data-outcome="{each}" aria-hidden="true"></span>' for each in OUTCOMES]
    heads = [f"{key}{OUTCOME_WORDS[each]}" for key, each in zip(keys, OUTCOMES, strict=True)]
    yield _open("Trials", ["Strategy", "Arm", "Share"], heads)
    for figures, arm in rows[:_ROWS]:
        counts, at, bars = figures.outcomes[arm], 0.0, ""
        for outcome in OUTCOMES:
            wide = 100 * counts[outcome] / sum(counts.values())
            bars += (
                f'<rect data-outcome="{outcome}" x="{at:.2f}" y="0" width="{wide:.2f}" height="10"/>' if wide else ""
            )
            at += wide
        cells = "".join(f'<td class="number">{counts[each]:,}</td>' for each in OUTCOMES)
        yield f'<tr data-arm="{arm}"><th scope="row">{_named(figures.strategy)}</th>'
        yield f'<td class="arm">{ARM_WORDS[arm]}</td>'
        yield '<td><svg class="stack" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        yield f"{bars}</svg></td>{cells}</tr>"
    yield _close(len(rows))


def _splits(found: Results) -> Iterator[str]:
    """Follow and leak rate by each split that has more than one value."""
    tables = [table for split in SPLITS for table in split_table(found, split) if len(table.rows) > 1]
    for table in tables:
        yield from _rates(table)
    if not tables:
        one = "All probes are of one kind, size, subject and model, as far as is known."
        yield _missing(one if found.run.trials else "There is no trial.")


def _unscored(found: Results) -> Iterator[str]:
    """Why trials are unscorable, and what was left out."""
    if not found.unscorable and not found.run.skipped:
        scored = "Every trial was scored" if found.run.trials else "There is no trial"
        yield f"<p>{scored}, and nothing was left out.</p>"
    if found.unscorable:
        yield f"<h3>Unscorable: {counted(sum(each.trials for each in found.unscorable), 'trial')}</h3>"
        yield _list(f"<b>{each.trials:,}</b> {_said(each.words)}" for each in found.unscorable[:_LISTED])
        yield _more(len(found.unscorable) - _LISTED)
    if found.run.skipped:
        yield f"<details><summary>Left out: {len(found.run.skipped):,}</summary>"
        yield _list(f"{_named(each.place)}: {_said(each.why)}" for each in found.run.skipped[:_LISTED])
        yield f"{_more(len(found.run.skipped) - _LISTED)}</details>"


def _list(items: Iterable[str]) -> str:
    return f'<ul class="list plain">{"".join(f"<li>{each}</li>" for each in items)}</ul>'


def _open(title: str, heads: Sequence[str], numbers: Sequence[str] = ()) -> str:
    """A table that scrolls by itself; `numbers` are heads of number columns, as markup."""
    columns = "".join(f'<th scope="col">{line(each)}</th>' for each in heads)
    columns += "".join(f'<th scope="col" class="number">{each}</th>' for each in numbers)
    return (
        f'<p class="caption" aria-hidden="true">{line(title)}</p><div class="scroll" tabindex="0" role="group" '
        f'aria-label="{line(title)}"><table><thead><tr>{columns}</tr></thead><tbody>'
    )


def _close(rows: int) -> str:
    return f"</tbody></table></div>{_more(rows - _ROWS)}"


def _more(left: int) -> str:
    return _missing(f"and {left:,} more, in the JSON") if left > 0 else ""


def _missing(words: str) -> str:
    return f'<p class="missing">{words}</p>'


def _named(said: str | None) -> str:
    return name(shorten(plain(said), _NAME)) if said else "all"


def _said(words: str) -> str:
    return f"<bdi>{line(shorten(words, _WORDS))}</bdi>"


@cache
def _style() -> str:
    return base_style() + _asset("canary.css")


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text("utf-8")
