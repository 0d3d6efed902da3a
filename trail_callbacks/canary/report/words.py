"""The figures of a canary run as tables and in words, the same in a terminal, in a notebook and on the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.statistics.comparing import LABELS, Compared
from trail_callbacks.canary.statistics.measures import MEASURES
from trail_callbacks.canary.statistics.rates import Figures, Split
from trail_callbacks.canary.trial import OUTCOMES, Outcome
from trail_callbacks.statistics.rates import FEW, Rate, percent

_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "With the fictive context": ("follow", "leak", "leak_known", "blend", "abstain"),
    "What the model knows, and what it makes of no context": ("right_closed_book", "right_empty", "follow_real"),
    "Where the fact was removed, or passages disagree": (
        "abstain_unanswerable", "leak_unanswerable", "conflict_told", "leak_inconsistent",
    ),
    "Retrieval": ("miss_real", "miss_fictive"),
}  # fmt: skip
_SPLIT_BY: Final = (
    "follow", "leak", "leak_known", "abstain", "abstain_unanswerable", "conflict_told", "right_closed_book",
    "right_empty",
)  # fmt: skip
ARM_WORDS: Final[Mapping[Arm, str]] = {
    "closed_book": "closed book",
    "real": "real context",
    "fictive": "fictive context",
    "empty": "empty context",
}
OUTCOME_WORDS: Final[Mapping[Outcome, str]] = {
    "follows_context": "follows context",
    "leaks_prior": "leaks prior",
    "blends": "blends",
    "abstains": "abstains",
    "other_wrong": "other, wrong",
    "retrieval_miss": "not retrieved",
    "unscorable": "unscorable",
}
OUTCOME_MEANS: Final[Mapping[Outcome, str]] = {
    "follows_context": "the answer gives what its context says, and no other value",
    "leaks_prior": "the answer gives the real value, which was not in the context that was served",
    "blends": "the answer gives two of the values, of which its context holds at most one",
    "abstains": "the answer declines, or says that the documents do not tell",
    "other_wrong": "the answer gives something else",
    "retrieval_miss": "no passage that was served holds the fact, whatever the answer says",
    "unscorable": "there is no answer, or nobody could decide what it says",
}
_NAMED = 10  # ids in one line
_NOT_ASKED = Rate(k=0, n=0, why="the fictive arm was not asked")


@dataclass(frozen=True, slots=True)
class FigureTable:
    """Rates or counts beside each other; columns without any trial are left out.

    Attributes:
        title: Its title.
        heads: What the names of rows are: a strategy, a value of a split, an arm.
        labels: What is counted, column by column.
        rows: The names of each row with its figures.
        main: Whether it tells what the run was made for.
    """

    title: str
    heads: Sequence[str]
    labels: Sequence[str]
    rows: Sequence[tuple[Sequence[str], Sequence[Rate | int]]]
    main: bool = False


def rate_tables(found: Results) -> Iterator[FigureTable]:
    """All rates by strategy: what was followed first, then what is right by the policy, then the others."""
    rows = [(each.strategy or "all", each) for each in found.rates.strategies.values()]
    first, *others = _TABLES.items()
    yield from _table(first[0], "strategy", rows, first[1], main=True)
    arms = [arm for arm in found.run.arms if any(each.right[arm].n for _, each in rows)]
    if arms:
        title = f"Right, if the policy is: {found.rates.policy.replace('_', ' ')}"
        rights = [((name,), [each.right[arm] for arm in arms]) for name, each in rows]
        yield FigureTable(title, ["strategy"], [ARM_WORDS[arm] for arm in arms], rights, main=True)
    for title, names in others:
        yield from _table(title, "strategy", rows, names)


def split_table(found: Results, split: Split) -> Iterator[FigureTable]:
    """Follow and leak rate by a split, of all strategies together; none where nothing was asked."""
    whole = found.rates.splits[split]
    together = [each for each in whole if each.strategy is None] or whole
    title = f"By {split}{', all strategies together' if len(found.run.strategies) > 1 else ''}"
    yield from _table(title, split, [(each.value or "all", each) for each in together], _SPLIT_BY)


def outcome_table(found: Results) -> Iterator[FigureTable]:
    """How many trials of each strategy and arm had each outcome; none without a trial."""
    parts = [(each, arm) for each in found.rates.strategies.values() for arm in found.run.arms]
    parts = [(each, arm) for each, arm in parts if any(each.outcomes[arm].values())]
    known = [each for each in OUTCOMES if any(row.outcomes[arm][each] for row, arm in parts)]
    rows = [
        ((row.strategy or "all", ARM_WORDS[arm]), [row.outcomes[arm][each] for each in known]) for row, arm in parts
    ]
    if rows:
        labels = [OUTCOME_WORDS[each] for each in known]
        yield FigureTable("Trials by outcome", ["strategy", "arm"], labels, rows)


def _table(
    title: str, head: str, rows: Sequence[tuple[str, Figures]], names: Sequence[str], *, main: bool = False
) -> Iterator[FigureTable]:
    known = [each for each in names if any(row.rates[each].n for _, row in rows)]
    if known:
        cells = [((name,), [row.rates[each] for each in known]) for name, row in rows]
        yield FigureTable(title, [head], [MEASURES[each].label for each in known], cells, main)


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
    scored = [each for each in found.rates.strategies.values() if _main(found, each).n]
    if not scored:
        why = [_main(found, each).why for each in found.rates.strategies.values()]
        return f"No answer with the fictive context could be scored{f': {why[0]}' if why else ''}."
    if len(scored) == 1:
        return _of_one(found, scored[0])
    low, high = (pick(scored, key=lambda each: _main(found, each).value or 0.0) for pick in (min, max))
    what = "the leak rate" if _following(found) else "the share of right answers"
    return (
        f"With the fictive context {what} goes from {_spread(_main(found, low))} ({low.strategy}) "
        f"to {_spread(_main(found, high))} ({high.strategy})."
    )


def _of_one(found: Results, figures: Figures) -> str:
    main, known = _main(found, figures), figures.rates["leak_known"]
    if not _following(found):
        return f"With the fictive context {_spread(main)} are right: they give the real value, or reject the documents."
    said = f"With the fictive context it follows what it reads in {_spread(figures.rates['follow'])}, and leaks "
    said += f"the real value in {_spread(main)}."
    return f"{said} Of what the model knows by itself it leaks {_spread(known)}." if known.n else said


def _main(found: Results, figures: Figures) -> Rate:
    """The rate that strategies are judged by: where contexts are to be verified, a leak is no fault."""
    return figures.rates["leak"] if _following(found) else figures.right.get("fictive", _NOT_ASKED)


def _following(found: Results) -> bool:
    return found.rates.policy == "context_is_authoritative"


def _spread(rate: Rate) -> str:
    """A rate in a sentence."""
    return shown(rate).replace(" [", " % [", 1)


def ties(found: Results, measure: Compared) -> str:
    """How many strategies can be told apart by a measure; empty for one strategy."""
    contrasts = found.contrasts[measure]
    if not contrasts:
        return ""
    differ = sum(each.verdict == "differ" for each in contrasts)
    n = min(each.pairs.n for each in contrasts)
    pairs = counted(len(contrasts), "pair")
    said = f"{differ:,} of {pairs} of strategies differ" if differ else "no two strategies can be told apart"
    return f"By {LABELS[measure]} {said} (n = {n:,} probes or more, McNemar's exact test, Holm)"


def remarks(found: Results) -> Iterator[str]:
    """What a reader must know beside the tables: what makes the figures other than they look, and how to read them."""
    run, rates = found.run, found.rates
    if run.stopped:
        yield f"The run is unfinished: {run.stopped}."
    unseen = sum(each.unseen for each in rates.strategies.values())
    if unseen:
        yield (
            f"Of {counted(unseen, 'trial')} it is not known whether the passage with the fact was served: a retrieval "
            "miss among them counts as another outcome. An app tells by Answered.passages."
        )
    if found.dropped:
        whole = counted(sum(each.passages for each in found.dropped), "passage")
        trials = counted(sum(bool(each.dropped) for each in run.trials), "trial")
        reasons = [f"{each.passages:,} {each.words}, such as {each.example}" for each in found.dropped[:_NAMED]]
        yield f"{whole} that retrievers found in {trials} were not served: {'; '.join(reasons)}."
    fictive = [rate for each in found.rates.strategies.values() if (rate := each.rates["follow"]).n]
    if any(each.documents < each.n for each in fictive):
        few = min(each.documents for each in fictive)
        yield (
            f"All probes are of {counted(few, 'document')}: intervals are about questions on these, not on others."
            if few < FEW
            else "Some documents have several probes, which may go wrong together: intervals are as much wider."
        )
    if left := found.run.skipped:
        yield f"{len(left):,} left out; the first: {left[0].place}: {left[0].why}"


def shown(rate: Rate) -> str:
    """A rate in percent with its interval: `83.3 [78, 87] of 40`; a dash without trials."""
    if rate.value is None or rate.low is None or rate.high is None:
        return "\u2013"
    return f"{percent(rate.value)} [{percent(rate.low)}, {percent(rate.high)}] of {rate.n:,}"
