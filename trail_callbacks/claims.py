"""Claims: the smallest statements of an answer that evidence can confirm or deny; a splitter without a model."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from trail_callbacks.splitting.fields import Structure

_JSON = re.compile(r"(?:^|[:\uff1a>])[ \t]{0,100}[\[{]\s{0,100}[\[{\"'\-\dtfnTFN]", re.MULTILINE)

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
        citations: The sources that the answer names for it, in the order of the answer.
        path: The field of a structured answer that makes it, e.g. `items[2].price`; empty in prose.
        uncovered: Whether the judge left it out: code found these words in no claim of the judge (see
            `trail_callbacks.verify.coverage`). It was never judged, and its verdict is undecided.
    """

    id: str
    text: str
    quote: str
    start: int
    end: int
    checkable: bool = True
    citations: tuple[Citation, ...] = ()
    path: str = ""
    uncovered: bool = False


class Within:
    """Claims by place, asked for one stretch after the other, whose bounds only grow."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self._coming = deque(sorted((claim.start, claim.end, n) for n, claim in enumerate(claims)))
        self._reached: list[tuple[int, int]] = []

    def between(self, start: int, end: int) -> list[int]:
        """Returns which of the claims overlap a stretch, in the order in which all were given."""
        while self._coming and self._coming[0][0] < end:
            _, until, n = self._coming.popleft()
            self._reached.append((n, until))
        self._reached = sorted(each for each in self._reached if each[1] > start)
        return [n for n, _ in self._reached]


def split(answer: str, question: str | None = None) -> tuple[Claim, ...]:
    """Splits an answer into claims by rules, without a model.

    A sentence, list item or table row is a claim. An English sentence is cut into clauses where that is safe, a shared
    subject is repeated, and a pronoun at its head is replaced by the subject of the sentence before where it can mean
    only that (in doubt it stays: a wrong guess would be worse). In other languages sentences, items and rows are
    claims as they are.

    Layout hides nothing: headings, comments, link texts, texts for images, cells, fenced blocks, comments and strings
    of code, and words in LaTeX are claims if they state something. Titles (`## Opening hours`), lead-ins that only
    introduce a list, rules, code and formulas are not; `trail_callbacks.splitting.code` lists the latter. A list item
    that is a fragment is read behind its lead-in or heading. What comes before a statement without being part of it
    (`Based on the passages,`) is left out of text and quote, citation marks and linking words (`However,`) only of
    the text. What states nothing about the world is kept with `checkable=False`; that is told by English rules, in
    other languages only questions and greetings are. What greets, asks or declines and states something as well (`Did
    you know that ...?`) is checkable. An answer of a few words is joined with its question.

    Instructions to the reader that carry content ("Take two tablets a day") stay checkable: sources give instructions
    too, and a wrong one is the most harmful kind of error. Only those about the talk itself ("See the manual") do not.

    JSON in an answer is read field by field; `trail_callbacks.splitting.fields` says what of it is a claim.

    Args:
        answer: The text to split; may be empty.
        question: The user's request, for short answers.

    Returns:
        Claims in order, spans exact: `claim.quote == answer[claim.start:claim.end]`.
    """
    read = structured(answer)
    if read is not None:
        return of_fields(answer, read, split(read.text, question), question)
    from trail_callbacks.language.speech import declines  # noqa: PLC0415 - many patterns
    from trail_callbacks.splitting.marks import answers  # noqa: PLC0415 - as above
    from trail_callbacks.splitting.statements import commands, is_short, statements  # noqa: PLC0415 - as above

    everything = list(statements(answer))
    found = [one for one in everything if not one.title] or (everything if question else [])
    claims = []
    for n, one in enumerate(found, 1):
        text, checkable = one.text, one.checkable
        short = (n == 1 or len(found) == 1) and is_short(text) and not declines(text) and not commands(text)
        if question and not one.row and (answers(text) or short):
            text, checkable = f"{' '.join(question.split())} {text}", True
        quote = answer[one.start : one.end]
        claims.append(Claim(id=f"c{n}", text=text, quote=quote, start=one.start, end=one.end, checkable=checkable))
    return tuple(claims)


def structured(answer: str) -> Structure | None:
    """Reads an answer that is JSON, or has JSON in it, as fields and free texts; None for prose."""
    if not _JSON.search(answer):
        return None
    from trail_callbacks.splitting.fields import structure  # noqa: PLC0415 - most answers are prose

    return structure(answer)


def of_fields(answer: str, read: Structure, prose: Sequence[Claim], question: str | None = None) -> tuple[Claim, ...]:
    """Returns the claims of a structured answer: its fields, and what was found in its free texts.

    Args:
        answer: The answer.
        read: What `structured` found in it.
        prose: The claims of `read.text`, whoever found them; those of its headings are dropped.
        question: The user's request. A named field needs none to be understood.
    """
    from trail_callbacks.splitting.statements import is_short  # noqa: PLC0415 - many patterns

    claims = [
        Claim(
            id="",
            text=e.text,
            quote=answer[e.start : e.end],
            start=e.start,
            end=e.end,
            checkable=e.checkable,
            path=e.path,
        )
        for e in read.entries
    ]
    asked = f"{' '.join(question.split())} " if question else ""
    for claim in prose:
        found = read.find(claim.start, claim.end)
        if found is None:
            continue
        field, start, end = found
        text = claim.text.removeprefix(asked) if field.names else claim.text
        if asked and field.path and not (field.names or text.startswith(asked)) and is_short(text):
            text = asked + text
        if field.subject and claim.checkable and field.subject.casefold() not in text.casefold():
            text = f"{field.subject}: {text}"
        claims.append(replace(claim, text=text, quote=answer[start:end], start=start, end=end, path=field.path))
    claims.sort(key=lambda claim: (claim.start, claim.end))
    return tuple(replace(claim, id=f"c{n}") for n, claim in enumerate(claims, 1))


def abstains(answer: str) -> bool:
    """Tells whether an answer as a whole declines to answer, in English or one of 16 other languages.

    True if at least one sentence says that the speaker or the sources do not know, say or contain it, and no other
    sentence states anything. Questions, offers and pleasantries beside it change nothing. In a language that is not
    known (`trail_callbacks.language.speech`) a refusal is taken for a statement: no answer becomes an abstention
    because it could not be read.
    """
    read = structured(answer)
    if read is not None:
        return read.declines(abstains(read.text) if read.prose else None)
    from trail_callbacks.language.speech import declines  # noqa: PLC0415 - as above
    from trail_callbacks.splitting.statements import statements  # noqa: PLC0415 - as above

    declined = False
    for one in statements(answer):
        if one.title:
            continue
        if one.checkable:
            return False
        declined = declined or declines(one.text)
    return declined
