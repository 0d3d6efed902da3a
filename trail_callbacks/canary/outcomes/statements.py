"""What an answer says of a probe's values: which it gives, whether it declines, whether it rejects the documents."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import get_args

from trail_callbacks.canary.outcomes.mention import Matcher, Mention
from trail_callbacks.canary.outcomes.polarity import Duties, Polarities
from trail_callbacks.canary.outcomes.reading import Clause, clauses
from trail_callbacks.canary.outcomes.refusing import refuses
from trail_callbacks.canary.outcomes.stance import Room, Stance, disagreement, error_said, stance
from trail_callbacks.canary.outcomes.wording import alternatives, pattern
from trail_callbacks.canary.trial import Stated
from trail_callbacks.language.terms import terms

__all__ = ["Statement", "statement"]

_CHANGE = re.compile(
    r"\b(?!ranged|varied|differed)(?:\w+ed|grew|rose|fell|went|up|down|away)\sfrom\s[^.,;]{0,12}$", re.IGNORECASE
)
_ALSO = re.compile(r"\b(?:also|too|or|and)\b")
_COMMA = re.compile(r"[,(\uff0c\u3001]\s?(?!\d{3})")
_BUT_CONCLUDED = frozenset(get_args(Stance)) - {"concluded"}
_MOST, _SHOWN = 50, 3  # places that are looked at for a reason, and shown
_GAP = 40  # characters between two values that are joined by a word


@cache
def _joint() -> re.Pattern[str]:
    """What stands between two values that an answer gives together."""
    behind = r"(?:\s(?:also|even|possibly|sometimes|in|at|the|by|the\s\w+))?[\s'\"*($€£]*"
    return re.compile(rf"[\s'\"*(\[]*(?:{alternatives('joint')}){behind}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What an answer says.

    Attributes:
        states: The values that it gives as its answer; None where code cannot tell.
        among: Where code cannot tell: the values of which it gives one or more; empty if these are not known either.
        rejects: It says that the documents are wrong or contradict each other.
        declines: It says that it, or the documents, do not know.
        other: It gives another value of the same sort.
        reason: In a few words, for a person.
    """

    states: tuple[Stated, ...] | None
    among: tuple[Stated, ...] = ()
    rejects: bool = False
    declines: bool = False
    other: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Said:
    mention: Mention
    stance: Stance
    clause: Clause


def statement(text: str, matcher: Matcher, question: str) -> Statement:
    """Reads an answer.

    Args:
        text: The plain text of the answer.
        matcher: What finds the values.
        question: The question: where two values are named, the sentence that speaks of what was asked counts.
    """
    parts = clauses(text)
    said = _said(text, matcher, parts)
    rule = isinstance(matcher, Polarities | Duties)
    refusals = [part.start for part in parts if refuses(text[part.start : part.end], rule=rule)]
    given = _corrected([each for each in said if each.stance != "denied"], text)
    conflict = disagreement(text)
    literal = isinstance(matcher, Polarities) and matcher.is_literal
    named, rejects = _accepted([each for each in given if each.mention.value is not None], text, literal=literal)
    values, among, doubt = _values(named, given, text, question, conflict=conflict)
    if values and refusals and all(each.stance == "possible" for each in named):
        values, doubt = None, f"declines, and says what may be: {_quotes(named, text)}"
        if pattern("anything").search(text):
            values, doubt = (), ""
    return Statement(
        states=values,
        among=among,
        rejects=rejects or conflict,
        declines=bool(refusals),
        other=_gives_other(given, refusals, text),
        reason=doubt or (_reason(named, text) if values else ""),
    )


def _corrected(given: list[_Said], text: str) -> list[_Said]:
    """Leaves out what an answer takes back: what stands before a `sorry, I misread that` with a value behind it."""
    last = max((each.mention.start for each in given), default=0)
    ends = [match.end() for match in pattern("correction").finditer(text) if match.end() <= last]
    return [each for each in given if not ends or each.mention.start >= ends[-1]]


def _gives_other(given: Sequence[_Said], refusals: Sequence[int], text: str) -> bool:
    """Whether another value is given: not one in front of the words that decline, which leads to them."""
    return any(
        each.mention.value is None
        and each.stance != "possible"
        and (not refusals or each.clause.start > refusals[-1] or refuses(text[each.clause.start : each.mention.start]))
        for each in given
    )


