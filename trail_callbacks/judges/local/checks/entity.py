"""Names: a name of the claim in whose place the passage has another, or one that is nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.language.abbreviations import abbreviated
from trail_callbacks.language.terms import Term, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare", "is_alias", "is_called", "is_name", "known"]

_TITLES = vocabulary(
    """president minister chancellor senator governor mayor king queen prince princess emperor pope bishop saint lord
    lady captain colonel general admiral professor judge justice chief executive ceo cfo cto director chairman
    chairwoman chair inspector officer miss"""
)
_NO_NAMES = vocabulary(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday english french german spanish step passage part chapter section table figure ceo"""
)
_ALIASES = [  # countries and unions under several names
    frozenset(group.split(", "))
    for line in """us, usa, u, america, american, americans, united states
    uk, britain, british, great britain, united kingdom, england, english
    eu, european union, europe, european; un, united nations; uae, emirates, united arab
    ussr, soviet, soviet union, soviets; netherlands, dutch, holland; france, french; spain, spanish; china, chinese
    switzerland, swiss; greece, greek; turkey, turkish; denmark, danish; sweden, swedish; poland, polish
    ireland, irish; wales, welsh; scotland, scottish; finland, finnish""".splitlines()
    for group in line.strip().split("; ")
]
_NICKNAMES = {
    (nickname, name)
    for line in """bill william; will william; bob robert; mike michael; jim james; liz elizabeth; beth elizabeth
    betty elizabeth; kate catherine; dick richard; rick richard; ted edward; ted theodore; jack john; peggy margaret
    tony anthony; hank henry; harry henry; harry harold; chuck charles; charlie charles; larry lawrence; jerry gerald
    steve stephen; sasha alexander; fred frederick""".splitlines()
    for nickname, name in map(str.split, line.split(";"))
}
_ROOT = 4  # letters that the names of a country and its people share
_SHARED = 0.35  # share of the rest of a claim that a passage must have to dispute its name
_SHORTEST, _LONGEST = 2, 5  # letters of an abbreviation
_REACH = 4  # words between a name and the word that gives it its place


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a name that the passage does not hold while another name stands in its place.

    Left alone: short forms, titles and initials of one name, words for one country (`the US`, `American`), and in
    texts that are not in English names of one word, as other languages write other words with capitals.
    """
    others = [name for name in passage.names if is_name(name, passage) and not known(name, claim)]
    for name in claim.names:
        if not is_name(name, claim) or known(name, passage) or is_alias(name, passage):
            continue
        span = (name[0].start, name[-1].end)
        if claim.shared(passage, span) < _SHARED:
            continue
        for other in others:
            if not is_called(name, other) and (_near(name, other) or _replaced(name, claim, other, passage)):
                place = (other[0].start, other[-1].end)
                return Finding.quoting(
                    claim,
                    span,
                    passage,
                    place,
                    error_type=ErrorType.ENTITY,
                    support=SupportClass.CONTRADICTED,
                )
    return None


def is_name(name: Sequence[Term], reading: Reading) -> bool:
    """Tells whether words with capitals are a name: no month or day, no contraction, nor a noun of another language."""
    if len(name) == 1 and (name[0].form in _NO_NAMES or "'" in name[0].form or len(name[0].form) == 1):
        return False
    return len(name) > 1 or reading.english


def is_alias(name: Sequence[Term], passage: Reading) -> bool:
    """Tells whether a text has the country by another word."""
    written = " ".join(term.form for term in name)
    return any(written in group and any(alias in group for alias in _grams(passage)) for group in _ALIASES) or any(
        len(term.form) >= _ROOT and any(_rooted(term.form, each.form) for other in passage.names for each in other)
        for term in name
    )


def _grams(passage: Reading) -> set[str]:
    forms = [term.form for term in passage.terms]
    return {*forms, *(f"{a} {b}" for a, b in pairwise(forms))}


def _rooted(form: str, other: str) -> bool:
    """`Austria` and `Austrian`, `Canada` and `Canadian`."""
    shared = next((i for i, (a, b) in enumerate(zip(form, other, strict=False)) if a != b), min(len(form), len(other)))
    return shared >= _ROOT and min(len(form), len(other)) - shared <= 1 and len(form) != len(other)


def _near(name: Sequence[Term], other: Sequence[Term]) -> bool:
    """Whether two names of several words differ in one: `Mia Stolz` and `Mira Stolz`; `Tom` and `Thomas` are one."""
    if len(name) != len(other) or len(name) == 1:
        return False
    unlike = [(a.form, b.form) for a, b in zip(name, other, strict=True) if a.form != b.form]
    if len(unlike) != 1:
        return False
    short, long = sorted(unlike[0], key=len)
    return not long.startswith(short[:3])


def is_called(name: Sequence[Term], other: Sequence[Term]) -> bool:
    """Tells whether one name has a nickname of the other: `Bill Tarn` and `William Tarn`."""
    pairs = [(a.form, b.form) for a in name for b in other]
    return any(pair in _NICKNAMES or pair[::-1] in _NICKNAMES for pair in pairs)


def _replaced(name: Sequence[Term], claim: Reading, other: Sequence[Term], passage: Reading) -> bool:
    """Whether a name stands where the passage has another."""
    return not _place(name, claim).isdisjoint(_place(other, passage))


def known(name: Sequence[Term], reading: Reading) -> bool:
    """Tells whether a text holds a name, a part of it (people are called by one of their names), or its initials.

    A word of it does not count inside another name: `Bridge` in `Kelder Bridge` says nothing about the Halden Bridge.
    """
    shared = [term for term in name if reading.has(term)]
    if any(not _around(term, reading) or any(_one(name, other) for other in _around(term, reading)) for term in shared):
        return True
    if abbreviated([term.form for term in name], reading.text):
        return True
    if len(name) > 1:
        initials = "".join(term.form[0] for term in name)
        return any(term.form == initials for term in reading.terms)
    letters = name[0].form
    return _SHORTEST <= len(letters) <= _LONGEST and any(
        "".join(term.form[0] for term in other) == letters for other in reading.names
    )


def _around(term: Term, reading: Reading) -> list[tuple[Term, ...]]:
    """The names of a text that hold a word."""
    return [other for other in reading.names if any(each.form == term.form for each in other)]


def _one(name: Sequence[Term], other: Sequence[Term]) -> bool:
    """Whether two names that share a word may be of one: neither has a word that the other lacks, titles aside."""
    mine = {term.form for term in name} - _TITLES
    theirs = {term.form for term in other} - _TITLES
    return all(_within(form, theirs) for form in mine) or all(_within(form, mine) for form in theirs)


def _within(form: str, forms: set[str]) -> bool:
    """Whether a word, or its first letter, is among some."""
    return form in forms or any(
        form.startswith(each) if len(each) == 1 else len(form) == 1 and each[0] == form for each in forms
    )


def _place(name: Sequence[Term], reading: Reading) -> set[tuple[str, str]]:
    """What stands beside a name: the word it follows, with its side; `by` turns the side round."""
    order = [i for i, term in enumerate(reading.terms) if term.start in {name[0].start, name[-1].start}]
    first, last = order[0], order[-1]
    found: set[tuple[str, str]] = set()
    before = reading.terms[max(0, first - _REACH) : first]
    passive = any(term.form == "by" for term in before[-2:])
    left = next((t for t in reversed(before) if t.kind == "word"), None)
    if left:
        found.add(("after" if passive else "before", left.stem))
    right = next((t for t in reading.terms[last + 1 : last + 1 + _REACH] if t.kind == "word"), None)
    if right:
        found.add(("after", right.stem))
    return found
