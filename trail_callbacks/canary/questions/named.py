"""What asks for a name: `who`, `which place`, `by whom`. English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from trail_callbacks.canary.questions.asked_for import STAYS, Sought, last_before
from trail_callbacks.canary.questions.verbs import may_be_finite
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting.words import (
    AUXILIARY,
    DETERMINERS,
    PREPOSITIONS,
    Token,
    is_finite,
    past,
    third,
    tokenize,
)

__all__ = ["DEEDS", "TITLES", "is_person", "named"]

TITLES: Final = vocabulary(
    """mr mrs ms dr mr. mrs. ms. dr. prof prof. professor sir lady king queen prince princess president emperor pope
    captain general colonel judge senator governor mayor minister chancellor founder author writer singer actor actress
    director painter poet composer scientist physicist engineer architect philosopher historian explorer inventor coach
    journalist lawyer chef chairman manager player councillor spokesman spokeswoman analyst economist researcher warden
    adviser advisor critic pollster physiotherapist biologist geologist chemist doctor nurse pilot skipper curator
    farmer owner secretary treasurer developer designer psychologist sociologist statistician archaeologist ecologist
    dispatcher botanist conductor editor hydrologist midwife neurologist cardiologist pharmacist"""
)
"""Words before the name of a person, case-folded."""
_PLAIN_TITLES: Final = vocabulary("mr mrs ms dr sir lady")
DEEDS: Final = vocabulary(
    """said says born died wrote writes married invented discovered painted directed sang argued argues believed
    believes thought thinks taught studied graduated retired resigned lived recalls told replied asked claims claimed
    warned warns explained founded composed proposed suggested hopes admits"""
)
"""What persons do, and hardly anything else."""
_KINDS: Final = vocabulary(
    """city town village island islands river lake mountain county state country street valley region province district
    harbour harbor port bay peninsula borough university college institute bank museum ministry council committee
    foundation society agency department school hospital group party league company clinic trust fund court bridge
    station airport hotel church library theatre house park institution association union board authority trial study
    survey project magazine newspaper journal band album film novel book award prize festival race club team railway"""
)
_PERSONS: Final = vocabulary(
    "chair head chief executive magistrate nurse widow widower son daughter wife husband deputy"
)
_AGENT: Final = ("er", "or", "ist", "ian", "man", "woman", "ary", "ant", "eon")
_NO_AGENTS: Final = vocabulary(
    """tower river computer paper newspaper letter number chapter factor motor reactor harbor corner border center layer
    cancer winter summer order container water power crater rover cover matter theater museum plant restaurant library
    dictionary anniversary boundary tributary sanctuary sailor-suit monitor sensor conveyor trailer tanker boiler
    cruiser steamer freighter"""
)
_ARTICLES: Final = frozenset({"the", "a", "an"})
_NO_ROLE: Final = vocabulary(
    """them us you it him me still now then once often soon already never always and or but that who which not also only
    even than as to when where while if so because"""
)
_NO_NOUN: Final = ("ing", "ern", "al", "ous", "ic", "ed", "ly", "en", "est", "less", "ful")
_QUALITIES: Final = vocabulary(
    """cheaper larger older newer smaller bigger younger better lower higher upper former latter other new old small
    large big young long short good great main first second third last next late early present whole same famous"""
)
_ROLE: Final = 4  # words that say what a name is of
_PERSONAL: Final = re.compile(r"(?:,\s(?:\d{1,2},|who\b)|[^,;:.]{0,80}\b(?:he|she|his|her|himself|herself)\b)")
_ASIDE: Final = re.compile(r",\s[^,]+,\s")
_WHERE: Final = frozenset({"in", "at"})
_PLACED: Final = frozenset({"in", "at", "near", "into"})
_SITED: Final = re.compile(
    r"\b(?:located|born|lies|lived?|lives|stands|stood|based|held|built|opened|situated|buried|found|died|met|meets|"
    r"is|was|are|were|grown|made|begins?|began|ends?|ended|starts?|started|stays?|stayed|works?|worked|dug|stored)\s\Z"
)
_FRONTED: Final = frozenset({"in", "at", "by", "from", "on", "near"})


def is_person(form: str) -> bool:
    """Tells whether a word says who somebody is: `keeper`, `chair`."""
    return form in TITLES or form in _PERSONS or (form.endswith(_AGENT) and form not in _NO_AGENTS)


def named(text: str, span: tuple[int, int], tokens: Sequence[Token]) -> Sought | None:  # noqa: PLR0911 - one exit a shape
    """Says what asks for a name, by the words around it; None if only a gap can.

    Args:
        text: The sentence.
        span: Where the name stands in it.
        tokens: Its words.
    """
    start, end = span
    at = last_before(tokens, start)
    before = tokens[at] if at >= 0 else None
    following = next((each for each in tokens if each.start >= end), None)
    opened = before is not None and before.form == "," and tokens[0].form in PREPOSITIONS
    opened = opened and not any(token.form == "," for token in tokens[:at])
    if opened:  # `In a review, Anna Berg found ...`
        before = None
    if at < 0 and text[end : end + 2] in {"'s", "\u2019s"}:
        return Sought(start, end + 2, "whose", start, what=False)
    if _is_part(text, span, before, following, tokens):
        return None
    if before is not None and before.form in TITLES:
        return _titled(tokens, at, end) or _called(span, tokens, at)
    if before is not None and before.form == "of" and at > 0 and tokens[at - 1].form in _KINDS:
        return _of_kind(tokens, at - 1, end)
    if opened:
        return _by_kind(text, span, before, following)
    article = at if before is not None and before.form in _ARTICLES else None
    if (found := _noun(text, span, tokens, article) or _called(span, tokens, at)) is not None:
        return found
    if article is not None:
        return _thing(tokens, article, following, end)
    plain = before is None or before.form in PREPOSITIONS or not before.word or is_finite(tokens, at)
    return _by_kind(text, span, before, following) if plain else None


def _thing(tokens: Sequence[Token], article: int, following: Token | None, end: int) -> Sought | None:
    """`What` for `the Gem was pulled down`, `the deepest point is the Molloy Deep`: with an article, no person."""
    start = tokens[article].start
    if article == 0 and following is not None and is_finite(tokens, tokens.index(following)):
        return Sought(start, end, "what", start)
    if article and tokens[article - 1].form == "by":
        return Sought(start, end, "whom or what", tokens[article - 1].start, what=False)
    stated = article and tokens[article - 1].form in {"is", "was", "are", "were"}
    return Sought(start, end, "what", start) if stated and (following is None or following.form == ",") else None


def _is_part(
    text: str, span: tuple[int, int], before: Token | None, following: Token | None, tokens: Sequence[Token]
) -> bool:
    """Whether a name is a piece of a longer one, an owner, an address, or one of several."""
    start, end = span
    if text[end : end + 1] in {"'", "\u2019", ")", "&"} or (
        text[end : end + 1] == "." and text[end + 1 : end + 2].isalpha()
    ):
        return True
    if following is not None and following.capital and text[end : following.start].isspace():
        return True
    if following is not None and following.form in {"and", "or", "(", "&"}:
        behind = next((at for at, token in enumerate(tokens) if token.start >= following.end), len(tokens))
        joined = behind < len(tokens) and (past(tokens[behind].form) or is_finite(tokens, behind))
        return following.form not in {"and", "or"} or not joined  # `by Lucian Farrow and finished in 1879`
    if before is None:
        return False
    longer = before.capital and text[before.end : start].isspace() and before.form not in TITLES
    return before.form in {",", "(", "and", "or", "&"} or (longer and before.form not in DETERMINERS | PREPOSITIONS)


def _called(span: tuple[int, int], tokens: Sequence[Token], at: int) -> Sought | None:
    """`Which bicycle maker` for `bicycle maker Rovelle`, `which brand` for `the brand Lumen`."""
    first = at
    while first >= 0 and at - first < _ROLE and _of_a_role(tokens, first):
        first -= 1
    words = tokens[first + 1 : at + 1]
    if first >= 0 and (tokens[first].form in {"and", "or"} or _is_name(tokens[first])):
        return None
    if not words or words[-1].form.endswith(_NO_NOUN) or words[-1].form in DEEDS | _QUALITIES:
        return None
    if any(word.form.endswith("'s") for word in words):
        return None
    start = words[0].start
    kind = " ".join(word.form for word in words)
    if first >= 0 and tokens[first].form in _ARTICLES:
        start, first = tokens[first].start, first - 1
    elif first >= 0 and tokens[first].form in DETERMINERS:
        return None
    preposition = first >= 0 and tokens[first].form in PREPOSITIONS
    front = tokens[first].start if preposition and tokens[first].form in _FRONTED else STAYS if preposition else start
    return Sought(start, span[1], f"which {kind}", front, what=False)


def _is_name(token: Token) -> bool:
    return token.capital and token.form not in DETERMINERS | PREPOSITIONS


def _of_a_role(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word may be one of those that say what a name is of."""
    token = tokens[at]
    known = token.form not in PREPOSITIONS | AUXILIARY | DETERMINERS | _NO_ROLE and not token.form[0].isdigit()
    return token.word and not token.inner and known and (not token.capital or at == 0) and not is_finite(tokens, at)


