"""Where an English sentence comes apart into clauses that each hold by themselves.

A sentence is cut only where nothing before the cut can reach over it: no condition, no report, no denial, no relative
clause, no quotation, no bracket. Where a part leaves out its subject (`was founded in 1990 and employs 300 people`),
the words of the subject go before it. In doubt a sentence stays whole: a part that the answer does not state is worse
than a claim that states two things.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from trail_callbacks.language.speech import declines
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting.marks import clean
from trail_callbacks.splitting.words import (
    AUXILIARY,
    DETERMINERS,
    MODAL,
    PREPOSITIONS,
    Token,
    base,
    clear_past,
    first_verb,
    is_finite,
    opens_phrase,
    past,
    third,
    tokenize,
)

_LONGEST = 2000  # characters; a longer sentence is a text without full stops, and no rule here was made for it
_SUBJECT = 12  # words
_PHRASE = 7  # words of a subject behind a conjunction
_CLAUSE = 3  # words a clause has at least
_REACHING = vocabulary(  # what reaches over everything behind it
    """if when whenever while although though because since unless before after once until whether that which who
    whom whose where what how why said says say saying believe believes believed claim claims claimed report
    reports reported argue argues argued think thinks thought either neither both only provided assuming so than
    mentions mention mentioned states stated suggests suggest suggested according notes noted"""
)
_CONDITIONS = vocabulary("if unless until when whenever once provided")
_DENIALS = vocabulary("no none never nor few hardly rarely")
_ADVERBS = vocabulary(
    "also then later now still already often usually typically generally currently subsequently sometimes even never"
)
_PRONOUNS = vocabulary("it they he she")
_EXPLETIVES = vocabulary("there here")
_NO_SUBJECT = _REACHING | _EXPLETIVES | {"and", "or"}
_LINKS = vocabulary("and but while whereas however")
_IN_SUBJECT = vocabulary(", ( ) - / & % $ '")


@dataclass(frozen=True, slots=True)
class Part:
    """A clause of a sentence: `sentence[start:end]`.

    Attributes:
        start: Offset in the sentence.
        end: Offset after it.
        before: The words that it shares with an earlier part, to be read before its own.
        pronoun: Whether its subject is a pronoun: it stands alone only if that can be resolved.
    """

    start: int
    end: int
    before: str = ""
    pronoun: bool = False


def parts(sentence: str) -> list[Part]:
    """Cuts an English sentence that states something into clauses.

    Returns:
        The parts in order; one that spans the sentence where no cut is safe.
    """
    whole = [Part(0, len(sentence))]
    if len(sentence) > _LONGEST:
        return whole
    tokens = tokenize(sentence)
    found = [part for first, last in _independent(tokens) for part in _cuts(sentence, tokens[first:last])]
    if len(found) < 2:  # noqa: PLR2004 - uncut
        return whole
    found[-1] = Part(found[-1].start, len(sentence), found[-1].before, found[-1].pronoun)
    return [Part(0, found[0].end), *found[1:]]


def _independent(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Ranges of tokens between semicolons, or around a colon, where all are clauses; in `Paris; Rome` they are not."""
    marks = [at for at, token in enumerate(tokens) if token.form == ";" and not token.inner] or _colon(tokens)
    ranges = [(a + 1, b) for a, b in pairwise([-1, *marks, len(tokens)])]
    yield from ranges if all(_is_clause(tokens[a:b]) for a, b in ranges) else [(0, len(tokens))]


def _colon(tokens: Sequence[Token]) -> list[int]:
    marks = [at for at, token in enumerate(tokens) if token.form == ":" and not token.inner]
    if len(marks) != 1 or _forms(tokens[: marks[0]]) & _REACHING:
        return []
    clear = marks[0] > _CLAUSE and first_verb(tokens, 0, marks[0]) is not None
    return marks if clear and _own_verb(tokens[marks[0] + 1 :]) is not None else []


def _is_clause(tokens: Sequence[Token]) -> bool:
    words = [token for token in tokens if token.word]
    return len(words) >= _CLAUSE and (base(words[0].form) or first_verb(tokens) is not None)


def _forms(tokens: Sequence[Token]) -> set[str]:
    return {token.form for token in tokens}


def _cuts(sentence: str, tokens: Sequence[Token]) -> Iterator[Part]:
    """The parts of a stretch between semicolons, from left to right, with the subject that each shares."""
    first, before, pronoun = 0, "", False
    for at in range(1, len(tokens) - 1):
        left = at - 1 if tokens[at - 1].form == "," else at
        if tokens[at].inner or tokens[at].form not in _LINKS or left <= first:
            continue
        cut = _cut(sentence, tokens[first:left], tokens[at].form, tokens[at + 1 :], before, comma=left < at)
        if cut is not None:
            yield Part(tokens[first].start, tokens[left - 1].end, before, pronoun)
            first, (before, pronoun) = at + 1, cut
    if first < len(tokens):
        yield Part(tokens[first].start, tokens[-1].end, before, pronoun)


