"""What a canary run may cost, told before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from math import ceil

from trail_callbacks.canary.arm import ARMS, Arm, Strategy
from trail_callbacks.canary.outcomes import Scored
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.runs.scoring import Decide
from trail_callbacks.models.call import Usage
from trail_callbacks.models.drive import advance
from trail_callbacks.models.tokens import count
from trail_callbacks.work.budget import Budget

__all__ = ["Cost", "estimate"]

_SAMPLE = 20  # probes of which prompts for the model are written
_REPLY = 60  # tokens that a model writes of an answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """An estimate.

    Attributes:
        questions: Questions to the app.
        judge_calls: Calls of the model that reads what code is in doubt of: at most so many. Answers that give one
            value need none.
        question_tokens: Tokens of the questions alone: what the app adds to them is not known.
        app_tokens: Tokens of the app, read and written, if what it takes for a question was given; None if not.
        judge_tokens: Tokens of those calls, read and written, at most.
        money: What is known of it in the currency of the prices, at most; None without prices.
        minutes: How long the pace makes it last, at most; None without a pace.
    """

    questions: int
    judge_calls: int
    question_tokens: int
    app_tokens: int | None
    judge_tokens: int
    money: float | None
    minutes: float | None


def estimate(
    probes: Sequence[Probe],
    strategies: Sequence[Strategy] = (),
    arms: Sequence[Arm] = ARMS,
    *,
    decide: Decide | None = None,
    budget: Budget | None = None,
    per_question: Usage | None = None,
) -> Cost:
    """Estimates a run without asking anybody.

    Args:
        probes: The probes.
        strategies: The strategies; none is one.
        arms: The arms.
        decide: How a model is asked, `outcomes.decide_all`; None if none is.
        budget: Prices and pace.
        per_question: What the app takes for one question, for instance the mean of an earlier run.
    """
    limits = budget or Budget()
    asked = max(1, len(strategies)) * len(arms)
    questions = len(probes) * asked
    tokens = asked * sum(count(probe.question) for probe in probes)
    calls, prompt = _judging(probes, arms, decide) if decide is not None and probes else (0.0, 0.0)
    judge_calls = ceil(calls * questions)
    judge = Usage(prompt_tokens=round(prompt * questions), completion_tokens=questions * _REPLY if judge_calls else 0)
    app = per_question or Usage(prompt_tokens=0)
    total = Usage(
        prompt_tokens=judge.prompt_tokens + app.prompt_tokens * questions,
        completion_tokens=judge.completion_tokens + app.completion_tokens * questions,
    )
    pace = limits.requests_per_minute
    return Cost(
        questions=questions,
        judge_calls=judge_calls,
        question_tokens=tokens,
        app_tokens=None if per_question is None else (app.prompt_tokens + app.completion_tokens) * questions,
        judge_tokens=judge.prompt_tokens + judge.completion_tokens,
        money=limits.cost(total),
        minutes=None if pace is None else (questions + judge_calls) / pace,
    )


def _judging(probes: Sequence[Probe], arms: Sequence[Arm], decide: Decide) -> tuple[float, float]:
    """Calls and tokens to be read for one undecided answer, on the mean: the prompts are written, and not sent."""
    both = [probe for probe in probes if probe.fictive is not None] or probes
    step = max(1, len(both) // _SAMPLE)
    sample = [
        Scored(probe=probe, arm=arm, answer=f"{probe.real}. {probe.fictive or '?'}.")  # code cannot tell which is meant
        for probe in both[::step][:_SAMPLE]
        for arm in arms
    ]
    with closing(decide(sample)) as work:
        batch, _ = advance(work, None)
    tokens = sum(count(message.content) for call in batch or () for message in call.messages)
    return len(batch or ()) / len(sample), tokens / len(sample)
