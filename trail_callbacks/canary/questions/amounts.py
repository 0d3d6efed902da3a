"""What asks for an amount: `how many minutes`, `how much`, `how high`, `what peak`. English."""

from __future__ import annotations

import re
from typing import Final

from trail_callbacks.canary.edit import Edit
from trail_callbacks.canary.questions.asked_for import FOLLOWING, STAYS, Sought, fronted, last_before
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.language.values import Quantity
from trail_callbacks.language.values.numerals import LARGE, NUMBER_WORDS
from trail_callbacks.splitting.words import DETERMINERS, PREPOSITIONS, Token, is_finite, past

__all__ = ["HOW", "MEASURES", "amount"]

_MODIFIERS: Final = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|nearly|almost|over|under|only|exactly|some|up to|at (?:least|most)|"
    r"as (?:many|much|long) as|(?:no |not )?(?:more|less|fewer|further|later|longer|higher|lower|other) than|"
    r"a total of|an estimated|a (?:minimum|maximum) of|an average of)\s+)+\Z",
    re.IGNORECASE,
)
_COMPARED: Final = re.compile(r"\b(?:further|later|longer|higher|lower|other) than\b")
_UNSAID: Final = re.compile(r"\b(?:some|only)\s*", re.IGNORECASE)  # `some how many` is no English
_RATE: Final = re.compile(
    r"\s+(?:an?|per|each|every)\s+(?!half\b)(?:(?:square|cubic)\s)?[a-z]+(?:\sof\s[a-z]+)?(?![\w-])"
)
_OF: Final = re.compile(r"\s+of\s+(?:the\s)?[a-z]+")
_SIGN: Final = 3  # characters of the sign of a unit
_DIGITS: Final = re.compile(r"[^\w\s]?\d(?:[\d.,'\u2019\u00a0\u202f/]*\d)?")
_NUMBER_WORDS: Final = frozenset((*NUMBER_WORDS, *LARGE, "and", "a", "half", "third", "quarter"))
_LASTING: Final = frozenset({"for", "after", "within", "until", "of", "than", "in"})
_LATER: Final = vocabulary("after before later earlier ago longer more less older younger from ahead away")
_PLURALS: Final = vocabulary(
    """people children men women fish sheep teeth feet mice geese staff police data media bacteria fungi larvae
    kroner kronor yen yuan hertz series"""
)
HOW: Final = {
    "long": "how long", "high": "how high", "tall": "how tall", "wide": "how wide", "deep": "how deep",
    "thick": "how thick", "broad": "how broad", "old": "how old",
}  # fmt: skip
"""What asks for an amount with such an adjective behind it."""
MEASURES: Final = vocabulary(
    """advance age allowance altitude amount angle annuity area average bonus budget capacity charge commission
    compensation concentration contribution cost credit current deduction deficit delay density deposit depth diameter
    discount distance dividend dose duration elevation error excess expense fare fee fine frequency gain grant height
    interest length level limit loan loss margin mass maximum minimum overdraft payment peak penalty pension period
    population power premium pressure price profit quota range rate rebate rent reserve revenue reward salary sample
    share size slope speed strength subsidy sum supplement surcharge surplus tax temperature term thickness toll total
    turnover value voltage volume wage weight width yield"""
)
"""Nouns that are of an amount: `a peak of 250 g`, `the fee is 12 euros`."""
_NOUN_WORDS: Final = 3  # words behind a number that are taken for what is counted
_DIMENSIONS: Final = {
    "length": "what distance", "time": "how long", "mass": "what weight", "percent": "what share",
    "temperature": "what temperature", "fahrenheit": "what temperature", "power": "what power", "energy": "what energy",
    "speed": "what speed", "data": "what amount of data", "volume": "what volume", "area": "what area",
    "frequency": "what frequency",
}  # fmt: skip


