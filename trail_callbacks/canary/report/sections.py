"""What a report of a canary run says, in sections of sentences, tables and lists: terminal and page draw the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.statistics.comparing import LABELS, Compared
from trail_callbacks.canary.statistics.rates import MEASURES, SPLITS, Figures
from trail_callbacks.canary.trial import ARMS, OUTCOMES
from trail_callbacks.statistics.rates import FEW, Rate, percent

_MAIN_RATES: Final = ("follow", "leak", "leak_known", "blend", "abstain")
_OTHER_RATES: Final[Mapping[str, tuple[str, ...]]] = {
    "What the model knows, and what it makes of no context": ("right_closed_book", "right_empty", "follow_real"),
    "Where the fact was removed, or passages disagree": (
        "abstain_unanswerable", "leak_unanswerable", "conflict_told", "leak_inconsistent",
    ),
    "Retrieval": ("miss_real", "miss_fictive"),
}  # fmt: skip
ARM_WORDS: Final = {arm: "closed book" if arm == "closed_book" else f"{arm} context" for arm in ARMS}
_NAMED = 10  # reasons in one line
_NOT_ASKED = Rate(k=0, n=0, why="the fictive arm was not asked")


@dataclass(frozen=True, slots=True)
class FigureTable:
    """Rates, counts or words beside each other."""

    title: str
    heads: Sequence[str]  # what the names of rows are: a strategy, a value of a split, an arm
    labels: Sequence[str]  # what the other columns are
    rows: Sequence[tuple[Sequence[str], Sequence[Rate | int | str]]]  # the names of each row with its cells
    is_detail: bool = False  # whether a page shows it only when asked, and a terminal not at all


@dataclass(frozen=True, slots=True)
class Listing:
    """A list; an item is of several names, or of one text."""

    title: str
    items: Sequence[Sequence[str]]
    is_ranking: bool = False  # whether the order of the items is of interest


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report."""

    id: str  # its name in the page
    title: str
    parts: Sequence[str | FigureTable | Listing]  # what it says; sentences are strings


def sections(found: Results) -> Iterator[Section]:
    """All sections of a report, without examples."""
    rows = list(found.rates.strategies.items())
    main: list[str | FigureTable | Listing] = [*_rates("With the fictive context", "strategy", rows, _MAIN_RATES)]
    arms = [arm for arm in found.run.arms if any(each.right[arm].n for _, each in rows)]
    if arms:
        title = f"Right, if the policy is: {found.rates.policy.replace('_', ' ')}"
        rights = [((name,), [each.right[arm] for arm in arms]) for name, each in rows]
        main.append(FigureTable(title, ["strategy"], [ARM_WORDS[arm] for arm in arms], rights))
    intro = f"Shares of trials in percent, with 95 % intervals (Wilson). Precision: {found.precision}."
    yield Section("strategies", "Strategies", [intro, *(main or ["The run has no strategy with a trial."])])
    order = [part for measure in found.contrasts for part in _order(found, measure)]
    missing = "There is one strategy, or none: nothing to compare."
    yield Section("order", "Which can be told apart", order or [missing])
    yield Section("outcomes", "Trials by outcome", [*_outcomes(found)] or ["There is no trial."])
    others = [part for title, names in _OTHER_RATES.items() for part in _rates(title, "strategy", rows, names)]
    meanings = [((each.label,), (each.about,)) for each in MEASURES.values()]
    about = FigureTable("What each rate is of", ["rate"], ["a hit, and of which trials"], meanings, is_detail=True)
    yield Section("rates", "Other rates", [*others, about])
    yield Section("splits", "By kind, size, subject and model", [*_splits(found)])
    reasons = [(f"{each.trials:,}: {each.words}",) for each in found.unscorable]
    trials = counted(sum(each.trials for each in found.unscorable), "trial")
    skipped = [(f"{each.place}: {each.why}",) for each in found.run.skipped]
    lost = [Listing(f"Unscorable: {trials}", reasons), Listing(f"Left out: {len(skipped):,}", skipped)]
    yield Section("unscored", "What could not be scored, and what was left out", lost)


def _rates(
    title: str, head: str, rows: Sequence[tuple[str, Figures]], names: Sequence[str], *, is_detail: bool = False
) -> list[FigureTable]:
    """A table of some rates; columns without any trial are left out, and so is a table without a column."""
    known = [each for each in names if any(row.rates[each].n for _, row in rows)]
    cells = [((name,), [row.rates[each] for each in known]) for name, row in rows]
    return [FigureTable(title, [head], [MEASURES[each].label for each in known], cells, is_detail)] if known else []


def _splits(found: Results) -> Iterator[FigureTable]:
    together = ", all strategies together" if len(found.run.strategies) > 1 else ""
    for split in SPLITS:
        rows = [(each.value or "", each) for each in found.rates.splits[split]]
        if len(rows) > 1:
            yield from _rates(f"By {split}{together}", split, rows, tuple(MEASURES), is_detail=True)