def _of_kind(tokens: Sequence[Token], noun: int, end: int) -> Sought | None:
    """`Which town` for `the town of Birkstad`."""
    if noun < 1 or tokens[noun - 1].form != "the":
        return None
    first = noun - 1
    preposition = first > 0 and tokens[first - 1].form in PREPOSITIONS
    fronted = preposition and tokens[first - 1].form in _FRONTED
    front = tokens[first - 1].start if fronted else STAYS if preposition else tokens[first].start
    return Sought(tokens[first].start, end, f"which {tokens[noun].form}", front, what=False)


def _titled(tokens: Sequence[Token], at: int, end: int) -> Sought | None:
    """`Which councillor` for `Councillor Roe`, `who` for `Mr Roe`."""
    title = tokens[at]
    if at and (tokens[at - 1].capital or tokens[at - 1].form in {",", "and", "or"} | PREPOSITIONS):
        return None
    start = title.start
    if at and tokens[at - 1].form in _ARTICLES:
        start = tokens[at - 1].start
    elif at and tokens[at - 1].word and not is_finite(tokens, at - 1):
        return None
    words = "who" if title.form.rstrip(".") in _PLAIN_TITLES else f"which {title.form}"
    return Sought(start, end, words, start, what=False)


def _noun(text: str, span: tuple[int, int], tokens: Sequence[Token], article: int | None) -> Sought | None:
    """`Which trial` for `the Oakfen trial`, `which clinic` for `Thornmead Clinic`."""
    start, end = span
    words = text[start:end].split()
    behind = [at for at, token in enumerate(tokens) if token.start >= end]
    kind = ""
    if behind and text[end : tokens[behind[0]].start].isspace():
        noun = tokens[behind[0]]
        after = tokens[behind[1]].form if len(behind) > 1 else ""
        ends = (
            not after or not after[0].isalpha() or after in PREPOSITIONS | AUXILIARY or past(after) or third(after, "")
        )
        verb = past(noun.form) or is_finite(tokens, behind[0]) or noun.form.endswith("ly")
        known = noun.form in _KINDS or (article is not None and not verb)
        if noun.word and noun.form not in PREPOSITIONS | AUXILIARY | _NO_ROLE and known and ends:
            kind, end = noun.form, noun.end
        elif article is not None and noun.word and noun.form not in PREPOSITIONS | AUXILIARY and not verb:
            return None  # a compound
    if not kind and len(words) > 1 and words[-1].casefold() in _KINDS:
        kind = words[-1].casefold()
    if not kind:
        return None
    first = tokens[article].start if article is not None else start
    at = last_before(tokens, first)
    preposition = at >= 0 and tokens[at].form in PREPOSITIONS
    fronted = preposition and tokens[at].form in _FRONTED
    front = tokens[at].start if fronted else STAYS if preposition else first
    return Sought(first, end, f"which {kind}", front, what=False)


