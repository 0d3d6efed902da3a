"""The figures of a bench on a terminal: a row for each judge, and what their differences say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.table import Table
from rich.text import Text

from trail_callbacks.bench.figures import COMPARED, JudgeFigures, SideBySide
from trail_callbacks.bench.results import Bench
from trail_callbacks.render.excerpt import plain
from trail_callbacks.statistics.rates import Rate, groups

_COLUMNS = {
    "wrong found": "wrong_found",
    "right flagged": "right_flagged",
    "flags right": "precision",
    "not decided": "not_decided",
    "class": "class_of_found",
    "type": "type_of_found",
    "entry": "entry_of_found",
}
_WHOLE = 10  # from here on nobody needs decimals
_KEY = (
    "Each with its 95 % interval, and what it is of: wrong found of all wrong sentences, right flagged of all right "
    "ones, flags right of all flags, not decided (undecided, not judged, not read) of all; class, type and entry step "
    "right of the wrong ones that are found and have one. Seconds: the median."
)


def counts(bench: Bench) -> str:
    """What was judged, in a line."""
    wrong = [label.wrong for answer in bench.answers for label in answer.labels]
    return f"{plain(bench.data)}: {len(bench.answers):,} answers, {sum(wrong):,} of {len(wrong):,} sentences wrong"


def views(found: SideBySide) -> Iterator[Any]:
    """What a terminal shows of a bench, for a rich console."""
    yield Text(counts(found.bench), style="bold")
    table = Table(box=None, pad_edge=False, padding=(0, 1, 1, 0))
    table.add_column("")
    table.add_column("judge", overflow="fold")
    shown = {head: name for head, name in _COLUMNS.items() if any(each.shares[name].n for each in found.judges)}
    for head in shown:
        table.add_column(head.replace(" ", "\n"), justify="right", min_width=7, no_wrap=True)
    table.add_column("an answer", justify="right", no_wrap=True)
    for n, each in enumerate(found.judges, 1):
        failed = each.shares["failed"]
        name = plain(each.judge) + (f"\nfailed {failed.k}/{failed.n}" if failed.k else "")
        cells = (cell(each.shares[name]) for name in shown.values())
        table.add_row(f"{n}", Text(name), *cells, "\n".join(cost(each)), style="" if each.is_comparable else "dim")
    yield from ("", table, Text(_KEY, style="dim"), "")
    repeated = [(n, each.shares["same_flag"]) for n, each in enumerate(found.judges, 1)]
    yield from (Text(f"{n} flags the same in two rounds: {share}") for n, share in repeated if share.n)
    yield from (Text(each) for each in _differences(found))
    yield from (Text(f"- {plain(each)}", style="yellow") for each in found.remarks())


def cell(share: Rate) -> str:
    """A share, its interval, and what it is of, a line each."""
    if share.value is None or share.low is None or share.high is None:
        return "\u2013"
    low, high = (f"{100 * each:.0f}" for each in (share.low, share.high))
    return f"{share.value:.0%}\n{low}-{high}\n{share.k}/{share.n}"


def cost(judge: JudgeFigures) -> list[str]:
    """What an answer costs: calls, tokens, money and seconds, as far as there are any."""
    usage = judge.usage
    parts = [
        (usage.calls, "{:.1f} calls"),
        (usage.prompt_tokens + usage.completion_tokens, "{:,.0f} tokens"),
    ]
    shown = [words.format(whole / judge.readings) for whole, words in parts if whole]
    shown += [f"{amount(judge.money / judge.readings)} paid"] if judge.money else []
    return [*shown, f"{amount(judge.seconds[0])} s"] if judge.seconds else shown


def amount(value: float) -> str:
    """A number with two digits that count, or without a fraction."""
    return f"{value:,.0f}" if value >= _WHOLE else f"{value:.2g}"


def _differences(found: SideBySide) -> Iterator[str]:
    """A sentence for each two judges that differ, and one by each measure for those that do not."""
    number = {each.judge: n for n, each in enumerate(found.judges, 1) if each.is_comparable}
    for measure, (more, what) in COMPARED.items():
        ties = []
        for each in (one for one in found.comparisons if one.measure == measure):
            a, b, pairs = number[each.a], number[each.b], each.pairs
            if each.verdict == "tie":
                ties.append(each)
            elif pairs.difference is None or pairs.low is None or pairs.high is None:
                yield f"{a} and {b} cannot be compared in {what}: no such sentence was read by both"
            else:
                best, other = (b, a) if pairs.difference > 0 else (a, b)
                low, high = sorted(100 * end * (1 if best == b else -1) for end in (pairs.low, pairs.high))
                by = f"{abs(100 * pairs.difference):.0f} points (95 % interval {low:.0f} to {high:.0f}"
                yield f"{best} {more} than {other}, by {by}, p = {each.adjusted:.2g} after Holm)"
        if ties:
            apart = [(each.a, each.b) for each in found.comparisons if each.measure == measure and each not in ties]
            alike = [names for names in groups(list(number), apart) if len(names) > 1]
            said = "; ".join(", ".join(str(number[each]) for each in names) for names in alike)
            n, needed = min(each.pairs.documents for each in ties), sorted({each.needed or 0 for each in ties})
            told = " to ".join(f"{each:,}" for each in (needed[0], needed[-1])[: len(needed)])
            yield f"not told apart in {what}: {said} ({n:,} answers have such a sentence; about {told} would tell)"
