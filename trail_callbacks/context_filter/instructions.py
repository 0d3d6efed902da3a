"""Passages that give instructions to the model that will read them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from trail_callbacks.context_filter.disguises import View, hidden, normalized, undisguised
from trail_callbacks.context_filter.rules import Fired, fired, sentence

_AGAIN = 0.4  # of another rule of the same kind, elsewhere in the text
_ONLY_REPORTED = 0.6  # score at most of a text that quotes or reports such words: flagged, not dropped
_USED = 0.4  # score of what it says itself, below which it only quotes or reports
_STRETCH = 16_000  # characters that are read at once: rules look at what stands near
_LAP = 2_500  # characters beyond them, on either side

_QUOTED_FACTOR = 0.5  # what a rule says of quoted words in a text about such words
_DISCUSSED_FACTOR = 0.7  # and of words in a text about attacks or prompts
_REPORTED_FACTOR = 0.5  # of an order that is reported, not given
_CONDITIONAL_FACTOR = 0.75  # of one that depends on the reader's case
_BEFORE = 80  # characters ahead of an order that tell whether it is one
_BEHIND = 200  # characters after it in which a condition counts
_QUOTATION = re.compile(  # bounded, or marks without a partner make reading quadratic
    r"```.{1,4000}?```|`[^`\n]{1,400}`|\u201c[^\u201d]{1,600}\u201d|\u201e[^\u201c\u201d]{1,600}[\u201c\u201d]"
    r"|\u00ab[^\u00bb]{1,600}\u00bb|\u300c[^\u300d]{1,600}\u300d|\u2018[^\u2019]{1,600}\u2019(?!\w)|\"[^\"]{1,600}\""
    r"|(?<!\w)'[^'\n]{1,600}'(?!\w)",
    re.DOTALL,
)
_SUBJECT = re.compile(
    r"prompt[\s-]injections?|\battackers?\b|jailbreak\w{0,9}|adversarial|\bresearchers\b|vulnerabilit\w{1,9}|malicious|"
    r"\bmitigations?\b|\bowasp\b|\bclassifiers?\b|\btokens?\b|chat templates?|documentation|\bschema\b|\bapi\b|"
    r"\bsyntax\b|training data"
)
_GIVEN = re.compile(  # what stands before an order, as opposed to a report of one
    r"(?:^|[,;:>*#\"'\u201c\u2018\u00ab(\[\]!|/\u2013\u2014-]|\b(?:please|kindly|now|must|should|shall|and|then|so|just|"
    r"immediately|instead|first|also|but|hereby|or|you (?:to|will|are to|need to|have to)|(?:tool|function|plugin) to|"
    r"(?:use|call) (?:the|your)|(?:must|need|has|have|are|is|required|instructed|order|request|command) "
    r"(?:\w{1,20} )?to|(?<!if )(?<!when )(?<!unless )(?<!that )you(?: \w{1,20}ly)?|"
    r"ai|assistant|model|bot|chatbot|task|important|attention|warning|note|instructions?|order))\W{0,4}$"
)
_CONDITION = re.compile(
    r"\b(?:if|unless|when)\b(?! you (?:are|re) an? )|(?<!que )\b(?:si|wenn|falls|se|als|jesli|eger)\b(?= \w)"
    r"|если|如果|もし|만약"
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """What was found.

    Attributes:
        score: 0.0 to 1.0.
        start: Offset of the most telling words in the text.
        end: Offset after them.
        signals: Kinds of the rules that fired, most telling first.
        why: What the passage does, for a person.
    """

    score: float
    start: int
    end: int
    signals: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class _Hit:
    kind: str
    weight: float
    start: int
    end: int
    why: str
    reported: bool = False


def instruction(text: str) -> Instruction | None:
    """Looks for instructions to a model in a text.

    Rules that fire add up as independent signs do, `1 - (1 - a)(1 - b)`; a second rule of one kind counts less. What is
    found only after a disguise was removed, or where a page does not show it, counts more; what is quoted, reported or
    said on a condition counts less.

    Args:
        text: The passage.

    Returns:
        The finding, or None if no rule fires.
    """
    plain = normalized(text)
    hits = list(_hits(plain))
    known = {(hit.start, hit.why) for hit in hits}
    for view in undisguised(text, plain):
        hits += [_raised(hit, view.disguise) for hit in _hits(view) if (hit.start, hit.why) not in known]
    for first, last in hidden(text):
        inside = _hits(normalized(text[first:last]))
        moved = (replace(hit, start=hit.start + first, end=hit.end + first) for hit in inside)
        hits += [_raised(hit, "in what a page does not show") for hit in moved]
    return _scored(hits) if hits else None


def _hits(view: View) -> Iterator[_Hit]:
    for start in range(0, len(view.text), _STRETCH):
        first = max(0, start - _LAP)
        text = view.text[first : start + _STRETCH + _LAP]
        for hit in _near(text):
            if start <= first + hit.start < start + _STRETCH:  # else it belongs to the stretch before or behind
                place = view.original(first + hit.start, first + hit.end)
                yield replace(hit, start=place[0], end=place[1])


def _near(text: str) -> Iterator[_Hit]:
    mentions = _Mentions(text)
    for found in fired(text):
        factor, reported = mentions.factor(found)
        yield _Hit(found.kind, found.weight * factor, found.start, found.end, found.why, reported)


def _raised(hit: _Hit, disguise: str) -> _Hit:
    """Whoever hides an order knows what it is."""
    return replace(hit, weight=1.0 - (1.0 - hit.weight) * 0.5, why=f"{hit.why}, {disguise}", reported=False)


def _scored(hits: Sequence[_Hit]) -> Instruction:
    order = sorted(hits, key=lambda hit: (-hit.weight, hit.start))
    by_kind: dict[str, list[_Hit]] = {}
    for hit in order:
        same = by_kind.setdefault(hit.kind, [])
        if all(hit.why != other.why and (hit.end <= other.start or other.end <= hit.start) for other in same):
            same.append(hit)
    doubt = doubt_of_used = 1.0
    for same in by_kind.values():
        for i, hit in enumerate(same):
            factor = 1.0 - hit.weight * (_AGAIN if i else 1.0)
            doubt *= factor
            doubt_of_used *= 1.0 if hit.reported else factor
    score = min(1.0 - doubt, 0.99 if 1.0 - doubt_of_used >= _USED else _ONLY_REPORTED)
    first = order[0]
    return Instruction(score, first.start, first.end, tuple(by_kind), f"It {first.why}.")


class _Mentions:
    """Whether words of a normalized text are used or only mentioned: quoted, reported, conditional, discussed."""

    def __init__(self, text: str) -> None:
        self._text = text

    def factor(self, found: Fired) -> tuple[float, bool]:
        """Returns a factor for a rule's weight, 0.0 to 1.0, and whether the text only reports the words."""
        start, end = found.start, found.end
        first, last = sentence(self._text, start, end)
        conditional = found.order and _CONDITION.search(self._text, first, min(last, end + _BEHIND))
        before = self._text[max(first, start - _BEFORE) : start]
        reported = found.order and found.english and not _GIVEN.search(before)
        at = bisect_right(self._quotations, start, key=lambda span: span[0])
        quoted = at > 0 and end <= self._quotations[at - 1][1]
        factor = _CONDITIONAL_FACTOR if conditional else 1.0
        if quoted or self._discussed:
            factor *= _QUOTED_FACTOR if quoted else _DISCUSSED_FACTOR
        return factor * (_REPORTED_FACTOR if reported else 1.0), reported or quoted

    @cached_property
    def _quotations(self) -> Sequence[tuple[int, int]]:
        return [match.span() for match in _QUOTATION.finditer(self._text)]

    @cached_property
    def _discussed(self) -> bool:
        return len({match[0] for match in _SUBJECT.finditer(self._text)}) > 1
