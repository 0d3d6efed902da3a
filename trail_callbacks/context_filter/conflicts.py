"""Passages that contradict the majority of the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trail_callbacks.context_filter.duplicates import originals
from trail_callbacks.context_filter.statements import Difference, Statement, agrees, difference
from trail_callbacks.language.speech import is_question
from trail_callbacks.text import sentences

__all__ = ["Conflict", "conflicts"]

_SENTENCES = 200  # of one passage
_PAIRS = 20_000  # pairs of sentences that are compared; some tens of passages have a few thousand
_LOOKUPS = 2_000_000  # sentences that are looked up by a word they share, to find the pairs
_NUMBERS = 12  # in one sentence; with more it is a table, in which numbers say nothing by themselves
_VALUES = 4  # things stated instead of one sentence that are counted, those of most sources
_LONGEST = 400  # characters; a longer sentence states too many things at once
_COMMON_KEYS = 2
_MAJORITY = 2  # others that agree, and times those who state the same as the passage


@dataclass(frozen=True, slots=True)
class Conflict:
    """A passage states something that others contradict.

    Attributes:
        passage: Its position.
        outvoted: Whether a clear majority contradicts it; else nobody can tell who is right.
        start: Offset of the words in question.
        end: Offset after them.
        words: What it states.
        others: What the others state.
        against: Positions of the passages that contradict it, copies included.
        score: Their share among those on the subject, copies counted once, 0.0 to 1.0.
        kind: `number`, `date` or `negation`.
    """

    passage: int
    outvoted: bool
    start: int
    end: int
    words: str
    others: str
    against: tuple[int, ...]
    score: float
    kind: str


def conflicts(texts: Mapping[int, str]) -> tuple[list[Conflict], str]:
    """Compares the statements of passages with each other.

    A passage is outvoted if at least two others agree among themselves and contradict it, and they are at least twice
    as many as those that state what it states, itself included. Copies count once.

    Args:
        texts: Passages by position.

    Returns:
        At most one conflict a passage, the clearest; and a warning if not everything was compared, else nothing.
    """
    if len(texts) < 2:  # noqa: PLR2004 - nothing to compare with
        return [], ""
    sources = originals(texts)
    statements, warning = _statements(texts)
    found: dict[int, list[Conflict]] = defaultdict(list)
    compared = looked_up = 0
    for statement, others, steps in _pairs(statements, sources):
        compared += len(others)
        looked_up += steps
        if compared > _PAIRS or looked_up > _LOOKUPS:
            warning = f"compared {min(compared, _PAIRS)} pairs of sentences for contradictions, and left out the rest"
            break
        found[statement.passage] += _conflicts(statement, others, sources)
    clearest = [max(each, key=lambda c: (c.outvoted, c.score, -c.start)) for _, each in sorted(found.items()) if each]
    return clearest, warning


def _statements(texts: Mapping[int, str]) -> tuple[list[Statement], str]:
    found: list[Statement] = []
    warning = ""
    for i, text in texts.items():
        own = [s for s in sentences(text) if len(s.text) <= _LONGEST and not is_question(s.text)]
        if len(own) > _SENTENCES:
            warning = f"passage {i}: only its first {_SENTENCES} sentences were compared for contradictions"
        mine = (Statement(i, s.start, s.text) for s in own[:_SENTENCES])
        found += [statement for statement in mine if len(statement.quantities) <= _NUMBERS]
    return found, warning


def _pairs(statements: list[Statement], sources: Mapping[int, int]) -> Iterator[tuple[Statement, list[Statement], int]]:
    """Each statement with those of other sources that share words with it, and how many were looked up for that."""
    holders: dict[str, list[int]] = defaultdict(list)
    for i, statement in enumerate(statements):
        for key in sorted(statement.keys):
            holders[key].append(i)
    for statement in statements:
        shared: dict[int, int] = defaultdict(int)
        for key in statement.keys:
            for i in holders[key]:
                shared[i] += 1
        mine = sources[statement.passage]
        others = [
            statements[i]
            for i, n in sorted(shared.items())
            if n >= _COMMON_KEYS and sources[statements[i].passage] != mine
        ]
        yield statement, others, sum(shared.values())


def _conflicts(statement: Statement, others: list[Statement], sources: Mapping[int, int]) -> Iterator[Conflict]:
    """One conflict for each thing that others state instead."""
    instead: dict[tuple[object, ...], list[tuple[Statement, Difference]]] = defaultdict(list)
    for other in others:
        found = difference(statement, other)
        if found is not None:
            instead[found.kind, found.value].append((other, found))
    groups = sorted(instead.values(), key=lambda group: -len({sources[each.passage] for each, _ in group}))
    for group in groups[:_VALUES]:
        other, at = group[0]
        agreeing = {sources[each.passage] for each in others if agrees(statement, each, at)}
        against = {sources[each.passage] for each, _ in group} - agreeing
        if not against:
            continue
        start, end = at.span
        yield Conflict(
            passage=statement.passage,
            outvoted=len(against) >= _MAJORITY * (1 + len(agreeing)),
            start=statement.start + start,
            end=statement.start + end,
            words=statement.text[start:end],
            others=other.text[at.other[0] : at.other[1]],
            against=tuple(sorted({each.passage for each, _ in group if sources[each.passage] in against})),
            score=len(against) / (len(against) + 1 + len(agreeing)),
            kind=at.kind,
        )
