"""The words of a sentence as a matcher sees them: stems, function words and names.

English first: stemming, stop words and names are English rules. Other scripts give plain words (or pairs of characters
where a script has no spaces), which is all that overlap needs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from trail_callbacks.slices import current


def vocabulary(words: str) -> frozenset[str]:
    """Makes a set of words from a text that lists them."""
    return frozenset(words.split())


@cache
def sections(path: Path) -> Mapping[str, str]:
    """Reads a table of words in this package: its sections by the names in brackets above them."""
    _, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
    return dict(zip(parts[::2], parts[1::2], strict=True))


_SECTION = re.compile(r"^\[(.+)\]\n", re.MULTILINE)
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_MARKS = (  # vowel signs, which belong to the letter before them
    "\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f"
    "\u0951-\u0957\u0962\u0963\u0980-\u0983\u09bc-\u09cd"
)
_LETTER = rf"[^\W\d_{_UNSPACED}]"
_TOKEN = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)|\d+(?:[.,]\d+)*"
    r"|\b(?:U\.S\.(?:A\.|S\.R\.)?|U\.K\.|U\.N\.|E\.U\.|U\.A\.E\.|D\.C\.)"  # one word; other points part names
    # Possessive, one class after the other: a repeated choice of two remembers a hundred bytes for each letter.
    rf"|(?:{_LETTER}|[{_MARKS}]){_LETTER}*+(?:[{_MARKS}]++{_LETTER}*+)*+(?:['\u2019]{_LETTER}+)*"
)
_FUNCTION = vocabulary(
    """a about after all also although am an and another any are as at be because been before being both but by can
    cannot could did do does doing done during each either else ever every for from further had has have having he
    her here hers herself him himself his how however i if in into is it its itself just may me might more most
    much must my neither never nobody none nothing no nor not now of off on once one only onto or other our ours
    out over own per same shall she should since so some such than that the their theirs them themselves then
    there these they this those though through thus to too under until unto up upon us very via was we were what
    when where whether which while who whom whose why will with within without would yet you your yours mr mrs ms
    dr prof sir don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't couldn't shouldn't hasn't
    haven't hadn't there's it's that's they're we're i'm nearly almost roughly approximately"""
)
_TITLED = re.compile(r"\b(?:St|Ste|Mt|Ft|Dr|Mrs?|Ms|Prof|Gen|Sen|Rep|Gov|Capt|Lt|Col|Sgt|Rev)\. \Z")
_AUXILIARY = vocabulary("is are was were be been has have had will would can could does did")
_IRREGULAR = {
    form: base
    for base, forms in {
        "begin": "began begun", "bear": "bore borne born", "break": "broke broken", "bring": "brought",
        "build": "built", "buy": "bought",
        "catch": "caught", "choose": "chose chosen", "come": "came", "deal": "dealt", "draw": "drew drawn",
        "drive": "drove driven", "eat": "ate eaten", "fall": "fell fallen", "feel": "felt", "fight": "fought",
        "find": "found", "flee": "fled", "fly": "flew flown", "forget": "forgot forgotten", "get": "got gotten",
        "give": "gave given", "go": "went gone", "grow": "grew grown", "hold": "held", "keep": "kept",
        "know": "knew known", "lead": "led", "leave": "left", "lend": "lent", "lie": "lay lain", "lose": "lost",
        "make": "made", "mean": "meant", "meet": "met", "pay": "paid", "rise": "rose risen", "run": "ran",
        "say": "said", "see": "saw seen", "sell": "sold", "send": "sent", "shoot": "shot", "show": "shown",
        "sing": "sang sung", "sink": "sank sunk", "sleep": "slept", "speak": "spoke spoken", "spend": "spent",
        "stand": "stood", "steal": "stole stolen", "strike": "struck", "swim": "swam swum", "take": "took taken",
        "teach": "taught", "tell": "told", "think": "thought", "throw": "threw thrown", "wear": "wore worn",
        "win": "won", "write": "wrote written", "man": "men", "woman": "women", "child": "children",
        "person": "people", "foot": "feet", "mouse": "mice", "die": "died dies death dead",
    }.items()
    for form in forms.split()
}  # fmt: skip
_DIGITS = {
    word: str(i)
    for i, word in enumerate(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 2
    )
}
_ENDINGS = ("ingly", "edly", "ments", "ment", "ings", "ing", "ied", "ies", "ed", "ly", "es", "s")


@dataclass(frozen=True, slots=True)
class Term:
    """A word with its place.

    Attributes:
        form: Case-folded, without a possessive ending. Scripts without spaces give overlapping pairs of characters.
        stem: What forms of one word share.
        kind: `function` (stop words), `name` (capitalised inside a sentence, or beside such a word), `number`, `word`.
        start: Offset in the text.
        end: Offset after it.
    """

    form: str
    stem: str
    kind: Literal["function", "name", "number", "word"]
    start: int
    end: int


def terms(text: str) -> tuple[Term, ...]:
    """Finds the words of a text, with kinds and offsets."""
    if (slices := current.get()) is not None:
        slices.pause()
    found: list[Term] = []
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if match["unspaced"]:
            found.extend(_pairs(match["unspaced"], start))
            continue
        written = match[0]
        if written[-1] == ".":
            written = written.replace(".", "")
        form = written.casefold().replace("\u2019", "'")
        if form.endswith("'s") and form not in _FUNCTION:
            form, end = form[:-2], end - 2
        if form[0].isdigit():
            found.append(Term(form, form, "number", start, end))
        elif form in _FUNCTION and not (written.isupper() and len(written) > 1):
            found.append(Term(form, form, "function", start, end))
        else:
            found.append(Term(form, stem(form), "word", start, end))
    return _named(text, found)


def keys(text: str) -> list[str]:
    """Returns the index keys of a text: stems without function words, numbers without separators. Fast, no offsets."""
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        if match["unspaced"]:
            found.extend(term.stem for term in _pairs(match["unspaced"], 0))
            continue
        form = match[0].casefold()
        if form[-1] == ".":
            found.append(form.replace(".", ""))
            continue
        if form in _FUNCTION:
            continue
        if form[0].isdigit():
            found.append(form.replace(",", ""))
        elif form in _DIGITS:
            found.append(_DIGITS[form])
        else:
            found.append(stem(form[:-2] if form.endswith(("'s", "\u2019s")) else form))
    return found


def _pairs(run: str, at: int) -> list[Term]:
    if len(run) == 1:
        return [Term(run, run, "word", at, at + 1)]
    return [Term(run[i : i + 2], run[i : i + 2], "word", at + i, at + i + 2) for i in range(len(run) - 1)]


def _named(text: str, found: list[Term]) -> tuple[Term, ...]:
    """Marks names; none where capitals mean nothing (headlines, capitals only, German nouns)."""
    words = [term for term in found if term.kind == "word"]
    capital = [text[term.start].isupper() for term in found]
    inner = [_inside(text, term.start) for term in found]
    marked = sum(up and inside and term.kind == "word" for up, inside, term in zip(capital, inner, found, strict=True))
    lower = sum(term.form == text[term.start : term.end] for term in words)
    lower += sum(text[term.start : term.end] in _AUXILIARY for term in found)  # a headline would write `Was`
    if marked > 2 and marked > 3 * lower:  # noqa: PLR2004 - a name or two does not make a headline
        return tuple(found)
    out = []
    for i, term in enumerate(found):
        name = term.kind == "word" and capital[i] and inner[i]
        if term.kind == "word" and capital[i] and not inner[i]:
            beside = i + 1 < len(found) and capital[i + 1] and found[i + 1].kind == "word"
            name = (beside and text[term.end : found[i + 1].start] in {" ", "-"}) or not _plain(
                text[term.start : term.end]
            )
            name = name or text[term.end : term.end + 2] in {"'s", "\u2019s"}
        out.append(Term(term.form, term.form, "name", term.start, term.end) if name else term)
    return tuple(out)


def _inside(text: str, start: int) -> bool:
    if _TITLED.search(text, max(0, start - 7), start):
        return True
    before = text[max(0, start - 4) : start].rstrip(" \"'\u201c\u2018(*_")
    return bool(before) and before[-1] not in ".!?:|\n-#>\u2022;" if start else False


def _plain(word: str) -> bool:
    return word[1:].islower() or len(word) == 1


def is_past(form: str) -> bool:
    """Tells whether an English word looks like a past form of a verb."""
    return form in _IRREGULAR or form.endswith("ed")


@lru_cache(maxsize=65536)
def stem(form: str) -> str:
    """Cuts English inflection from a case-folded word; irregular verbs become their base form."""
    if form in _IRREGULAR:
        return _close(_IRREGULAR[form])
    if len(form) < 4 or not form.isascii():  # noqa: PLR2004 - nothing to cut
        return form
    for ending in _ENDINGS:
        if form.endswith(ending) and len(form) - len(ending) >= 3:  # noqa: PLR2004 - a stem has three letters
            if ending == "s" and form.endswith(("ss", "us", "is")):
                break
            base = form[: -len(ending)]
            if ending in {"ied", "ies"}:
                return base + "i"
            if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "sl":  # noqa: PLR2004 - `stopp`, not `egg`
                base = base[:-1]
            return _close(base)
    return _close(form)


def _close(base: str) -> str:
    if len(base) > 3 and base.endswith("e"):  # noqa: PLR2004 - `make` and `making`, but not `the`
        return base[:-1]
    return base[:-1] + "i" if base.endswith("y") and len(base) > 2 else base  # noqa: PLR2004 - `carry` and `carries`
