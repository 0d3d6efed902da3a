"""Inspect: a scorer."""

from __future__ import annotations

from typing import Any

from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.verify.options import VerifyOptions
from trail_evaluators.cases import SOURCES, Case, CaseChecker, retrieved, text_of, why_not
from trail_evaluators.sending import tool

__all__ = ["scorer"]


def scorer(judge: JudgeLike = None, *, options: VerifyOptions | None = None, sources: str | None = None) -> Any:
    """Makes a scorer for a `Task(..., scorer=scorer())`.

    Sources are what the sample's metadata holds under a usual key, else the results of the tools among its messages.
    The value is groundedness, 1 - hallucination score; an answer without a score is left unscored, with the reason.

    Args:
        judge: Who decides; None is the offline judge.
        options: Settings of the verification.
        sources: Key of the sources in the metadata, if it is none of `cases.SOURCES`.

    Raises:
        ImportError: If Inspect is not installed.
    """
    scoring = tool("inspect_ai.scorer", "inspect-ai")
    checker = CaseChecker(judge, options)

    def groundedness() -> Any:
        async def score(state: Any, target: Any) -> Any:
            del target
            report = await checker.areport(_case(state, sources))
            record = report.to_evaluations(higher_is_better=True)[0]
            about = {
                "answer": state.output.completion,
                "explanation": record["explanation"],
                "metadata": record["metadata"],
            }
            if record["score"] is None:
                return scoring.Score.unscored(reason=why_not(report), **about)
            return scoring.Score(value=record["score"], **about)

        return score

    return scoring.scorer(metrics=[scoring.mean()], name="groundedness")(groundedness)()


def _case(state: Any, sources: str | None) -> Case:
    metadata = state.metadata or {}
    texts = retrieved(next((metadata[key] for key in ((sources,) if sources else SOURCES) if metadata.get(key)), None))
    if not texts:
        texts = tuple(message.text for message in state.messages if message.role == "tool" and message.text)
    return Case(state.output.completion, texts, text_of(state.input_text))
