"""The figures of the page: strategies by arm, ties, outcomes, splits, and what could not be scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

from trail_callbacks.canary.arm import ARMS
from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.report.words import ARM_WORDS, OUTCOME_WORDS, SPLIT_BY, TABLES, counted, ties
from trail_callbacks.canary.statistics.contrasts import LABELS
from trail_callbacks.canary.statistics.measures import MEASURES
from trail_callbacks.canary.statistics.rates import SPLITS, Figures
from trail_callbacks.canary.trial import OUTCOMES
from trail_callbacks.render.safe_text import line, name, plain, shorten
from trail_callbacks.statistics.rates import Rate, percent

__all__ = ["matrix", "order", "other_rates", "outcomes", "splits", "unscored"]

_ROWS, _SPLIT_ROWS = 150, 50
_LISTED = 50
_NAME, _WORDS = 90, 300  # characters
_STACK = '<svg class="stack" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
_T = TypeVar("_T")


def matrix(found: Results) -> Iterator[str]:
    """Strategies by their main rates, each with its interval as a bar; and what is right by the policy."""
    rows = list(found.rates.strategies.values())
    if not rows:
        yield '<p class="missing">The run has no strategy.</p>'
        return
    yield f"<p>Shares of trials with 95 % intervals (Wilson). {line(found.precision)}.</p>"
    title, *_ = TABLES
    yield from _rates(title, rows, TABLES[title])
    arms = [arm for arm in found.run.arms if any(each.right[arm].n for each in rows)]
    if arms:
        policy = found.rates.policy.replace("_", " ")
        yield from _open(f"Right, if the policy is: {policy}", ["Strategy", *(ARM_WORDS[arm] for arm in arms)])
        for each in rows[:_ROWS]:
            cells = "".join(_cell(each.right[arm]) for arm in arms)
            yield f'<tr><th scope="row">{_named(each.strategy)}</th>{cells}</tr>'
        yield _close(rows)


def other_rates(found: Results) -> Iterator[str]:
    """The rates of the other arms, of removed and disputed facts, and of retrieval; and what each rate is of."""
    rows = list(found.rates.strategies.values())
    _, *titles = TABLES
    for title in titles:
        yield from _rates(title, rows, TABLES[title])
    yield '<details><summary>What each rate is of</summary><dl class="list">'
    for measure in MEASURES.values():
        yield f"<div><dt><b>{line(measure.label)}</b></dt><dd>{line(measure.about)}</dd></div>"
    yield "</dl></details>"


def _rates(title: str, rows: Sequence[Figures], names: Sequence[str], split: str | None = None) -> Iterator[str]:
    """A table of rates; columns without any trial are left out, and strategies where all are together."""
    most = _SPLIT_ROWS if split else _ROWS
    known = [each for each in names if any(row.rates[each].n for row in rows)]
    if not known:
        return
    strategies = not split or any(row.strategy is not None for row in rows)
    heads = [*(["Strategy"] if strategies else []), *([split.capitalize()] if split else [])]
    yield from _open(title, [*heads, *(MEASURES[each].label for each in known)])
    for row in rows[:most]:
        heads = [_named(row.strategy)] if strategies else []
        heads += [_named(row.value)] if split else []
        cells = "".join(_cell(row.rates[each]) for each in known)
        scoped = "".join(f'<th scope="row">{each}</th>' for each in heads)
        yield f"<tr>{scoped}{cells}</tr>"
    yield _close(rows, most)


def _cell(rate: Rate) -> str:
    if rate.value is None or rate.low is None or rate.high is None:
        return f'<td class="rate"><span class="faint" title="{line(rate.why)}">no trial</span></td>'
    low, high, at = 100 * rate.low, 100 * rate.high, 100 * rate.value
    words = f"{percent(rate.low)} to {percent(rate.high)}"
    bar = (
        '<svg class="scale" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="track" x="0" y="4" width="100" height="2"/>'
        f'<rect class="spread" x="{low:.1f}" y="1" width="{max(high - low, 0.5):.1f}" height="8"/>'
        f'<rect class="point" x="{min(max(at - 0.6, 0), 98.8):.1f}" y="0" width="1.2" height="10"/></svg>'
    )
    n = f"{rate.k:,} of {rate.n:,}"
    return f'<td class="rate"><b>{percent(rate.value)} %</b>{bar}<span class="faint">{words}; {n}</span></td>'


def order(found: Results) -> Iterator[str]:
    """Groups of strategies that cannot be told apart, and each pair."""
    if not any(found.contrasts.values()):
        yield '<p class="missing">There is one strategy, or none: nothing to compare.</p>'
        return
    yield '<div class="measures">'
    for measure in found.contrasts:
        contrasts = found.contrasts[measure]
        yield f"<div><h3>{line(LABELS[measure].capitalize())}</h3><p>{line(ties(found, measure))}.</p>"
        yield '<p class="faint">Best first; those on one line cannot be told apart.</p><ol class="groups">'
        for group in found.ranking[measure][:_LISTED]:
            chips = "".join(f'<span class="chip">{_named(each)}</span>' for each in group[:_LISTED])
            yield f"<li>{chips}{_more(len(group) - _LISTED)}</li>"
        yield "</ol><details><summary>Each pair</summary>"
        yield from _open("Second minus first, paired by probe", ["First", "Second", "Verdict"])
        for each in contrasts[:_ROWS]:
            yield f"<tr><td>{_named(each.a)}</td><td>{_named(each.b)}</td><td>{line(each.words)}</td></tr>"
        yield f"{_close(contrasts)}</details></div>"
    yield "</div>"


def outcomes(found: Results) -> Iterator[str]:
    """How many trials of each strategy and arm had each outcome."""
    rows = [
        (each, arm)
        for each in found.rates.strategies.values()
        for arm in ARMS
        if sum(each.outcomes.get(arm, {}).values())
    ]
    if not rows:
        yield '<p class="missing">There is no trial.</p>'
        return
    heads = [
        f'<span class="key" data-outcome="{each}" aria-hidden="true"></span>{OUTCOME_WORDS[each]}' for each in OUTCOMES
    ]
    yield '<p class="faint">Closed book, the model alone, the real value is what it knows, and no fault.</p>'
    yield from _open("Trials", ["Strategy", "Arm", "Share"], heads)
    arms = Counter(figures.strategy for figures, _ in rows[:_ROWS])
    for figures, arm in rows[:_ROWS]:
        counts = figures.outcomes[arm]
        whole, at, bars = sum(counts.values()), 0.0, []
        for outcome in OUTCOMES:
            wide = 100 * counts[outcome] / whole
            if wide:
                bars.append(f'<rect data-outcome="{outcome}" x="{at:.2f}" y="0" width="{wide:.2f}" height="10"/>')
            at += wide
        bar = f"{_STACK}{''.join(bars)}</svg>"
        cells = "".join(f'<td class="number">{counts[each]:,}</td>' for each in OUTCOMES)
        span = arms.pop(figures.strategy, 0)
        head = f'<th scope="rowgroup" rowspan="{span}">{_named(figures.strategy)}</th>' if span else ""
        yield f'<tr data-arm="{arm}">{head}<td class="arm">{ARM_WORDS[arm]}</td><td>{bar}</td>{cells}</tr>'
    yield _close(rows)


def splits(found: Results) -> Iterator[str]:
    """Follow and leak rate by each split that has more than one value."""
    shown = False
    for split in SPLITS:
        rows = [each for each in found.rates.splits[split] if sum(sum(arm.values()) for arm in each.outcomes.values())]
        if len({each.value for each in rows}) < 2:  # noqa: PLR2004 - one value splits nothing
            continue
        shown = True
        pooled = [each for each in rows if each.strategy is None] or rows
        yield f"<h3>By {split}{', all strategies together' if pooled[0].strategy is None else ''}</h3>"
        yield from _rates("", pooled, SPLIT_BY, split)
        single = [each for each in rows if each.strategy is not None]
        if single and pooled is not single and pooled[0].strategy is None:
            yield "<details><summary>Each strategy</summary>"
            yield from _rates("", single, SPLIT_BY, split)
            yield "</details>"
    if not shown:
        one = "All probes are of one kind, size, subject and model, as far as is known."
        yield f'<p class="missing">{one if found.run.trials else "There is no trial."}</p>'


def unscored(found: Results) -> Iterator[str]:
    """Why trials are unscorable, and what was left out."""
    if not found.unscorable and not found.run.skipped:
        scored = "Every trial was scored" if found.run.trials else "There is no trial"
        yield f"<p>{scored}, and nothing was left out.</p>"
        return
    if found.unscorable:
        yield f"<h3>Unscorable: {counted(sum(each.trials for each in found.unscorable), 'trial')}</h3>"
        yield '<ul class="list plain">'
        for each in found.unscorable[:_LISTED]:
            yield f"<li><b>{each.trials:,}</b> <bdi>{line(shorten(each.words, _WORDS))}</bdi></li>"
        yield f"</ul>{_more(len(found.unscorable) - _LISTED)}"
    if found.run.skipped:
        yield f"<details><summary>Left out: {len(found.run.skipped):,}</summary>"
        yield '<ul class="list plain">'
        for left in found.run.skipped[:_LISTED]:
            yield f"<li>{_named(left.place)}: <bdi>{line(shorten(left.why, _WORDS))}</bdi></li>"
        yield f"</ul>{_more(len(found.run.skipped) - _LISTED)}</details>"


def _open(title: str, heads: Sequence[str], numbers: Sequence[str] = ()) -> Iterator[str]:
    """A table that scrolls by itself; `numbers` are heads of number columns, as markup."""
    label = line(title or "Figures")
    yield f'<p class="caption" aria-hidden="true">{label}</p>' if title else ""
    yield f'<div class="scroll" tabindex="0" role="group" aria-label="{label}"><table><thead><tr>'
    yield "".join(f'<th scope="col">{line(each)}</th>' for each in heads)
    yield "".join(f'<th scope="col" class="number">{each}</th>' for each in numbers)
    yield "</tr></thead><tbody>"


def _close(rows: Sequence[_T], most: int = _ROWS) -> str:
    return f"</tbody></table></div>{_more(len(rows) - most)}"


def _more(left: int) -> str:
    return f'<p class="missing">and {left:,} more, in the JSON</p>' if left > 0 else ""


def _named(said: str | None) -> str:
    return name(shorten(plain(said), _NAME)) if said else "all"
