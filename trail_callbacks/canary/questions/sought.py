"""What a question asks for: the words of a sentence that hold a value, and the question word for them. English."""

from __future__ import annotations

import re
from typing import Final

from trail_callbacks.canary.edit import Edit
from trail_callbacks.canary.questions.asked_for import STAYS, Sought
from trail_callbacks.canary.questions.named import last_before, named
from trail_callbacks.language.quantities import EXACT, Quantity, quantities
from trail_callbacks.language.quantities.numerals import LARGE, NUMBER_WORDS
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting.words import AUXILIARY, DETERMINERS, PREPOSITIONS, Token, is_finite, past, tokenize

__all__ = ["sought"]

_FRONTED: Final = vocabulary("in on at for from since until till by during after before to between")
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
_DIGITS: Final = re.compile(r"[^\w\s]?\d(?:[\d.,'\u2019\u00a0\u202f/]*\d)?")
_NUMBER_WORDS: Final = frozenset((*NUMBER_WORDS, *LARGE, "and", "a", "half", "third", "quarter"))
_LATER: Final = vocabulary("after before later earlier ago longer more less older younger from ahead away")
_WHICH: Final = vocabulary(
    """first last next past these those the other previous following remaining another every all its their his her our
    my your same final initial only"""
)
_STOPS: Final = (AUXILIARY | PREPOSITIONS | DETERMINERS) | vocabulary(
    """and or but nor so than that which who whom whose when where while because if to be been being is it he she they
    not also then later ago away apart long high tall wide deep old each every again together daily annually weekly
    monthly yearly instead worldwide only there here now today once twice respectively approximately including"""
)
_NOUN_WORDS: Final = 3  # words behind a number that are taken for what is counted
_DIMENSIONS: Final = {
    "length": "what distance or length", "time": "what length of time", "mass": "what weight", "percent": "what share",
    "temperature": "what temperature", "fahrenheit": "what temperature", "power": "what power", "energy": "what energy",
    "speed": "what speed", "data": "what amount of data", "volume": "what volume", "area": "what area",
    "frequency": "what frequency",
}  # fmt: skip
_RANGE_BEFORE: Final = re.compile(
    r"(?:\d\s?[-\u2013\u2014/]\s?|\b(?:between|from)\s+\S{1,14}(?:\s\S{1,14})?\s+(?:and|to)\s+|\d\s+to\s+"
    rf"|\b(?:{'|'.join(NUMBER_WORDS)})\s+(?:to|or)\s+)\Z",
    re.IGNORECASE,
)
_RANGE_AFTER: Final = re.compile(
    r"\s?[-\u2013\u2014/]\s?\d|(?:\s\w{1,12})?\s+(?:to|or)\s+\W?\d|-\w|\s+(?:to|or)\s+(?:"
    + "|".join(NUMBER_WORDS)
    + r")\b"
)


def sought(text: str, span: tuple[int, int], edit: Edit) -> Sought | None:
    """Says what asks for a value in an English sentence; None if only a gap can.

    Args:
        text: The sentence.
        span: Where the value stands in it.
        edit: The edit, with the value as a person writes it.
    """
    tokens = tokenize(text)
    if not _whole(text, span):
        return None
    if edit.kind in {"name", "nonce"} or (edit.kind in {"unanswerable", "inconsistent"} and not quantities(edit.real)):
        return named(text, span, tokens)
    inside = [each for each in quantities(text) if each.start < span[1] and span[0] < each.end]
    if not inside:
        return None
    if all(each.kind in EXACT for each in inside):
        found = _date(text, span, inside, tokens)
        apart = found is not None and text[: max(0, found.front)].rstrip().endswith(",")
        return None if apart and text[span[1] :].startswith(",") else found
    return _amount(text, span, inside[0], edit, tokens) if len(inside) == 1 else None


def _whole(text: str, span: tuple[int, int]) -> bool:
    """Whether a value stands by itself: not in a compound, a range or brackets."""
    start, end = span
    if text[start - 1 : start].isalnum() or text[end : end + 1].isalnum():
        return False
    if text[start - 1 : start] in {"-", "/", "(", "["} and start:
        return False
    if text[:start].rstrip().endswith(",") and text[end:].lstrip().startswith(","):
        return False
    return not (_RANGE_BEFORE.search(text[max(0, start - 48) : start]) or _RANGE_AFTER.match(text, end))


def _fronted(tokens: list[Token], start: int, prepositions: frozenset[str] = _FRONTED) -> int:
    """Where what moves to the front begins: at the preposition before it, if one is there."""
    at = last_before(tokens, start)
    if at >= 0 and tokens[at].form in _WHICH:
        return STAYS
    if at < 0 or tokens[at].form not in PREPOSITIONS:
        return start
    return tokens[at].start if tokens[at].form in prepositions else STAYS


