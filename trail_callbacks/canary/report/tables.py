"""The rates of a run as tables, which a terminal, a notebook and the page draw each in their own way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.report.words import ARM_WORDS
from trail_callbacks.canary.statistics.measures import MEASURES
from trail_callbacks.canary.statistics.rates import Figures, Split
from trail_callbacks.statistics.rates import Rate

__all__ = ["RateTable", "rate_tables", "split_table"]

_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "With the fictive context": ("follow", "leak", "leak_known", "blend", "abstain", "memorisation"),
    "What the model knows, and what it makes of no context": (
        "right_closed_book", "right_empty", "follow_real", "guessed_empty", "guessed_closed_book",
    ),
    "Where the fact was removed, or passages disagree": (
        "abstain_unanswerable", "leak_unanswerable", "conflict_told", "leak_inconsistent",
    ),
    "Retrieval": ("miss_real", "miss_fictive", "miss_leak"),
}  # fmt: skip
_SPLIT_BY: Final = (
    "follow", "leak", "leak_known", "abstain", "abstain_unanswerable", "conflict_told", "right_closed_book",
    "right_empty",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RateTable:
    """Rates beside each other; columns without any trial are left out.

    Attributes:
        title: Its title.
        head: What the rows are: strategies, or values of a split.
        labels: What is counted, column by column.
        rows: The name of each row with its rates.
        main: Whether it tells what the run was made for.
    """

    title: str
    head: str
    labels: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Rate]]]
    main: bool = False


def rate_tables(found: Results, measures: Sequence[str] | None = None) -> Iterator[RateTable]:
    """All rates by strategy: what was followed first, then what is right by the policy, then the others.

    Args:
        found: The results.
        measures: Shows only these, in one table.
    """
    rows = [(each.strategy or "all", each) for each in found.rates.strategies.values()]
    first, *others = _TABLES.items() if measures is None else [("", tuple(measures))]
    yield from _table(first[0], "strategy", rows, first[1], main=True)
    arms = [arm for arm in found.run.arms if any(each.right[arm].n for _, each in rows)]
    if arms:
        rights = [(name, [each.right[arm] for arm in arms]) for name, each in rows]
        title = f"Right, if the policy is: {found.rates.policy.replace('_', ' ')}"
        yield RateTable(title, "strategy", [ARM_WORDS[arm] for arm in arms], rights, main=True)
    for title, names in others:
        yield from _table(title, "strategy", rows, names)


def split_table(found: Results, split: Split) -> Iterator[RateTable]:
    """Follow and leak rate by a split, of all strategies together; none where nothing was asked."""
    whole = found.rates.splits[split]
    together = [each for each in whole if each.strategy is None] or whole
    title = f"By {split}{', all strategies together' if len(found.run.strategies) > 1 else ''}"
    yield from _table(title, split, [(each.value or "all", each) for each in together], _SPLIT_BY)


def _table(
    title: str, head: str, rows: Sequence[tuple[str, Figures]], names: Sequence[str], *, main: bool = False
) -> Iterator[RateTable]:
    known = [each for each in names if any(row.rates[each].n for _, row in rows)]
    if known:
        labels = [MEASURES[each].label for each in known]
        yield RateTable(title, head, labels, [(name, [row.rates[each] for each in known]) for name, row in rows], main)
