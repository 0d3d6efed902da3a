"""Claims: the smallest statements of an answer that evidence can confirm or deny."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Claim"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement of the answer.

    Attributes:
        id: Unique in its report: `c1`, `c2`, ...
        text: The statement, self-contained: pronouns and references resolved.
        quote: The words of the answer that make it, verbatim: `answer[start:end]`.
        start: Offset of the quote in the answer's text.
        end: Offset after the quote.
        checkable: False for what is no statement about the world (a greeting, a question, an offer); such a claim
            is `unevaluatable` without asking a judge.
    """

    id: str
    text: str
    quote: str
    start: int
    end: int
    checkable: bool = True
