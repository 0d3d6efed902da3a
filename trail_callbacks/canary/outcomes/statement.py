"""What an answer says of a probe's values: which it gives, whether it declines, whether it rejects the documents."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from trail_callbacks.canary.outcomes.polarity import DutyMatcher, PolarityMatcher
from trail_callbacks.canary.outcomes.reading import Clause, alternatives, clauses, pattern
from trail_callbacks.canary.outcomes.values import ValueMatcher, ValueMention
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import Arm, Stated
from trail_callbacks.language.speech import withholds
from trail_callbacks.language.terms import terms

_NEAR, _BEFORE, _BEHIND = 60, 240, 120  # characters around a value in which words speak of it
_COMMA = re.compile(r"[,(\uff0c\u3001]\s?(?!\d{3})")
_ALSO = re.compile(r"\b(?:also|too|or|and)\b")
_GAP = 40  # characters between two values that are joined by a word
_MOST, _SHOWN = 50, 3  # places that are looked at for a reason, and shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An answer to be scored; see `classify`."""

    probe: Probe
    arm: Arm
    answer: str | None
    served: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStatement:
    """What an answer says."""

    states: tuple[Stated, ...] | None  # the values that it gives as its answer; None where code cannot tell
    among: tuple[Stated, ...] = ()  # then the values of which it gives one or more; empty if nobody knows these either
    rejects: bool = False  # it says that the documents are wrong or contradict each other
    declines: bool = False  # it says that it, or the documents, do not know
    other: bool = False  # it gives another value of the same sort
    reason: str = ""  # in a few words, for a person


@dataclass(frozen=True, slots=True)
class _Said:
    mention: ValueMention
    is_aside: bool
    clause: Clause

    @property
    def value(self) -> Stated | None:
        return self.mention.value


def statement(text: str, matcher: ValueMatcher, question: str) -> AnswerStatement:
    """Reads an answer."""
    parts = clauses(text)
    is_rule = isinstance(matcher, PolarityMatcher | DutyMatcher)
    refusals = [part.start for part in parts if withholds(text[part.start : part.end], is_rule=is_rule)]
    given = _given(text, matcher, parts)
    named = [each for each in given if each.value is not None]
    firm = [each for each in named if not each.is_aside] or named
    sure = [each for each in firm if each.mention.sure]
    conflict = pattern("disagreement").search(text) is not None
    states, reason = _distinct(sure), _quotes(firm, text)
    among: tuple[Stated, ...] = ()
    if len(states) > 1 and not conflict and not _are_together(sure, text):
        states, among = _asked_for(sure, text, question), states
        reason = reason if states else f"names several values without saying which holds: {reason}"
    elif firm and not sure:
        reason = f"cannot tell which value is meant: {reason}"
    return AnswerStatement(
        states=None if firm and not states else states,
        among=() if states else among,
        rejects=conflict or pattern("error").search(text) is not None,
        declines=bool(refusals),
        other=any(each.value is None and (not refusals or each.clause.start > refusals[-1]) for each in given),
        reason=reason,
    )


def _given(text: str, matcher: ValueMatcher, parts: Sequence[Clause]) -> list[_Said]:
    """The values that a text does not deny, in order; words speak of one up to the values beside, or a comma there."""
    found = sorted(matcher.find(text), key=lambda each: each.start)
    starts = [part.start for part in parts]
    said = []
    for i, each in enumerate(found):
        at = bisect_right(starts, each.start) - 1
        clause = parts[max(0, at)] if parts else Clause(0, len(text), asks=False)
        start, end = max(clause.start, each.start - _BEFORE), max(each.end, min(clause.end, each.end + _BEHIND))
        if i and not _are_joined(found[i - 1], each, text):
            start = max(start, found[i - 1].end)
            start = comma.end() if (comma := _COMMA.search(text, start, each.start)) else start
        if i + 1 < len(found) and not _are_joined(each, found[i + 1], text):
            end = max(each.end, min(end, found[i + 1].start))
            end = comma.start() if (comma := _COMMA.search(text, each.end, end)) else end
        before, after = text[start : each.start], text[each.end : end]
        is_whole = isinstance(matcher, PolarityMatcher)
        if not clause.asks and not _is_denied(before, text[each.start : each.end], after, is_whole=is_whole):
            said.append(_Said(each, _is_aside(before, after), clause))
    return said