def _order(found: Results, measure: Compared) -> Iterator[Listing | FigureTable]:
    """Groups of strategies that cannot be told apart, and each pair; nothing of one strategy."""
    if not (pairs := found.contrasts[measure]):
        return
    differ, whole = sum(each.verdict == "differ" for each in pairs), counted(len(pairs), "pair")
    said = f"{differ:,} of {whole} of strategies differ" if differ else "no two strategies can be told apart"
    n = min(each.pairs.n for each in pairs)
    title = f"By {LABELS[measure]} {said} (n = {n:,} probes or more, McNemar's exact test, Holm)"
    yield Listing(f"{title}. Best first; on one line, those that cannot be told apart:", found.ranking[measure], True)
    rows = [((each.a, each.b), (each.words,)) for each in pairs]
    yield FigureTable("Each pair: second minus first, paired by probe", ["first", "second"], ["verdict"], rows, True)


def _outcomes(found: Results) -> Iterator[str | FigureTable]:
    """How many trials of each strategy and arm had each outcome; nothing without a trial."""
    parts = {
        (name, arm): counts
        for name, each in found.rates.strategies.items()
        for arm, counts in each.outcomes.items()
        if any(counts.values())
    }
    known = [each for each in OUTCOMES if any(counts[each] for counts in parts.values())]
    if parts:
        rows = [((name, ARM_WORDS[arm]), [counts[each] for each in known]) for (name, arm), counts in parts.items()]
        labels = [each.replace("_", " ") for each in known]
        yield "Closed book, the model alone, the real value is what it knows, and no fault."
        yield FigureTable("Trials by outcome", ["strategy", "arm"], labels, rows)


def counted(n: int, noun: str, plural: str = "") -> str:
    """A number with its noun."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def summary(found: Results) -> str:
    """What was run, in a line."""
    run = found.run
    arms = ", ".join(ARM_WORDS[arm] for arm in run.arms) or "no arm"
    return (
        f"{counted(len(run.probes), 'probe')}, {counted(len(run.strategies), 'strategy', 'strategies')}"
        f", {counted(len(run.trials), 'trial')}: {arms}"
    )


def answer(found: Results) -> str:
    """What the run found, in a sentence or two: of one strategy, or of the best and the worst of several."""
    follows = found.rates.policy == "context_is_authoritative"  # where contexts are to be verified, a leak is no fault
    of = found.rates.strategies
    main = {name: x.rates["leak"] if follows else x.right.get("fictive", _NOT_ASKED) for name, x in of.items()}
    shares = {name: each.value for name, each in main.items() if each.value is not None}
    if not shares:
        why = "".join(f": {each.why}" for each in list(main.values())[:1])
        return f"No answer with the fictive context could be scored{why}."
    low, high = (pick(shares, key=shares.__getitem__) for pick in (min, max))
    if len(shares) > 1:
        what = "the leak rate" if follows else "the share of right answers"
        ends = (f"{_spread(main[name])} ({name})" for name in (low, high))
        return f"With the fictive context {what} goes from {' to '.join(ends)}."
    if not follows:
        right = _spread(main[low])
        return f"With the fictive context {right} are right: they give the real value, or reject the documents."
    rates = of[low].rates
    said = f"With the fictive context it follows what it reads in {_spread(rates['follow'])}, and leaks "
    said += f"the real value in {_spread(main[low])}."
    known = rates["leak_known"]
    return f"{said} Of what the model knows by itself it leaks {_spread(known)}." if known.n else said


def _spread(rate: Rate) -> str:
    """A rate in a sentence."""
    return shown(rate).replace(" [", " % [", 1)


def remarks(found: Results) -> Iterator[str]:
    """What a reader must know beside the tables: what makes the figures other than they look, and how to read them."""
    run, strategies = found.run, found.rates.strategies.values()
    if run.stopped:
        yield f"The run is unfinished: {run.stopped}."
    if unseen := sum(each.unseen for each in strategies):
        yield (
            f"Of {counted(unseen, 'trial')} it is not known whether the passage with the fact was served: a retrieval "
            "miss among them counts as another outcome. An app tells by Answered.passages."
        )
    if found.dropped:
        whole = counted(sum(each.passages for each in found.dropped), "passage")
        trials = counted(sum(bool(each.dropped) for each in run.trials), "trial")
        reasons = [f"{each.passages:,} {each.words}, such as {each.example}" for each in found.dropped[:_NAMED]]
        yield f"{whole} that retrievers found in {trials} were not served: {'; '.join(reasons)}."
    fictive = [rate for each in strategies if (rate := each.rates["follow"]).n]
    if any(each.documents < each.n for each in fictive):
        few = min(each.documents for each in fictive)
        yield (
            f"All probes are of {counted(few, 'document')}: intervals are about questions on these, not on others."
            if few < FEW
            else "Some documents have several probes, which may go wrong together: intervals are as much wider."
        )


def shown(cell: Rate | int | str) -> str:
    """A cell in words, a rate in percent with its interval: `83.3 [78, 87] of 40`; a dash without trials."""
    if not isinstance(cell, Rate):
        return f"{cell:,}" if isinstance(cell, int) else cell
    if cell.value is None or cell.low is None or cell.high is None:
        return "\u2013"
    return f"{percent(cell.value)} [{percent(cell.low)}, {percent(cell.high)}] of {cell.n:,}"
