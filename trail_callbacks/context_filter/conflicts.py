"""Passages that contradict the majority of the others: in one number, date or negation of a sentence on one subject.

Only what sentences themselves show is used: two share most of their words, and differ in one place. A paraphrase that
shares few words is not compared.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from trail_callbacks.context_filter.reason import Reason
from trail_callbacks.language.speech import is_question, negation
from trail_callbacks.language.terms import stem
from trail_callbacks.language.values import Quantity, follows
from trail_callbacks.language.wording import ReadText
from trail_callbacks.text import forms, sentences

_SENTENCES = 600  # that are compared, each with each
_NUMBERS = 12  # in one sentence; with more it is a table, in which numbers say nothing by themselves
_LONGEST = 400  # characters; a longer sentence states too many things at once
_MAJORITY = 2  # others that agree, and times those who state the same as the passage
_SHARED, _SHARED_BACK = 0.7, 0.45  # of the words of one sentence that the other has, and of those of the other
_FEWEST = 2  # words that both have
_DATE = ("year", "month", "day", "weekday")  # from coarse to fine
_RUN = 8  # words; sources that report one fact hardly share so many in a row
_HOLDERS = 32  # passages by which a run is looked up, the first that hold it
_COPIED = 0.5  # share of the shorter text's runs

_NAMED = 8  # passages that a reason names one by one
OUTVOTED = "outvoted"
"""Signal of a conflict with a clear majority; else nobody can tell who is right."""

_Range = tuple[int, int]


@dataclass(frozen=True)
class _Stated(ReadText):
    """A sentence of a passage, with its numbers and words."""

    passage: int
    start: int

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(stem(term.form) for term in self.content)

    def names_another(self, other: _Stated) -> bool:
        return any(term.kind == "name" and stem(term.form) not in other.keys for term in self.content)

    def unlike(self, other: _Stated) -> list[Quantity]:
        """Its quantities of which the other sentence has none that may be the same."""
        return [
            one
            for one in self.quantities
            if not any(one.may_be(its) or follows(one, its) or follows(its, one) for its in other.quantities)
        ]


class _Difference(NamedTuple):
    """The one thing in which two sentences on one subject differ: where in each, and what the second states."""

    kind: str
    span: _Range
    other: _Range
    value: tuple[object, ...] = ()


def conflicts(texts: Mapping[int, str]) -> tuple[dict[int, Reason], str]:
    """Compares the statements of passages with each other.

    A passage is outvoted if at least two others agree among themselves and contradict it, and they are at least twice
    as many as those that state what it states, itself included. Copies count once.

    Args:
        texts: Passages by position.

    Returns:
        The clearest conflict of each passage that has one, with the signals `number`, `date` or `negation`, and
        `outvoted` or `disputed`; and a warning if not everything was compared, else nothing.
    """
    sources = _originals(texts)
    most = _SENTENCES // max(len(texts), 1)
    stated, warning = [], ""
    for i, text in texts.items():
        own = [s for s in sentences(text) if len(s.text) <= _LONGEST and not is_question(s.text)]
        stated += [_Stated(s.text, i, s.start) for s in own[:most]]
        if len(own) > most:
            warning = f"only the first {most} sentences of each passage were compared for contradictions"
    stated = [each for each in stated if len(each.quantities) <= _NUMBERS]
    found: dict[int, list[Reason]] = defaultdict(list)
    for one in stated:
        others = [each for each in stated if sources[each.passage] != sources[one.passage]]
        others = [each for each in others if len(each.keys & one.keys) >= _FEWEST]
        found[one.passage] += _conflicts(one, others, sources)
    clearest = {i: max(found[i], key=_clarity) for i in sorted(found) if found[i]}
    outvoted = {i for i, each in clearest.items() if OUTVOTED in each.signals}  # whom only these contradict is right
    return {i: each for i, each in clearest.items() if i in outvoted or not outvoted.issuperset(each.against)}, warning


def _clarity(conflict: Reason) -> tuple[bool, float, int]:
    return OUTVOTED in conflict.signals, conflict.score, -conflict.start


def _conflicts(one: _Stated, others: Sequence[_Stated], sources: Mapping[int, int]) -> Iterator[Reason]:
    """One conflict for each thing that others state instead."""
    instead: dict[tuple[object, ...], list[tuple[_Stated, _Difference]]] = defaultdict(list)
    for other in others:
        if difference := _difference(one, other):
            instead[difference.kind, difference.value].append((other, difference))
    for group in instead.values():
        other, at = group[0]
        agreeing = {sources[each.passage] for each in others if _agrees(one, each, at)}
        votes = {sources[each.passage] for each, _ in group} - agreeing
        against = sorted({each.passage for each, _ in group if sources[each.passage] in votes})
        if not against:
            continue
        words = one.text[slice(*at.span)]
        named = ", ".join(map(str, against[:_NAMED])) + (", ..." if len(against) > _NAMED else "")
        yield Reason(
            kind="contradiction",
            score=len(votes) / (len(votes) + 1 + len(agreeing)),
            start=one.start + at.span[0],
            end=one.start + at.span[1],
            quote=words,
            signals=(at.kind, OUTVOTED if len(votes) >= _MAJORITY * (1 + len(agreeing)) else "disputed"),
            why=f"It states {words!r}, passages {named} state {other.text[slice(*at.other)]!r}.",
            against=tuple(against),
        )


def _difference(a: _Stated, b: _Stated) -> _Difference | None:
    """Two that differ in more than one thing, or in a name, are on two subjects: this year's sales and last year's."""
    if a.names_another(b) and b.names_another(a):
        return None
    mine, its = a.unlike(b), b.unlike(a)
    kinds = {_kind(one) for one in mine} & {_kind(one) for one in its}
    if len(kinds) > 1:
        return None
    kind = kinds.pop() if kinds else "negation"
    if kind == "negation":
        found = _in_negation(a, b)
    else:
        found = _in_quantity(kind, [q for q in mine if _kind(q) == kind], [q for q in its if _kind(q) == kind])
    return found if found is not None and _one_subject(a, b, found.span, found.other) else None


def _agrees(a: _Stated, b: _Stated, at: _Difference) -> bool:
    """Whether a sentence on the same subject states what another states at a place."""
    if not _one_subject(a, b, at.span, (0, 0)) or _difference(a, b) is not None:
        return False
    return at.kind == "negation" or {one.start for one in a.unlike(b)}.isdisjoint(range(*at.span))


def _kind(quantity: Quantity) -> str:
    return "date" if quantity.kind in _DATE else quantity.kind


def _in_quantity(kind: str, mine: Sequence[Quantity], its: Sequence[Quantity]) -> _Difference | None:
    if kind == "date":  # dates differ in the coarsest part that both give: `May 1937` and `1950` in the year
        for part in _DATE:
            here, there = [q for q in mine if q.kind == part], [q for q in its if q.kind == part]
            if len(here) == len(there) == 1:
                return _Difference("date", _hull(mine), _hull(its), (part, there[0].value))
        return None
    if len(mine) != 1 or len(its) != 1 or kind == "rank":
        return None
    (one,), (other,) = mine, its
    of_one = kind != "count" or stem(one.noun) == stem(other.noun) != ""
    if {one.bound, other.bound} != {"exact"} or not of_one:
        return None
    return _Difference("number", _hull(mine), _hull(its), (kind, round(other.value, 6)))


def _hull(parts: Sequence[Quantity]) -> _Range:
    return min(part.start for part in parts), max(part.end for part in parts)


def _in_negation(a: _Stated, b: _Stated) -> _Difference | None:
    denied, stated = dict(_denied(a)), dict(_denied(b))
    if bool(denied) == bool(stated):
        return None
    other = b if denied else a
    for key, span in (denied or stated).items():
        there = next(((term.start, term.end) for term in other.content if stem(term.form) == key), None)
        if there is not None:
            return _Difference("negation", *((span, there) if denied else (there, span)))
    return None


def _denied(sentence: _Stated) -> Iterator[tuple[str, _Range]]:
    """The words that follow a negation, with where negation and word stand."""
    for cue in negation("en", sentence.text.isascii()).finditer(sentence.text):
        behind = (term for term in sentence.terms if term.kind == "word" and term.start >= cue.end())
        if (term := next(behind, None)) and "," not in sentence.text[cue.end() : term.start]:
            yield stem(term.form), (cue.start(), term.end)


def _one_subject(a: _Stated, b: _Stated, span: _Range, other: _Range) -> bool:
    """Whether what stands beside the difference is largely the same on both sides."""
    shares = []
    for one, two, cut in ((a, b, span), (b, a, other)):
        beside = [stem(term.form) in two.keys for term in one.content if not cut[0] <= term.start < cut[1]]
        if sum(beside) < _FEWEST:
            return False
        shares.append(sum(beside) / len(beside))
    return max(shares) >= _SHARED and min(shares) >= _SHARED_BACK


def _originals(texts: Mapping[int, str]) -> dict[int, int]:
    """Groups passages that are copies: equal words, or half of the shorter one taken over in runs of eight words.

    Whoever repeats a text does not confirm it. For each position the first of its group is returned.
    """
    found: dict[int, int] = {}
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    sizes: dict[int, int] = {}
    for i, text in texts.items():
        words = forms(text)
        runs = {words[k : k + _RUN] for k in range(max(1, len(words) - _RUN + 1))}
        shared = Counter(k for run in runs for k in holders[run])
        copied = (k for k, n in shared.items() if n >= _COPIED * min(len(runs), sizes[k]))
        found[i] = found.get(min(copied, default=i), i)
        sizes[i] = len(runs)
        for run in runs:
            if len(holders[run]) < _HOLDERS:
                holders[run].append(i)
    return found
