"""What a question asks for, and which passages meet it, by rules.

The words are the question's own, so the rules work in any language that the engine can split into words. They know no
paraphrase: that a passage meets a facet of the kind `topic` cannot be told from words, so only the others are trusted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Survey
from trail_callbacks.language.terms import Term, keys, terms, vocabulary
from trail_callbacks.language.values import Quantity, quantities
from trail_callbacks.report.diagnosis import Facet, FacetKind

RULED: frozenset[FacetKind] = frozenset({"entity", "time", "quantity", "version"})
"""Kinds of facets that words decide: a name, number or date is there or is not."""

_TIMES = frozenset({"year", "month", "day", "weekday", "clock", "quarter"})
_VERSION = re.compile(r"\b(?:v|version |release )?\d+(?:\.\d+){1,3}(?:[-.]?(?:rc|beta|alpha|a|b)\d*)?\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"\b(?:if|when|unless|without|except|during|wenn|falls|ohne|außer|w\u00e4hrend|si|sin|sans|pendant|durante|cuando)\s+"
    r"(?!(?:do|does|did|is|are|was|were|will|can|has|have)\b)([^?.!,;:]{3,80})",  # `when does it leave` is no condition
    re.IGNORECASE,
)
_JOINING = re.compile(r"[\s\-]*(?:(?:of|de|von|van|der|du|la|the)\s+)?")
_TOPIC_WEIGHT = 0.5
_MOST = 64  # facets that are told apart; what else is asked for is in the topic
_ASKING = vocabulary(
    """tell show list explain describe give find name wer was wie wo wann warum welche welcher welches qui que quoi
    quand comment pourquoi quel quelle cuando donde como cual quien chi cosa quando dove perche"""
)


def facets_of(question: str) -> tuple[Facet, ...]:
    """Finds the facets of a question: each name, quantity, time, version and condition, and one topic for the rest.

    Args:
        question: The user's request; may be empty.

    Returns:
        Facets in order of the question; none if it has no words of content. The topic counts half.
    """
    taken: list[tuple[int, int]] = []
    found: list[tuple[int, str, FacetKind]] = []

    def add(start: int, end: int, kind: FacetKind) -> None:
        if len(taken) == _MOST:
            return
        if question[start:end].strip() and not any(start < e and s < end for s, e in taken):
            taken.append((start, end))
            found.append((start, question[start:end].strip(), kind))

    for match in _VERSION.finditer(question):
        if "." in match[0] and not match[0][0].isdigit():
            add(*match.span(), "version")
    for start, end, kind in _numbers(question):
        add(start, end, kind)
    words = terms(question)
    for start, end in _names(question, words):
        add(start, end, "entity")
    for match in _CONDITION.finditer(question):
        add(match.start(1), match.end(1), "condition")
    rest = [
        question[term.start : term.end]
        for term in words
        if term.kind == "word"
        and term.form not in _ASKING
        and not any(start <= term.start < end for start, end in taken)
    ]
    texts: list[tuple[str, FacetKind]] = [(text, kind) for _, text, kind in sorted(found)]
    texts += [(" ".join(rest), "topic")] if rest else []
    return tuple(
        Facet(id=f"f{n}", text=text, kind=kind, weight=_TOPIC_WEIGHT if kind == "topic" else 1.0)
        for n, (text, kind) in enumerate(texts, 1)
    )


def survey_by_rules(
    question: str,
    queries: Sequence[str],
    passages: Sequence[Passage],
    facets: Sequence[Facet] = (),
    titles: Callable[[str], str] = lambda _: "",
) -> Survey:
    """Surveys passages by words alone; what answers the question stays unknown.

    Args:
        question: The user's request.
        queries: The queries that were sent.
        passages: The lines to survey.
        facets: What the question asks for, if the caller knows.
        titles: Returns what is known of a node besides its text, such as a title: it may name what its lines are about.
    """
    wanted = [(facet, _Words(facet.text)) for facet in tuple(facets) or facets_of(question)]
    lines = [_Words(f"{titles(passage.node_id)}\n{passage.before}\n{passage.text}") for passage in passages]
    sent = [_Words(query) for query in queries]
    met = {
        facet.id: tuple(one for one, line in zip(passages, lines, strict=True) if _meets(line, facet.kind, asked))
        for facet, asked in wanted
    }
    named = {facet.id: any(_meets(query, facet.kind, asked) for query in sent) for facet, asked in wanted if sent}
    return Survey(facets=tuple(facet for facet, _ in wanted), met=met, in_query=named)


@dataclass(frozen=True)
class _Words:
    """The words and quantities of a text."""

    text: str

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(keys(self.text))

    @cached_property
    def numbers(self) -> tuple[Quantity, ...]:
        return quantities(self.text)


def _meets(line: _Words, kind: FacetKind, asked: _Words) -> bool:
    """Whether a text has what a facet of some kind asks for."""
    if not asked.keys:
        return asked.text.casefold() in line.text.casefold()
    if kind == "version":
        return asked.text.casefold().lstrip("v") in line.text.casefold()
    if asked.keys <= line.keys:
        return True
    if kind in {"time", "quantity"}:
        return all(any(mine.kind == each.kind and mine.may_be(each) for mine in line.numbers) for each in asked.numbers)
    return kind in {"topic", "condition"} and 2 * len(asked.keys & line.keys) >= len(asked.keys)


def _numbers(question: str) -> Iterator[tuple[int, int, FacetKind]]:
    """Quantities, and times whose parts stand side by side as one: `3 May 1931`."""
    whole: tuple[int, int] | None = None
    for quantity in quantities(question):
        if quantity.kind not in _TIMES:
            yield quantity.start, quantity.end, "quantity"
            continue
        if whole and len(question[whole[1] : quantity.start].strip(" ,.")) == 0:
            whole = whole[0], quantity.end
            continue
        if whole:
            yield *whole, "time"
        whole = quantity.start, quantity.end
    if whole:
        yield *whole, "time"


def _names(question: str, words: Sequence[Term]) -> Iterator[tuple[int, int]]:
    """Runs of names that stand side by side, with small words inside: `Bank of Norway`."""
    whole: tuple[int, int] | None = None
    for term in words:
        if term.kind != "name":
            continue
        if whole and _JOINING.fullmatch(question, whole[1], term.start):
            whole = whole[0], term.end
            continue
        if whole:
            yield whole
        whole = term.start, term.end
    if whole:
        yield whole
