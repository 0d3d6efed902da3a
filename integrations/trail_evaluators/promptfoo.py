"""promptfoo: an assertion. Write `from trail_evaluators.promptfoo import get_assert` into a file that it names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from trail_evaluators.cases import CaseChecker, found, passes, why_not

__all__ = ["get_assert"]


def get_assert(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """Checks an output against the sources among the variables of its test.

    The `config` of the assertion may have `judge` (a name; the offline judge without one), `max_score` (0.0 to 1.0, the
    hallucination score up to which it passes; 0.0 without one), and `sources` and `question`, names of variables other
    than the usual ones. What could not be judged does not pass, and the reason says so.

    promptfoo wants a number: `score` is 1 - hallucination score, and where there is no score 1.0 or 0.0 as the test
    passes or not. `namedScores` has only what is one.

    Args:
        output: What the provider returned.
        context: As promptfoo gives it: `vars`, `config`, ...

    Returns:
        promptfoo's grading result, with a part for each claim.
    """
    config = context.get("config") or {}
    case = found(
        [output, {"answer": output}],
        [context.get("vars") or {}],
        sources=config.get("sources"),
        question=config.get("question"),
    )
    report = _checker(config.get("judge")).report(case)
    answer, *others = report.to_evaluations(higher_is_better=True)
    passed = bool(passes(report, float(config.get("max_score", 0.0))))
    parts = [each for each in others if "claim_id" in each["metadata"]]
    return {
        "pass": passed,
        "score": float(passed) if answer["score"] is None else answer["score"],
        "reason": why_not(report) if answer["score"] is None else answer["explanation"],
        "namedScores": {} if answer["score"] is None else {answer["name"]: answer["score"]},
        "componentResults": [
            {"pass": each["score"] == 1.0, "score": each["score"], "reason": f"{each['label']}: {each['explanation']}"}
            for each in parts
            if each["score"] is not None
        ],
    }


@lru_cache(maxsize=4)
def _checker(judge: str | None) -> CaseChecker:
    return CaseChecker(judge, None)
