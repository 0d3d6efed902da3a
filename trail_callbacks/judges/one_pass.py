"""What a judge must be able to do to find the claims of an answer and judge them at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Extraction, Judgement
from trail_callbacks.models.call import Pipeline

__all__ = ["OnePass", "Opinion"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What a judge says about an answer at once.

    Attributes:
        extraction: The claims.
        judged: Judgements on claims, by claim id; those that could not be used are missing, and none has an `error`.
        warnings: See `Assessment`.
    """

    extraction: Extraction
    judged: Mapping[str, Judgement] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@runtime_checkable
class OnePass(Protocol):
    """A judge that can do both at once. The method is a pipeline, as those of `Judge` are."""

    def judge_answer(
        self, answer: str, question: str | None, passages: tuple[Passage, ...], conversation: str = ""
    ) -> Pipeline[Opinion | None]:
        """Finds the claims of an answer and judges them.

        Args:
            answer: The answer.
            question: The user's request, if known.
            passages: All that may count as evidence, in the order of the sources; at least one.
            conversation: The turns before the request, to understand the answer by; no evidence.

        Returns:
            None if the answer is not suited, or if the judge cannot use what its model said: then the claims are to be
            found first, and judged later.
        """
