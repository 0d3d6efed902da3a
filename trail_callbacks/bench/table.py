"""The figures of a bench on a terminal: a row for each judge, and what their differences say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.table import Table
from rich.text import Text

from trail_callbacks.bench.figures import COMPARED, JudgeFigures, SideBySide
from trail_callbacks.render.excerpt import plain
from trail_callbacks.statistics.rates import Rate

_COLUMNS = {
    "wrong found": "wrong_found",
    "right flagged": "right_flagged",
    "flags right": "precision",
    "not decided": "not_decided",
    "class": "class_of_found",
    "type": "type_of_found",
    "entry": "entry_of_found",
}
_KEY = (
    "Each with its 95 % interval, and what it is of: wrong found of all wrong sentences, right flagged of all right "
    "ones, flags right of all flags, not decided (undecided, not judged, not read) of all; class, type and entry step "
    "right of the wrong ones that are found and have one. Seconds: the median."
)


def views(found: SideBySide) -> Iterator[Any]:
    """What a terminal shows of a bench, for a rich console."""
    labels = [label.wrong for answer in found.bench.answers for label in answer.labels]
    counts = f"{len(found.bench.answers):,} answers, {sum(labels):,} of {len(labels):,} sentences wrong"
    yield Text(f"{plain(found.bench.data)}: {counts}", style="bold")
    table = Table(box=None, pad_edge=False, padding=(0, 1, 1, 0))
    table.add_column("")
    table.add_column("judge", overflow="fold")
    shown = {head: name for head, name in _COLUMNS.items() if any(each.shares[name].n for each in found.judges)}
    for head in shown:
        table.add_column(head.replace(" ", "\n"), justify="right", min_width=7)
    table.add_column("an answer", justify="right", no_wrap=True)
    for n, each in enumerate(found.judges, 1):
        failed = each.shares["failed"]
        name = plain(each.judge) + (f"\nfailed {failed.k}/{failed.n}" if failed.k else "")
        cells = (_cell(each.shares[name]) for name in shown.values())
        table.add_row(f"{n}", Text(name), *cells, "\n".join(_cost(each)), style="" if each.is_comparable else "dim")
    yield from ("", table, Text(_KEY, style="dim"), "")
    yield from (Text(each) for each in _differences(found))
    yield from (Text(f"- {plain(each)}", style="yellow") for each in found.remarks())


def _cell(share: Rate) -> str:
    if share.value is None or share.low is None or share.high is None:
        return "\u2013"
    low, high = (f"{100 * each:.0f}" for each in (share.low, share.high))
    return f"{share.value:.0%}\n{low}-{high}\n{share.k}/{share.n}"


def _cost(judge: JudgeFigures) -> Iterator[str]:
    tokens = judge.each(judge.usage.prompt_tokens + judge.usage.completion_tokens) or 0.0
    if judge.usage.calls:
        yield f"{judge.each(judge.usage.calls):.1f} calls"
        yield f"{tokens:,.0f} tokens"
    if (money := judge.each(judge.money)) is not None:
        yield f"{money:.2g} paid"
    if judge.seconds is not None:
        yield f"{judge.seconds[0]:.2g} s"


def _differences(found: SideBySide) -> Iterator[str]:
    """A sentence for each two judges that differ, and one by each measure for those that do not."""
    number = {each.judge: n for n, each in enumerate(found.judges, 1)}
    for measure, (more, what) in COMPARED.items():
        ties = []
        for each in (one for one in found.comparisons if one.measure == measure):
            a, b, change = number[each.a], number[each.b], each.pairs.difference
            if each.verdict == "tie":
                ties.append((f"{a} and {b}", each))
            elif change is None:
                yield f"{a} and {b} cannot be compared in {what}: no such sentence was read by both"
            else:
                most, least = (b, a) if change > 0 else (a, b)
                ends = sorted((100 if change > 0 else -100) * (end or 0.0) for end in (each.pairs.low, each.pairs.high))
                yield (
                    f"{most} {more} than {least}, by {abs(100 * change):.0f} points (95 % interval {ends[0]:.0f} to "
                    f"{ends[1]:.0f}, p = {each.adjusted:.2g} after Holm)"
                )
        if ties:
            n, needed = min(each.pairs.documents for _, each in ties), sorted(each.needed or 0 for _, each in ties)
            span = f"{needed[0]:,}" + (f" to {needed[-1]:,}" if needed[-1] > needed[0] else "")
            yield (
                f"not told apart in {what}: {', '.join(names for names, _ in ties)} ({n:,} answers have such a "
                f"sentence; about {span} would tell what was found, or 5 points)"
            )