def amount(text: str, span: tuple[int, int], found: Quantity, edit: Edit, tokens: list[Token]) -> Sought | None:
    """Says what asks for an amount; None if only a gap can.

    Args:
        text: The sentence.
        span: Where the value stands in it.
        found: The quantity that the value is.
        edit: The edit.
        tokens: The words of the sentence.
    """
    start, end = min(span[0], found.start), max(span[1], found.end)
    following = next((each for each in tokens if each.start >= end), None)
    first, modifier = _modified(text, start)
    if (special := _extent((first, end), found, tokens, modifier) or _often((first, end), found, tokens)) is not None:
        return special
    if (measure := _measure(tokens, first)) is not None and not modifier:
        return _measured(tokens, measure, end, text)
    if edit.kind == "unit" or not _same_unit(edit):
        first = start if _COMPARED.search(modifier) else first
        return _of_a_dimension((first, end), found, tokens, following)
    front = STAYS if _COMPARED.search(modifier) else fronted(tokens, first)
    if found.kind == "count":
        return _count(text, (first, end), text[_number_end(text, found) : end], (modifier, front), tokens)
    return _with_unit(text, (first, max(span[1], found.end)), found, (modifier, front), tokens)


def _extent(span: tuple[int, int], found: Quantity, tokens: list[Token], modifier: str) -> Sought | None:
    """`How high` for `31 metres high`, `how long ago` for `9,000 years ago`."""
    following = next((each for each in tokens if each.start >= span[1]), None)
    if following is None or found.kind not in {"length", "time"} or is_finite(tokens, tokens.index(following)):
        return None
    if following.form == "ago" and found.kind == "time":
        return Sought(span[0], following.end, "how long ago", span[0], what=False)
    if following.form not in HOW or fronted(tokens, span[0]) != span[0] or _COMPARED.search(modifier):
        return None
    return Sought(span[0], following.end, f"{modifier}{HOW[following.form]}", span[0], what=False)


def _often(span: tuple[int, int], found: Quantity, tokens: list[Token]) -> Sought | None:
    """`How often` for `every 15 minutes`."""
    at = last_before(tokens, span[0])
    if at < 0 or tokens[at].form != "every" or found.kind != "time":
        return None
    return Sought(tokens[at].start, span[1], "how often", tokens[at].start, what=False)


def _with_unit(
    text: str, span: tuple[int, int], found: Quantity, lead: tuple[str, int], tokens: list[Token]
) -> Sought | None:
    """`How many minutes`, `how much`, `what percentage`."""
    (start, end), (modifier, front) = span, lead
    unit = text[_number_end(text, found) : end].strip(" -\u00a0\u202f")
    if found.value == 1 and unit.isalpha() and unit.islower() and len(unit) > _SIGN and unit[-1] != "s":
        unit += "s"  # `how many year`
    if of := _OF.match(text, end):
        end = _noun_end(text, tokens, of.end() - len(of[0].split()[-1]))
    if rate := _RATE.match(text, end):
        end = rate.end()
    kept = text[span[1] : end]
    following = next((each for each in tokens if each.start >= end), None)
    several = text[start:end].endswith("s") and text[end - 2 : end - 1].isalpha()
    free = following is None or not following.word or following.form in FOLLOWING or past(following.form)
    if not several and not free:
        return None  # `a $40 million budget`
    if following is not None and following.form in _LATER:
        front = STAYS  # `ten minutes after the start`
    money = found.kind.startswith("money")
    words = "how much" if money else "what percentage" if found.kind == "percent" else f"how many {unit}"
    return Sought(start, end, f"{modifier}{words}{kept}", front) if unit or words != "how many " else None


def _measure(tokens: list[Token], start: int) -> int | None:
    """Index of the noun in `a peak of`, if that is what stands before a value."""
    at = last_before(tokens, start)
    return at - 1 if at > 1 and tokens[at].form == "of" and tokens[at - 1].form in MEASURES else None


def _measured(tokens: list[Token], noun: int, end: int, text: str) -> Sought | None:
    """`What peak` for `a peak of 250 g`."""
    first = noun
    while first > 0 and noun - first < _NOUN_WORDS and tokens[first].form not in DETERMINERS | PREPOSITIONS:
        first -= 1
    if tokens[first].form not in {"a", "an", "the"} or not all(each.word for each in tokens[first:noun]):
        return None
    start = tokens[first].start
    return Sought(start, end, f"what {text[tokens[first + 1].start : tokens[noun].end]}", fronted(tokens, start), False)


