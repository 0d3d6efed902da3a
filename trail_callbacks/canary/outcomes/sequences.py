"""Orders of two things as values: `Legal first, then Finance` is `Finance, but only after Legal`.

Two values that differ in the order of the same words are compared by it, and two that the question asks which of them
comes first by which an answer puts first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trail_callbacks.canary.outcomes.mention import Mention, Values
from trail_callbacks.canary.outcomes.reading import plain, sentence_spans
from trail_callbacks.canary.outcomes.refusing import refuses
from trail_callbacks.canary.outcomes.wording import pattern
from trail_callbacks.canary.trial import How, Stated
from trail_callbacks.language.terms import terms

__all__ = ["Sequences"]

_ORDER_WORDS = re.compile(
    r"\b(?:first(?:ly)?|then|before|after(?:wards)?|second(?:ly)?|next|last(?:ly)?|finally|followed\sby|later|earlier)\b",
    re.IGNORECASE,
)
_LINK = re.compile(rf"{_ORDER_WORDS.pattern}|[,;/>\u2192]|->|\band\b", re.IGNORECASE)
_ASKED_FIRST = re.compile(r"\b(?:first|earlier|sooner|before|preced\w+)\b", re.IGNORECASE)
_ALTERNATIVE = re.compile(r",?\s(?:or|oder|ou|o)\s|;\s|\n(?=\s*\n)", re.IGNORECASE)
_STEP = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*\u2022]|step\s\d+:?)\s", re.IGNORECASE | re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]+")
_PREFIX = 5  # letters by which a word is found in another form or language: `Finance`, `Finanzas`
_AT_FRONT = 30  # characters before the first thing in which `before` turns the order


class Sequences:
    """Compares values by the order of the two things that both name.

    Args:
        values: The values; two of them.
        question: The question: where it names both and asks for the first, a value is what comes first.
    """

    how: How = "words"

    def __init__(self, values: Values, question: str) -> None:
        self.items: tuple[frozenset[str], ...] = ()
        self.wanted: dict[int, Stated] = {}
        self.is_first = False
        if len(values) != 2:  # noqa: PLR2004 - one order and the other
            return
        (one, mine), (other, its) = ((name, plain(forms[0])) for name, forms in values.items())
        parts, its_parts = _parts(mine), _parts(its)
        if len(parts) == len(its_parts) == 2 and parts == its_parts[::-1]:  # noqa: PLR2004 - two things
            self.items = tuple(parts)
        elif _ASKED_FIRST.search(question.replace(mine, "").replace(its, "")) and _prefixes(mine) | _prefixes(
            its
        ) <= _prefixes(plain(question)):
            shared = _prefixes(mine) & _prefixes(its)
            self.items = (_prefixes(mine) - shared, _prefixes(its) - shared)
            self.is_first = True
        self.wanted = {0: one, 1: other}

    def __bool__(self) -> bool:
        return len(self.items) == 2 and all(self.items)  # noqa: PLR2004 - two things

    def find(self, text: str) -> Sequence[Mention]:
        """Finds what is said of the order, a sentence or a list at a time."""
        return list(self._found(text))

    def reads(self, _: str, /) -> bool:
        """Never: another order has no words of its own."""
        return False

    def _found(self, text: str) -> Iterator[Mention]:
        spans = [(0, len(text))] if len(_STEP.findall(text)) > 1 else sentence_spans(text)
        for first, last in spans:
            at, found = first, False
            for end, behind in (*(m.span() for m in _ALTERNATIVE.finditer(text, first, last)), (last, last)):
                if not refuses(text[at:end]) and (which := self._order(text[at:end])) is not None:
                    yield Mention(self.wanted[which], at, end)
                    found = True
                at = behind
            if not found and not refuses(text[first:last]) and (which := self._order(text[first:last])) is not None:
                yield Mention(self.wanted[which], first, last)

    def _order(self, said: str) -> int | None:
        """Which of the things comes first; None if that is not said."""
        places = [_place(said, item) for item in self.items]
        if None in places:
            only = next((i for i, place in enumerate(places) if place is not None), None)
            short = len(said.split()) <= len(self.items[only or 0]) + 1
            return only if only is not None and self.is_first and (short or _ASKED_FIRST.search(said)) else None
        (a, a_end), (b, b_end) = (place or (0, 0) for place in places)
        earlier = 0 if a < b else 1
        start, middle = min(a, b), (min(a_end, b_end), max(a, b))
        front, between, behind = (
            said[max(0, start - _AT_FRONT) : start],
            said[slice(*middle)],
            said[max(a_end, b_end) :],
        )
        turned = bool(pattern("turns the order").search(between)) != bool(
            pattern("turns the order at the front").search(front)
        )
        if re.match(r"[^.,;]{0,12}\bfirst\b", behind, re.IGNORECASE) and not _ASKED_FIRST.search(front + between):
            turned = not turned
        return 1 - earlier if turned else earlier


def _parts(text: str) -> list[frozenset[str]]:
    found = [_prefixes(part) for part in _LINK.split(text)]
    return [part for part in found if part]


def _prefixes(text: str) -> frozenset[str]:
    return frozenset(
        term.form[:_PREFIX] if len(term.form) > _PREFIX else term.stem[:_PREFIX]
        for term in terms(_ORDER_WORDS.sub(" ", text))
        if term.kind != "function"
    )


def _place(said: str, item: frozenset[str]) -> tuple[int, int] | None:
    """Where the first word of a thing stands."""
    for match in _WORD.finditer(said):
        word = match[0].casefold()
        if any(word.startswith(prefix[:4]) and (len(prefix) < _PREFIX or _near(word, prefix)) for prefix in item):
            return match.span()
    return None


def _near(word: str, prefix: str) -> bool:
    """Whether a word begins with some letters, the last of which may be another."""
    return word[: len(prefix) - 1] == prefix[:-1]