def _cut(
    sentence: str, left: Sequence[Token], form: str, right: Sequence[Token], before: str, *, comma: bool
) -> tuple[str, bool] | None:
    """Decides about a cut: the subject that what follows shares with `left`, and whether its own is a pronoun."""
    has = first_verb(left)
    if (has is None and not before) or _forms(right) & _CONDITIONS:
        return None
    if form in {"but", "however"} and comma and first_verb(right) is not None:
        said, rest = (clean(sentence[each[0].start : each[-1].end]) for each in (left, right))
        if declines(said) and not declines(rest):
            return "", False
    if has is None or left[0].form in PREPOSITIONS or _forms(left) & _REACHING:
        return None
    if (comma or form in {"and", "but", "however"}) and _stands_alone(left, right, has, form, comma=comma):
        return "", right[0].form in _PRONOUNS
    if form not in {"and", "but"} or not _shares(left, right, has):
        return None
    subject = before or _subject(sentence, left[:has])
    return (subject, False) if subject else None


def _subject(sentence: str, words: Sequence[Token]) -> str:
    """The words before the first verb, where they are surely its subject."""
    if not 0 < len(words) <= _SUBJECT or words[0].form in _EXPLETIVES or not words[0].word:
        return ""
    commas = sum(token.form == "," for token in words)
    apposition = commas == 2 and words[-1].form == ","  # noqa: PLR2004 - one on each side
    odd = any(not token.word and token.form not in _IN_SUBJECT for token in words)
    if (commas and not apposition) or words[-1].form in PREPOSITIONS or odd:
        return ""
    words = words[:-1] if words[-1].form in _ADVERBS else words
    return clean(sentence[words[0].start : words[-1].end]) if words else ""


def _stands_alone(left: Sequence[Token], right: Sequence[Token], has: int, form: str, *, comma: bool) -> bool:
    """Whether what follows is a clause with a subject of its own."""
    verb = _own_verb(right, bare=comma)
    if verb is None:
        return False
    listing = any(token.form == "," and not token.inner for token in left)
    if listing and past(left[has].form) and not clear_past(left[has].form):
        return False  # `The firm founded by A, B, and C was sold`
    if not comma and right[0].form not in _PRONOUNS:
        singular = right[verb].form in {"is", "was", "has"} or third(right[verb].form, right[verb + 1].form)
        steady = right[0].form in DETERMINERS and left[-1].form not in PREPOSITIONS
        if not (steady and (singular or form == "but")):
            return False
    return not (left[-1].form in AUXILIARY and is_finite(left, len(left) - 1))


def _shares(left: Sequence[Token], right: Sequence[Token], has: int) -> bool:
    """Whether what follows is a verb phrase that shares the subject of `left`, and surely finite by itself."""
    verb = 0
    while verb < len(right) and right[verb].form in _ADVERBS:
        verb += 1
    before, last = _forms(left), left[-1].form
    later = [at for at in range(has + 1, len(left)) if is_finite(left, at)]
    hanging = any(not past(left[at].form) for at in later)  # the second verb may belong to another clause
    unfinished = len(left) - 1 in {has, *later} or last in PREPOSITIONS | DETERMINERS  # `owns and operates the plant`
    if verb + 2 > len(right) or not is_finite(right, verb) or before & _DENIALS or hanging or unfinished:
        return False
    form, following = right[verb].form, right[verb + 1].form
    if form in AUXILIARY or following in AUXILIARY:
        bare = form in {"have", "do", "are", "were"} and (before & MODAL or "to" in before)
        return form in AUXILIARY and not bare
    if not past(form):
        return not before & (MODAL | {"to", "do", "does", "did", "have"}) or third(form, "the")
    if not opens_phrase(following) and following not in PREPOSITIONS and not following.endswith("ly"):
        return False
    active = past(left[has].form) and not before & AUXILIARY
    return clear_past(form) or (active and following != "by" and first_verb(right, verb + 1) is None)


def _own_verb(tokens: Sequence[Token], *, bare: bool = True) -> int | None:
    """Finds the verb of a clause that begins with its subject; `bare` allows a subject without a determiner."""
    first = 0
    while first < len(tokens) and tokens[first].form in _ADVERBS:
        first += 1
    verb = first_verb(tokens, first, min(len(tokens), first + _PHRASE + 1))
    if verb is None or verb == first or verb + 1 >= len(tokens):
        return None
    subject, opening = tokens[first:verb], tokens[first]
    if not all(token.word and not token.inner for token in subject):
        return None
    linking = opening.form == "that" and len(subject) > 1 and subject[1].form in DETERMINERS  # `and that the dish is`
    if linking or _forms(subject[1:]) & _NO_SUBJECT:
        return None
    amount = opening.form == "as" and subject[-1].form in {"many", "much"}
    opens = amount or opening.form in DETERMINERS | _PRONOUNS or opening.capital or opening.written[0].isdigit()
    bare = bare and len(subject) <= 3 and opening.form not in PREPOSITIONS | _REACHING  # noqa: PLR2004 - a few words
    form = tokens[verb].form
    if not (opens or bare) or form in AUXILIARY or not past(form):
        return verb if opens or bare else None
    later = first_verb(tokens, verb + 1)
    linked = later is None or not _forms(tokens[verb + 1 : later]).isdisjoint(_REACHING | {"and", "but"})
    return verb if linked and tokens[verb + 1].form != "by" and (opens or clear_past(form)) else None
