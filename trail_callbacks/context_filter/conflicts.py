"""Passages that state otherwise than the majority of the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trail_callbacks.context_filter.statements import Difference, Statement, agrees, difference, proper
from trail_callbacks.context_filter.voices import voices
from trail_callbacks.language.speech import is_statement
from trail_callbacks.text import sentences

__all__ = ["Conflict", "conflicts"]

_SENTENCES = 200  # of one passage
_PAIRS = 200_000  # pairs of sentences that are compared; some tens of passages have a few thousand
_LONGEST = 400  # signs; a longer sentence says too many things at once
_COMMON_KEYS = 2
_MAJORITY = 2  # others that agree, and times those who say the same as the passage


@dataclass(frozen=True, slots=True)
class Conflict:
    """A passage states something that others state otherwise.

    Attributes:
        passage: Its position.
        outvoted: Whether a clear majority states otherwise; else nobody can tell who is right.
        start: Offset of the words in question.
        end: Offset after them.
        words: What it says.
        others: What the others say.
        against: Positions of the passages that state otherwise, copies included.
        score: Their share among those that speak of it, copies counted once, 0.0 to 1.0.
        kind: `number`, `date`, `name` or `negation`.
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

    A passage is outvoted if at least two others agree among themselves and state otherwise, and they are at least twice
    as many as those that say what it says, itself included. Copies count once.

    Args:
        texts: Passages by position.

    Returns:
        At most one conflict a passage, the clearest; and a warning if not everything was compared, else nothing.
    """
    one_voice = voices(texts)
    statements, warning = _statements(texts)
    found: dict[int, list[Conflict]] = defaultdict(list)
    compared = 0
    for statement, others in _pairs(statements, one_voice):
        compared += len(others)
        if compared > _PAIRS:
            warning = f"compared {_PAIRS} pairs of sentences for contradictions, and left out the rest"
            break
        conflict = _judge(statement, others, one_voice)
        if conflict is not None:
            found[statement.passage].append(conflict)
    return [max(each, key=lambda c: (c.outvoted, c.score, -c.start)) for _, each in sorted(found.items())], warning


def _statements(texts: Mapping[int, str]) -> tuple[list[Statement], str]:
    found: list[Statement] = []
    names = proper(texts.values())
    warning = ""
    for i, text in texts.items():
        own = [s for s in sentences(text) if len(s.text) <= _LONGEST and is_statement(s.text)]
        if len(own) > _SENTENCES:
            warning = f"passage {i}: only its first {_SENTENCES} sentences were compared for contradictions"
        found += [Statement(i, s.start, s.text, names) for s in own[:_SENTENCES]]
    return found, warning


def _pairs(statements: list[Statement], one_voice: Mapping[int, int]) -> Iterator[tuple[Statement, list[Statement]]]:
    """Each statement with those of others that share words with it."""
    holders: dict[str, list[int]] = defaultdict(list)
    for i, statement in enumerate(statements):
        for key in sorted(statement.keys):
            holders[key].append(i)
    for statement in statements:
        shared: dict[int, int] = defaultdict(int)
        for key in statement.keys:
            for i in holders[key]:
                shared[i] += 1
        mine = one_voice[statement.passage]
        others = [
            statements[i]
            for i, n in sorted(shared.items())
            if n >= min(_COMMON_KEYS, len(statement.keys)) and one_voice[statements[i].passage] != mine
        ]
        if others:
            yield statement, others


def _judge(statement: Statement, others: list[Statement], one_voice: Mapping[int, int]) -> Conflict | None:
    differing: dict[tuple[object, ...], list[tuple[Statement, Difference]]] = defaultdict(list)
    for other in others:
        found = difference(statement, other)
        if found is not None:
            differing[found.kind, found.value].append((other, found))
    best: Conflict | None = None
    for group in differing.values():
        at = group[0][1]
        with_it = {one_voice[other.passage] for other in others if agrees(statement, other, at)}
        against = {one_voice[other.passage] for other, _ in group} - with_it
        if not against:
            continue
        passages = tuple(sorted({other.passage for other, _ in group if one_voice[other.passage] in against}))
        start, end = at.span
        other = group[0][0]
        conflict = Conflict(
            passage=statement.passage,
            outvoted=len(against) >= _MAJORITY and len(against) >= _MAJORITY * (1 + len(with_it)),
            start=statement.start + start,
            end=statement.start + end,
            words=statement.text[start:end],
            others=other.text[at.other[0] : at.other[1]],
            against=passages,
            score=len(against) / (len(against) + 1 + len(with_it)),
            kind=at.kind,
        )
        if best is None or (conflict.outvoted, conflict.score) > (best.outvoted, best.score):
            best = conflict
    return best
