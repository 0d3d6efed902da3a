"""Claims: the smallest statements of an answer that evidence can confirm or deny; a splitter without a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Citation", "CitationStatus", "Claim", "abstains", "split"]

CitationStatus: TypeAlias = Literal["supported", "partially_supported", "not_supported", "unknown_source", "undecided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A source that the answer names for a claim. `[1, 2]` is two citations.

    Attributes:
        start: Offset of the mark in the answer's text.
        end: Offset after it.
        target: What the mark names: `2`, `ferry.md`, `https://...`, `Smith 2020`.
        sources: Ids of the nodes that it names; empty for an `unknown_source`. Several if a document came in parts.
        status: Whether the cited source supports this very claim: `supported`, `partially_supported`,
            `not_supported` (also if another source does), `unknown_source` (nothing that reached the answer has that
            name), `undecided` (the claim or the citation could not be judged).
    """

    start: int
    end: int
    target: str
    sources: tuple[str, ...]
    status: CitationStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement of the answer.

    Attributes:
        id: Unique in its report: `c1`, `c2`, ...
        text: The statement, self-contained: pronouns and references resolved.
        quote: The words of the answer that make it, verbatim: `answer[start:end]`.
        start: Offset of the quote in the answer's text.
        end: Offset after the quote.
        checkable: False for what is not a statement about the world (a greeting, a question, an offer); such a claim
            is `unevaluatable` without asking a judge.
        unresolved: What keeps a statement from being understood on its own: words that neither the answer nor the
            question settles, e.g. "'it' may be the bridge or the ferry". Such a claim is not checkable.
        citations: The sources that the answer names for it, in the order of the answer.
    """

    id: str
    text: str
    quote: str
    start: int
    end: int
    checkable: bool = True
    unresolved: str = ""
    citations: tuple[Citation, ...] = ()


def split(answer: str, question: str | None = None) -> tuple[Claim, ...]:
    """Splits an answer into claims by rules, without a model.

    A sentence, list item or table row is a claim. An English sentence is cut into clauses where that is safe, a shared
    subject is repeated, and a pronoun at its head is replaced by the subject of the sentence before where it can mean
    only that (in doubt it stays: a wrong guess would be worse). In other languages sentences, items and rows are
    claims as they are.

    Headings, lead-ins that end in a colon, rules, code and formulas are not claims; a list item that is a fragment is
    read behind its lead-in or heading. What comes before a statement without being part of it (`Based on the
    passages,`) is left out of text and quote, citation marks and linking words (`However,`) only of the text. What
    states nothing about the world is kept with `checkable=False`; that is told by English rules, in other languages
    only questions and greetings are. An answer of a few words is joined with its question.

    Instructions to the reader that carry content ("Take two tablets a day") stay checkable: sources give instructions
    too, and a wrong one is the most harmful kind of error. Only those about the talk itself ("See the manual") do not.

    Args:
        answer: The text to split; may be empty.
        question: The user's request, for short answers.

    Returns:
        Claims in order, spans exact: `claim.quote == answer[claim.start:claim.end]`.
    """
    from trail_callbacks.splitting.statements import answers, is_short, statements  # noqa: PLC0415 - many patterns

    found = list(statements(answer))
    claims = []
    for n, one in enumerate(found, 1):
        text, checkable = one.text, one.checkable
        if question and not one.row and (answers(text) or ((n == 1 or len(found) == 1) and is_short(text))):
            text, checkable = f"{' '.join(question.split())} {text}", True
        quote = answer[one.start : one.end]
        claims.append(Claim(id=f"c{n}", text=text, quote=quote, start=one.start, end=one.end, checkable=checkable))
    return tuple(claims)


def abstains(answer: str) -> bool:
    """Tells whether an answer as a whole declines to answer. English only: in other languages always False.

    True if at least one sentence says that the speaker or the sources do not know, say or contain it, and no other
    sentence states anything. Questions, offers and pleasantries beside it change nothing.
    """
    from trail_callbacks.language.speech import declines  # noqa: PLC0415 - as above
    from trail_callbacks.splitting.statements import statements  # noqa: PLC0415 - as above

    declined = False
    for one in statements(answer):
        if one.checkable:
            return False
        declined = declined or declines(one.text)
    return declined
