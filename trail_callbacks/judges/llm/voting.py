"""Several readings of the same claims, and what most of them say.

Self-consistency (Wang et al., ICLR 2023) over verdicts: readings differ where a model samples, and a claim on which
they differ is one to look at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from trail_callbacks.judges.judge import Assessment, Judgement, Question, matched
from trail_callbacks.models.call import Call, Pipeline
from trail_callbacks.models.drive import relayed, together
from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass

__all__ = ["majority", "voted"]


def voted(
    questions: Sequence[Question], reading: Callable[[], Pipeline[Assessment]], votes: int
) -> Pipeline[Assessment]:
    """Judges claims by several readings, made at the same time.

    Args:
        questions: What is asked.
        reading: Begins one reading.
        votes: How many, 2 or more.
    """
    assessments = yield from together([relayed(reading(), partial(_marked, n)) for n in range(votes)])
    readings = [matched(questions, assessment.judgements) for assessment in assessments]
    warnings = dict.fromkeys(warning for assessment in assessments for warning in assessment.warnings)
    return Assessment(
        judgements=tuple(majority(judgements) for judgements in zip(*readings, strict=True)), warnings=tuple(warnings)
    )


def majority(judgements: Sequence[Judgement]) -> Judgement:
    """Returns the judgement of most readings of one claim.

    They vote on the side first: supported, unsupported (three classes) or unevaluatable. The class is then the most
    frequent on that side. A side needs more than half of the readings that did not fail; else the claim is undecided.

    Args:
        judgements: One a reading, at least one. Of those that agree, the first gives evidence and rationale.

    Returns:
        The judgement; `confidence` is the share of the readings on its side.
    """
    votes = [one for one in judgements if one.error is None]
    if not votes:
        return judgements[0]
    side, agreeing = Counter(map(_side, votes)).most_common(1)[0]
    if 2 * agreeing <= len(votes):
        return replace(votes[0], support=None, error_type=None, second_type=None, undecided=_split(votes), evidence=())
    mine = [one for one in votes if _side(one) == side]
    support = Counter(one.support for one in mine).most_common(1)[0][0]
    best = next(one for one in mine if one.support is support)
    if support is None:
        return best
    same = [one for one in mine if one.support is support]
    kind = Counter(one.error_type for one in same).most_common(1)[0][0]
    best = next(one for one in same if one.error_type is kind)
    note = f" {agreeing} of {len(votes)} readings agree." if agreeing < len(votes) else ""
    return replace(best, confidence=agreeing / len(votes), rationale=f"{best.rationale}{note}".strip())


def _side(judgement: Judgement) -> str:
    if judgement.support in UNSUPPORTED:
        return "unsupported"
    return "undecided" if judgement.support is None else str(judgement.support)


def _split(votes: Sequence[Judgement]) -> str:
    counted = Counter("undecided" if one.support is None else _word(one.support) for one in votes)
    return f"the readings disagree: {', '.join(f'{n} {word}' for word, n in counted.items())}"


def _word(support: SupportClass) -> str:
    return support.value.replace("_", " ")


def _marked(sample: int, call: Call) -> Call:
    """So that a cache does not answer one reading with another."""
    return replace(call, sample=sample)
