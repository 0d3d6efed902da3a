"""Names: whether a text holds one, in any of its forms."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from trail_callbacks.judges.local.wording import Wording
from trail_callbacks.language.terms import Term

__all__ = ["known"]

_COUNTRIES = [
    frozenset(group.split(", "))
    for group in (
        "us, usa, u, america, american, americans, united states",
        "uk, britain, british, great britain, united kingdom, england, english",
        *("eu, european union, europe, european", "un, united nations", "uae, emirates, united arab"),
        *("ussr, soviet, soviet union, soviets", "netherlands, dutch, holland", "france, french", "spain, spanish"),
        *("china, chinese", "switzerland, swiss", "greece, greek", "turkey, turkish", "denmark, danish"),
        *("sweden, swedish", "poland, polish", "ireland, irish", "wales, welsh", "scotland, scottish"),
        "finland, finnish",
    )
]
_ROOT = 4  # letters that the names of a country and its people share


def known(name: Sequence[Term], text: Wording) -> bool:
    """Tells whether a text holds a name, a part of it (people are called by one of their names), or a country.

    A word of it does not count inside another name: `Bridge` in `Kelder Bridge` says nothing about the Halden Bridge.
    """
    mine = {term.form for term in name}
    for term in filter(text.has, name):
        around = [
            {each.form for each in other} for other in text.names if any(each.form == term.form for each in other)
        ]
        if not around or any(mine <= other or other <= mine for other in around):
            return True
    return _is_country(name, text)


def _is_country(name: Sequence[Term], text: Wording) -> bool:
    """Whether the text has the country by another word: `the US` and `American`, `Austria` and `Austrian`."""
    written = " ".join(term.form for term in name)
    forms = [term.form for term in text.terms]
    grams = {*forms, *(f"{a} {b}" for a, b in pairwise(forms))}
    return any(written in group and not grams.isdisjoint(group) for group in _COUNTRIES) or any(
        _rooted(term.form, each.form) for term in name for other in text.names for each in other
    )


def _rooted(form: str, other: str) -> bool:
    shared = next((i for i, (a, b) in enumerate(zip(form, other, strict=False)) if a != b), min(len(form), len(other)))
    return shared >= _ROOT and min(len(form), len(other)) - shared <= 1 and len(form) != len(other)
