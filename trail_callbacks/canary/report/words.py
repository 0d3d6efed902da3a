"""Figures of a canary run in words, the same in a terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.statistics.contrasts import LABELS, Compared
from trail_callbacks.canary.statistics.measures import MeasureName
from trail_callbacks.canary.statistics.rate import FEW, Rate
from trail_callbacks.canary.trial import Outcome

__all__ = [
    "ARM_WORDS",
    "OUTCOME_WORDS",
    "SPLIT_BY",
    "TABLES",
    "counted",
    "percent",
    "remarks",
    "shown",
    "summary",
    "ties",
]

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
TABLES: Final[Mapping[str, tuple[MeasureName, ...]]] = {
    "With the fictive context": ("follow", "leak", "leak_known", "blend", "abstain", "memorisation"),
    "What the model knows, and what it makes of no context": (
        "right_closed_book",
        "right_empty",
        "follow_real",
        "guessed_empty",
        "guessed_closed_book",
    ),
    "Where the fact was removed, or passages disagree": (
        "abstain_unanswerable",
        "leak_unanswerable",
        "conflict_told",
        "leak_inconsistent",
    ),
    "Retrieval": ("miss_real", "miss_fictive", "miss_leak"),
}
"""Measures that are shown beside each other; a table whose denominators are all empty is left out."""

SPLIT_BY: Final[tuple[MeasureName, ...]] = (
    "follow",
    "leak",
    "leak_known",
    "abstain",
    "abstain_unanswerable",
    "conflict_told",
    "right_closed_book",
    "right_empty",
)
"""Measures that are shown by kind, size, subject and model."""

_NAMED = 10  # ids in one line


def percent(share: float) -> str:
    """A share as a percentage with at most one decimal, without the sign."""
    shown = f"{100 * share:.1f}"
    return shown.removesuffix(".0")


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
    """What a reader must know beside the tables."""
    run, rates = found.run, found.rates
    if run.stopped:
        yield f"The run is unfinished: {run.stopped}."
    fictive = [each.rates["follow"] for each in rates.strategies.values()]
    if any(each.documents < each.n for each in fictive):
        few = min((each.documents for each in fictive if each.n), default=0)
        yield (
            f"All probes are of {counted(few, 'document')}: intervals are about questions on these, not on others."
            if few < FEW
            else "Several probes are of one document and may go wrong together: intervals are as wide as those of the "
            "number of independent probes that say as much."
        )
    unseen = sum(each.unseen for each in rates.strategies.values())
    if unseen:
        yield (
            f"Of {counted(unseen, 'trial')} the app does not tell which passages were served: a retrieval miss among "
            "them counts as another outcome."
        )
    if found.dropped:
        whole = counted(sum(each.passages for each in found.dropped), "passage")
        trials = counted(sum(bool(each.dropped) for each in run.trials), "trial")
        reasons = [f"{each.passages:,} {each.words}, such as {each.example}" for each in found.dropped[:_NAMED]]
        yield f"{whole} that retrievers found in {trials} were not served: {'; '.join(reasons)}."
    if rates.guessed:
        names = ", ".join(rates.guessed[:_NAMED])
        more = f" and {len(rates.guessed) - _NAMED:,} more" if len(rates.guessed) > _NAMED else ""
        yield (
            "The fictive value was given without being shown, so that following cannot be told from guessing: "
            f"{names}{more}."
        )
    if run.skipped:
        yield f"{len(run.skipped):,} skipped; the first: {run.skipped[0].place}: {run.skipped[0].why}"


def shown(rate: Rate, *, beside: int | None = None) -> str:
    """A rate with its interval: `83.3 [78, 87]`; a dash without trials; with its n unless that stands beside it."""
    if rate.value is None or rate.low is None or rate.high is None:
        return "\u2013"
    n = "" if rate.n == beside else f" of {rate.n:,}"
    return f"{percent(rate.value)} [{percent(rate.low)}, {percent(rate.high)}]{n}"