def _said(text: str, matcher: Matcher, parts: Sequence[Clause]) -> list[_Said]:
    """The values that a text names, in order, with what it says of them."""
    starts = [part.start for part in parts]
    found = sorted(matcher.find(text), key=lambda each: each.start)
    said = []
    for i, each in enumerate(found):
        clause = parts[max(0, bisect_right(starts, each.start) - 1)] if parts else Clause(0, len(text), asks=False)
        how = stance(each, text, clause, _room(found, i, text), whole=isinstance(matcher, Polarities))
        said.append(_Said(each, how, clause))
    return said


def _accepted(named: list[_Said], text: str, *, literal: bool) -> tuple[list[_Said], bool]:
    """Leaves out values that the answer rejects, and tells whether it rejects any of the documents."""
    if (error := error_said(text, of_documents=literal)) is not None:
        return [each for each in named if each.stance == "concluded"] or _without_wrong(named, error), True
    actual = {each.mention.value for each in named if each.stance == "actual"}
    against = {each.mention.value for each in named if each.stance == "document"} - actual if actual else set()
    return [each for each in named if each.mention.value not in against], bool(against)


def _firm(named: Sequence[_Said]) -> Sequence[_Said]:
    """Those of the named values that count: what is concluded; else all but what is set against them."""
    for set_against in (_BUT_CONCLUDED, frozenset({"contrast", "belief"}), frozenset({"contrast"})):
        if firm := [each for each in named if each.stance not in set_against]:
            return firm
    return named


def _values(
    named: Sequence[_Said], given: Sequence[_Said], text: str, question: str, *, conflict: bool
) -> tuple[tuple[Stated, ...] | None, tuple[Stated, ...], str]:
    """The values that an answer gives; None, with those it may be and the reason, where code cannot tell."""
    firm = _firm(named)
    beliefs = [each for each in named if each.stance == "belief" and each not in firm]
    if beliefs and all(each.stance == "document" for each in firm):  # `I think it is 40, but the documents say 63`
        both = [*beliefs, *firm]
        if beliefs[0].mention.start < firm[0].mention.start:
            return _distinct(both), (), ""
        return None, _distinct(both), f"names several values without saying which holds: {_quotes(both, text)}"
    kept: Sequence[_Said] | None = [each for each in firm if each.mention.sure]
    if firm and not kept:
        return None, (), f"cannot tell which value is meant: {_quotes(firm, text)}"
    if len({each.mention.value for each in kept or ()}) > 1:
        kept = _kept(kept or (), text, question, conflict=conflict)
    if kept is None:
        return None, _distinct(firm), f"names several values without saying which holds: {_quotes(firm, text)}"
    values = _distinct(kept)
    if len(values) == 1 and (with_other := _with_other(firm, given, text)):
        return None, (), f"gives a value together with another: {with_other}"
    return values, (), ""


def _distinct(said: Sequence[_Said]) -> tuple[Stated, ...]:
    return tuple(dict.fromkeys(each.mention.value for each in said if each.mention.value is not None))


def _reason(named: Sequence[_Said], text: str) -> str:
    firm = _firm(named)
    contrast = next((each for each in named if each.stance == "contrast"), None)
    if contrast is None or contrast is firm[0]:
        return _quotes(firm, text)
    return f"{_quotes(firm, text)}; beside it, as usual, earlier or other: {_quote(text, contrast.mention)}"


def _room(found: Sequence[Mention], i: int, text: str) -> Room:
    """Where the values beside one end and begin; those that it is joined to share what is said of them."""
    one = found[i]
    start = own_start = 0
    end = own_end = len(text)
    if i and not _are_joined(found[i - 1], one, text):
        start = found[i - 1].end
        comma = _COMMA.search(text, start, max(start, one.start))
        own_start = comma.end() if comma else start
    if i + 1 < len(found) and not _are_joined(one, found[i + 1], text):
        end = found[i + 1].start
        comma = _COMMA.search(text, one.end, max(one.end, end))
        own_end = comma.start() if comma else end
    return Room(start, end, own_start, own_end)