def _is_denied(before: str, value: str, after: str, *, is_whole: bool) -> bool:
    """Whether a value is named as what is not so, or not told; or it is a whole clause with its denials."""
    if _not().search(before[-_NEAR:]):
        return True
    if is_whole and not pattern("source", words=True).search(f"{before}{value}{after}"):
        return False
    behind = f"{(before + value)[-_NEAR // 2 :]}{after.partition(',')[0]}" if after else ""
    return withholds(before + value) or withholds(behind)


def _is_aside(before: str, after: str) -> bool:
    """Whether a value is named as usual or earlier, beside the one that holds."""
    contrast, follows = pattern("contrast", words=True), pattern("contrast with what follows", words=True)
    if contrast.search(before) or (contrast.search(after) and not follows.search(after)):
        return True
    return any("," not in before[each.end() :] for each in follows.finditer(before, max(0, len(before) - _NEAR // 2)))


@cache
def _not() -> re.Pattern[str]:
    """Words that deny what stands at most four words behind them."""
    spaced = rf"(?<!\w)(?:{alternatives('not')})(?!\s(?:only|just)\b)(?:[\s'\"(:]+[^\s\d.,;:]+){{0,4}}?"
    return re.compile(rf"(?:{spaced}|(?<!\w)no(?=\s)|不是|并非|而非|而不是|ではなく)[\s'\"(]*[$€£]?$", re.IGNORECASE)


@cache
def _joint() -> re.Pattern[str]:
    """What stands between two values that an answer gives together."""
    behind = r"(?:\s(?:also|even|possibly|sometimes|in|at|the|by|the\s\w+))?[\s'\"*($€£]*"
    return re.compile(rf"[\s'\"*(\[]*(?:{alternatives('joint')}){behind}", re.IGNORECASE)


def _are_joined(one: ValueMention, other: ValueMention, text: str) -> bool:
    return other.start - one.end <= _GAP and _joint().fullmatch(text, one.end, other.start) is not None


def _are_together(firm: Sequence[_Said], text: str) -> bool:
    """Whether an answer gives several values at once: joins them, or says the same of each."""
    pairs = [(a, b) for a, b in pairwise(firm) if a.value != b.value and _are_joined(a.mention, b.mention, text)]
    if {each.value for pair in pairs for each in pair} == {each.value for each in firm}:
        return True
    return len({each.clause for each in firm}) > 1 and len({_frame(each, text) for each in firm[:_MOST]}) == 1


def _frame(said: _Said, text: str) -> str:
    """The letters of a clause, or of a row of a table, without the value."""
    start, end = said.clause.start, said.clause.end
    row = text.rfind("\n", 0, start) + 1
    if "|" in text[row:start]:
        start, end = row, len(text[:end]) + len(text[end:].partition("\n")[0])
    around = text[start : said.mention.start] + text[said.mention.end : end]
    return "".join(c for c in _ALSO.sub("", around.casefold()) if c.isalnum())


def _asked_for(firm: Sequence[_Said], text: str, question: str) -> tuple[Stated, ...]:
    """The one value whose clauses speak of what was asked, if those of the others do not at all."""
    asked = {term.stem for term in terms(question) if term.kind != "function"}
    listed = {each.clause for each in firm}
    about = {each for each in listed if asked & {term.stem for term in terms(text[each.start : each.end])}}
    values = _distinct(each for each in firm if each.clause in about)
    return values if len(values) == 1 else ()


def _distinct(said: Iterable[_Said]) -> tuple[Stated, ...]:
    return tuple(dict.fromkeys(each.value for each in said if each.value is not None))


def _quotes(said: Sequence[_Said], text: str) -> str:
    """The first few places, each wording once."""
    found = (" ".join(text[each.mention.start : each.mention.end].split())[:80] for each in said[:_MOST])
    return "; ".join(f"`{each}`" for each in list(dict.fromkeys(found))[:_SHOWN])
