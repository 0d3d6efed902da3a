"""What a canary run may cost, told before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from math import ceil

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.outcomes import Scored, decide_all
from trail_callbacks.canary.probe import Probe
from trail_callbacks.models.drive import advance
from trail_callbacks.models.tokens import count

__all__ = ["RunCost", "estimate"]

_SAMPLE = 20  # probes of which prompts for the model are written
_REPLY = 60  # tokens that a model writes of an answer


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCost:
    """An estimate.

    Attributes:
        questions: Questions to the app.
        question_tokens: Tokens of the questions alone: what the app adds to them is not known.
        judge_calls: Calls of the model that reads what code is in doubt of, at most.
        judge_tokens: Tokens of those calls, read and written, at most.
    """

    questions: int
    question_tokens: int
    judge_calls: int = 0
    judge_tokens: int = 0


def estimate(probes: Sequence[Probe], strategies: int, arms: Sequence[Arm], *, judged: bool = False) -> RunCost:
    """Estimates a run without asking anybody.

    Args:
        probes: The probes.
        strategies: How many strategies there are.
        arms: The arms.
        judged: A model reads what code is in doubt of.
    """
    asked = strategies * len(arms)
    questions, tokens = len(probes) * asked, asked * sum(count(probe.question) for probe in probes)
    if not judged or not probes:
        return RunCost(questions=questions, question_tokens=tokens)
    sample = [
        Scored(probe=probe, arm=arm, answer=f"{probe.real}. {probe.fictive or '?'}.")  # code cannot tell which is meant
        for probe in probes[:: max(1, len(probes) // _SAMPLE)][:_SAMPLE]
        for arm in arms
    ]
    with closing(decide_all(sample)) as work:  # its prompts are written, and not sent
        calls, _ = advance(work, None)
    read = sum(count(message.content) for call in calls or () for message in call.messages)
    share = questions / len(sample)
    return RunCost(
        questions=questions,
        question_tokens=tokens,
        judge_calls=ceil(len(calls or ()) * share),
        judge_tokens=round(read * share) + _REPLY * questions,
    )