def _modified(text: str, start: int) -> tuple[int, str]:
    """Where the words begin that modify a number, and what of them a question keeps: `about `, `more than `."""
    found = _MODIFIERS.search(text, max(0, start - 40), start)
    if found is None:
        return start, ""
    kept = _UNSAID.sub("", found[0]).strip().lower()
    return found.start(), f"{kept} " if kept else ""


def _date(text: str, span: tuple[int, int], inside: list[Quantity], tokens: list[Token]) -> Sought | None:
    kinds = {each.kind for each in inside}
    around = [each for each in quantities(text) if each not in inside and each.kind in EXACT]
    if any(0 <= span[0] - each.end <= 2 or 0 <= each.start - span[1] <= 2 for each in around):  # noqa: PLR2004 - `, `
        return None  # a part of a date
    following = next((each for each in tokens if each.start >= span[1]), None)
    if (
        following
        and following.word
        and not following.capital
        and following.form not in _STOPS
        and not is_finite(tokens, tokens.index(following))
    ):
        return None  # `the 1932 election`
    decade = any(each.within for each in inside)
    words = (
        "what date" if "day" in kinds
        else "which month and year" if {"month", "year"} <= kinds
        else "which day of the week" if "weekday" in kinds
        else "what time" if "clock" in kinds
        else "which decade" if decade
        else "which " + min(kinds) if len(kinds) == 1 and kinds <= {"year", "month", "quarter"}
        else ""
    )  # fmt: skip
    if not words:
        return None
    front = _fronted(tokens, span[0])
    if front == span[0] and words in {"what date", "what time", "which day of the week"}:
        words = ("at " if words == "what time" else "on ") + words
    return Sought(*span, words, front, what=front == span[0])


def _amount(text: str, span: tuple[int, int], found: Quantity, edit: Edit, tokens: list[Token]) -> Sought | None:
    start, end = min(span[0], found.start), max(span[1], found.end)
    if edit.kind == "unit" or not _same_unit(edit):
        words = _DIMENSIONS.get(found.kind, "how much" if found.kind.startswith("money") else "")
        return Sought(start, end, words, _fronted(tokens, start)) if words else None
    start, modifier = _modified(text, start)
    front = STAYS if _COMPARED.search(modifier) else _fronted(tokens, start)
    if found.kind == "count":
        return _count(text, (start, end), text[_number_end(text, found) : end], (modifier, front), tokens)
    unit = text[_number_end(text, found) : end].strip(" -\u00a0\u202f")
    if of := _OF.match(text, end):
        end = _noun_end(text, tokens, of.end() - len(of[0].split()[-1]))
    if rate := _RATE.match(text, end):
        end = rate.end()
    kept = text[max(span[1], found.end) : end]
    following = next((each for each in tokens if each.start >= end), None)
    several = text[start:end].endswith("s") and text[end - 2 : end - 1].isalpha()
    free = following is None or not following.word or following.form in _STOPS or past(following.form)
    if not several and not free:
        return None  # `a $40 million budget`
    if following is not None and following.form in _LATER:
        front = STAYS  # `ten minutes after the start`
    money = found.kind.startswith("money")
    words = "how much" if money else "what percentage" if found.kind == "percent" else f"how many {unit}"
    return Sought(start, end, f"{modifier}{words}{kept}", front) if unit or words != "how many " else None


def _count(text: str, span: tuple[int, int], noun: str, lead: tuple[str, int], tokens: list[Token]) -> Sought | None:
    """`how many` of what a number counts."""
    (start, end), (modifier, front) = span, lead
    at = last_before(tokens, start)
    if at >= 0 and tokens[at].form in {"a", "an", "the", "this", "that"}:
        return None  # `a 4.3 server`
    stop = end if noun.strip() else _noun_end(text, tokens, end)
    if stop > end or noun.strip():
        return Sought(start, stop, f"{modifier}how many{noun.rstrip()}{text[end:stop]}", front, what=False)
    stated = at >= 0 and is_finite(tokens, at) and not text[end:].strip(" .!")
    return Sought(start, end, f"{modifier}what number", start) if stated else None


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
            token.word and token.form not in _STOPS and not token.form[0].isdigit() and not token.form.endswith("ly")
        )
        verb = taken > 0 and is_finite(tokens, at)
        if not known or verb or taken == _NOUN_WORDS or text[end : token.start].strip():
            break
        end, taken = token.end, taken + 1
    return end