def _goes_with(following: Token, text: str, end: int) -> bool:
    """Whether a word behind a name is its verb, or an adverb before one."""
    tokens = tokenize(text)
    at = next(at for at, token in enumerate(tokens) if token.start >= end)
    adverb = following.form.endswith("ly") or following.form in _NO_ROLE
    return may_be_finite(tokens, at, at - 1) or following.form in AUXILIARY | PREPOSITIONS or adverb


def _by_kind(  # noqa: PLR0911 - one exit a shape
    text: str, span: tuple[int, int], before: Token | None, following: Token | None
) -> Sought | None:
    value, after = text[span[0] : span[1]], text[span[1] :]
    person = (following is not None and following.form in DEEDS) or _PERSONAL.match(after) is not None
    place = before is not None and before.form in _PLACED and not value.isupper()
    if before is None and following is not None and following.word and not _goes_with(following, text, span[1]):
        return None  # `Boolean algebra is`
    if following is not None and following.form == "," and not (before is None and _ASIDE.match(after)):
        return None
    if before is None or before.form not in PREPOSITIONS:
        return Sought(*span, "who" if person else "who or what", span[0])
    if before.form == "by":
        return Sought(*span, "whom or what", before.start, what=False)
    plain = following is None or not following.word or following.form in PREPOSITIONS
    if not place or not plain:
        return None
    if before.form in _WHERE and _SITED.search(text[: before.start]):
        return Sought(before.start, span[1], "where", before.start, what=False)
    return Sought(*span, "which place", before.start, what=False)