def _without_wrong(named: Sequence[_Said], error: re.Match[str]) -> list[_Said]:
    """Leaves out the values that an answer calls wrong: those of the documents, or else the one before these words."""
    if any(each.stance == "actual" for each in named):
        return [each for each in named if each.stance == "actual"]
    documents = {
        each.mention.value for each in named if each.stance == "document" and each.mention.start < error.start()
    }
    firm = {each.mention.value for each in named if each.stance in {"actual", "given"}}
    if documents and documents != firm:
        return [each for each in named if each.mention.value not in documents]
    before = [each for each in named if each.mention.start < error.start()]
    wrong = before[-1].mention.value if before else None
    return [each for each in named if each.mention.value != wrong]


def _kept(firm: Sequence[_Said], text: str, question: str, *, conflict: bool) -> Sequence[_Said] | None:
    """Which of several values an answer gives: all that it joins; else those where it speaks of what was asked."""
    if conflict:
        return firm
    ordered = sorted(firm, key=lambda each: each.mention.start)
    values = {each.mention.value for each in firm}
    joined = {
        frozenset({a.mention.value, b.mention.value})
        for a, b in pairwise(ordered)
        if a.mention.value != b.mention.value and _are_joined(a.mention, b.mention, text)
    }
    if joined and set().union(*joined) == values:
        return firm
    frames = {_frame(each, text) for each in firm} if len(firm) <= _MOST else set()
    if len(frames) == 1 and len({each.clause for each in firm}) > 1:  # rows or sentences that differ in the value only
        return firm
    asked = {term.stem for term in terms(question) if term.kind != "function"}
    shares: dict[Stated | None, int] = {}
    stems = {
        clause: {term.stem for term in terms(text[clause.start : clause.end])} for clause in {e.clause for e in firm}
    }
    for each in firm:
        about = stems[each.clause]
        shares[each.mention.value] = max(shares.get(each.mention.value, 0), len(about & asked))
    best = max(shares.values())
    first = [value for value, share in shares.items() if share == best]
    rest = [share for value, share in shares.items() if value not in first]
    if len(first) == 1 and rest and max(rest) == 0:
        return [each for each in firm if each.mention.value == first[0]]
    return None


def _frame(said: _Said, text: str) -> str:
    """The letters of a clause, or of a row of a table, without the value."""
    start, end = said.clause.start, said.clause.end
    row = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    if "|" in text[row[0] : start]:
        start, end = row[0], row[1] if row[1] >= 0 else len(text)
    around = text[start : said.mention.start] + text[said.mention.end : end]
    return "".join(c for c in _ALSO.sub("", around.casefold()) if c.isalnum())


def _are_joined(one: Mention, other: Mention, text: str) -> bool:
    if _CHANGE.search(text[max(0, one.start - 40) : one.start]):
        return False
    if one.joined is not None and one.joined == other.joined:
        return True
    between = text[one.end : other.start]
    return len(between) <= _GAP and (
        _joint().fullmatch(between) is not None
        or (pattern("alternative").search(between) is not None and "." not in between)
    )


def _with_other(firm: Sequence[_Said], given: Sequence[_Said], text: str) -> str:
    """A value of no probe that is joined to a given one as an alternative or the other end of a range."""
    everything = sorted(given, key=lambda each: each.mention.start)
    for a, b in pairwise(everything):
        if (a.mention.value is None) != (b.mention.value is None):
            same = a.mention.joined is not None and a.mention.joined == b.mention.joined
            between = text[a.mention.end : b.mention.start]
            if same or (len(between) <= _GAP and pattern("alternative").fullmatch(between.strip(" ,"))):
                return " ".join(text[a.mention.start : b.mention.end].split())
    ends = Counter(each.mention.joined for each in everything)
    if firm and all(each.mention.joined is not None and ends[each.mention.joined] == 1 for each in firm):
        start, end = firm[0].mention.joined or (0, 0)
        return text[start:end]
    return ""


def _quotes(said: Sequence[_Said], text: str) -> str:
    """The first few places, each wording once."""
    return "; ".join(list(dict.fromkeys(_quote(text, each.mention) for each in said[:_MOST]))[:_SHOWN])


def _quote(text: str, mention: Mention) -> str:
    return f"`{' '.join(text[mention.start : mention.end].split())[:80]}`"
