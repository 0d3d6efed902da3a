"""Figures of a canary run in words, the same in a terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.statistics.contrasts import LABELS, Compared
from trail_callbacks.canary.statistics.rates import Figures
from trail_callbacks.canary.trial import Outcome
from trail_callbacks.statistics.rates import FEW, Rate, percent

__all__ = [
    "ARM_WORDS",
    "OUTCOME_MEANS",
    "OUTCOME_WORDS",
    "answer",
    "counted",
    "notes",
    "remarks",
    "shown",
    "summary",
    "ties",
    "warnings",
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
    """What a reader must know beside the tables: warnings, then notes."""
    yield from warnings(found)
    yield from notes(found)


def warnings(found: Results) -> Iterator[str]:
    """What may make the figures other than they look."""
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
    if rates.guessed:
        names = ", ".join(rates.guessed[:_NAMED])
        more = f" and {len(rates.guessed) - _NAMED:,} more" if len(rates.guessed) > _NAMED else ""
        yield (
            "The fictive value was given without being shown, so that following cannot be told from guessing: "
            f"{names}{more}."
        )


def notes(found: Results) -> Iterator[str]:
    """How intervals are to be read, and what was not asked."""
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


def shown(rate: Rate, *, beside: int | None = None) -> str:
    """A rate in percent with its interval: `83.3 [78, 87] of 40`; a dash without trials.

    Args:
        rate: The rate.
        beside: The n that stands beside it, and is not said again.
    """
    if rate.value is None or rate.low is None or rate.high is None:
        return "\u2013"
    n = "" if rate.n == beside else f" of {rate.n:,}"
    return f"{percent(rate.value)} [{percent(rate.low)}, {percent(rate.high)}]{n}"