def _of_a_dimension(
    span: tuple[int, int], found: Quantity, tokens: list[Token], following: Token | None
) -> Sought | None:
    """What asks for an amount without its unit, which is another one in the twin."""
    words = _DIMENSIONS.get(found.kind, "how much" if found.kind.startswith("money") else "")
    free = following is None or not following.word or following.form in FOLLOWING or past(following.form)
    if not words or not free or (following is not None and following.form in _LATER):
        return None  # `118 megawatt hours`, `500 metres from the route`
    at = last_before(tokens, span[0])
    if at >= 0 and tokens[at].form == "than":
        words = "what"  # `higher than what`
    if words == "how long" and at >= 0 and tokens[at].form in PREPOSITIONS - _LASTING:
        return None  # `on 29 days`
    return Sought(*span, words, fronted(tokens, span[0]))


def _count(  # noqa: PLR0911 - one exit a shape
    text: str, span: tuple[int, int], noun: str, lead: tuple[str, int], tokens: list[Token]
) -> Sought | None:
    """`how many` of what a number counts."""
    (start, end), (modifier, front) = span, lead
    at = last_before(tokens, start)
    if at >= 0 and tokens[at].form in {"a", "an", "the", "this", "that"}:
        return None  # `a 4.3 server`
    if noun.strip() and any(
        each.start >= start and is_finite(tokens, n) for n, each in enumerate(tokens) if each.end <= end
    ):
        return None  # `software 3.1 reduces`
    if at > 0 and tokens[at].form == "of" and (tokens[at - 1].form in NUMBER_WORDS or tokens[at - 1].form[0].isdigit()):
        return None  # `one of five values`
    stop = end if noun.strip() and _is_plural(text[:end]) else _noun_end(text, tokens, end)
    counted = stop > end or bool(noun.strip())
    following = next((each.form for each in tokens if each.start >= stop), "")
    if following == "ago":
        end = next(each.end for each in tokens if each.start >= stop)
        return Sought(start, end, f"{modifier}how many{noun.rstrip()}{text[span[1] : end]}", start, what=False)
    if following == "as" or (counted and not _is_plural(text[:stop])):
        return None  # `five times as much`; `under four count as`
    if counted:
        front = STAYS if following in _LATER else front
        return Sought(start, stop, f"{modifier}how many{noun.rstrip()}{text[end:stop]}", front, what=False)
    stated = at >= 0 and is_finite(tokens, at) and not text[end:].strip(" .!")
    return Sought(start, end, f"{modifier}what number", start) if stated else None


def _is_plural(text: str) -> bool:
    """Whether the last word may be what is counted: `62 beds`, and not `1,260 carnelian`."""
    word = text.rpartition(" ")[2].casefold()
    return (word.endswith("s") and not word.endswith("ss")) or word in _PLURALS


def _same_unit(edit: Edit) -> bool:
    """Whether the fictive value is in the unit of the real one."""
    others = [each for each in (edit.fictive, edit.also) if each is not None]
    ends = {re.sub(r"^\W*[\d.,\s]*", "", each).strip().rstrip("s").casefold() for each in (edit.real, *others)}
    worded = any(not re.search(r"\d", each) for each in (edit.real, *others))
    return len(ends) == 1 or worded


def _number_end(text: str, found: Quantity) -> int:
    """Where the number of a quantity ends and its unit begins."""
    digits = _DIGITS.match(text, found.start, found.end)
    if digits:
        return digits.end()
    end = found.start
    for word in re.finditer(r"[^\W\d_]+", text[found.start : found.end]):
        if word[0].casefold() not in _NUMBER_WORDS:
            break
        end = found.start + word.end()
    return end


def _noun_end(text: str, tokens: list[Token], end: int) -> int:
    """Where the noun ends that a number counts, as far as words go without a verb or preposition."""
    taken = 0
    for at, token in enumerate(tokens):
        if token.start < end:
            continue
        known = (
            token.word and token.form not in FOLLOWING and not token.form[0].isdigit() and not token.form.endswith("ly")
        )
        verb = taken > 0 and is_finite(tokens, at)
        if not known or verb or taken == _NOUN_WORDS or text[end : token.start].strip():
            break
        end, taken = token.end, taken + 1
    return end


def _modified(text: str, start: int) -> tuple[int, str]:
    """Where the words begin that modify a number, and what of them a question keeps: `about `, `more than `."""
    found = _MODIFIERS.search(text, max(0, start - 40), start)
    if found is None:
        return start, ""
    kept = _UNSAID.sub("", found[0]).strip().lower()
    return found.start(), f"{kept} " if kept else ""
