"""A simple English clause taken apart: what opens it, its subject, its verb and the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.questions.clauses import BREAKS, OPENS, VAGUE, Common, lowered
from trail_callbacks.canary.questions.verbs import finite_verb
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.language.values import EXACT, quantities
from trail_callbacks.splitting.words import (
    AUXILIARY,
    DETERMINERS,
    PREPOSITIONS,
    Token,
    base,
    clear_past,
    first_verb,
    is_finite,
    opens_phrase,
    past,
    tokenize,
)

__all__ = ["Main", "instructs", "main_clause"]

_ACTIVE: Final = vocabulary("said thought told felt heard got meant understood won lost")  # hardly ever behind a noun
_BETWEEN: Final = vocabulary("also now still then often usually")
_TOLD: Final = vocabulary(
    """add allow apply avoid bake beat brush check chill choose clean click combine cook cool cover cut drain dry enter
    fill fry grill heat insert keep leave let mix move open peel place plant pour preheat press put reduce refrigerate
    remove repeat rest rinse roast sand season select simmer sprinkle stir store take transfer turn use wait wash"""
)
_QUANTIFIERS: Final = vocabulary(
    """half most some many few several all none each one two three four five six seven eight nine ten more less fewer
    rest"""
)
_PASSIVE: Final = frozenset({"be", "been", "being"})
_RELATIVE: Final = frozenset({"who", "which", "that"})
_TIMED: Final = frozenset({"in", "on", "by", "since", "during", "until", "at", "from", "before", "after"})
_PERIODS: Final = frozenset({"last", "this", "that", "each", "every", "next"})
_PERIOD: Final = vocabulary(
    "year month week day winter summer spring autumn season quarter term night evening morning time"
)
_ADVERB: Final = 3  # words of what opens a sentence with an adverb
_OPENING: Final = 60  # characters in which a time opens a sentence
_SUBJECT: Final = 14  # words


@dataclass(frozen=True, slots=True)
class Main:
    """A simple clause, taken apart.

    Attributes:
        opening: What stands before its subject, with its comma if it is a clause: `If it rains,`; may be empty.
        subject: Its subject, as inside a sentence; `you` of an instruction.
        adverb: What stands between subject and verb.
        verb: Its finite verb, as written.
        rest: What follows the verb.
        instruction: Whether it tells somebody to do something.
    """

    opening: str
    subject: str
    adverb: str
    verb: str
    rest: str
    instruction: bool = False

    def around(self, question: str) -> str:
        """A question with the opening in its place: a clause before it, a phrase behind it unless commas part it."""
        if not self.opening:
            return question
        if self.opening.endswith(","):
            return f"{self.opening[:1].upper()}{self.opening[1:]} {question[:1].lower()}{question[1:]}"
        if "," in question:
            return f"{self.opening[:1].upper()}{self.opening[1:]}, {question[:1].lower()}{question[1:]}"
        return f"{question} {self.opening}"


def main_clause(text: str, common: Common, end: int | None = None) -> Main | None:
    """Takes a simple English clause apart; None where subject and verb are not sure.

    Args:
        text: The clause.
        common: Tells whether a word that begins with a capital is also written without.
        end: Where what is looked at ends; what follows still tells verbs from nouns. None is the end of the text.
    """
    tokens = tokenize(text)
    stop = len(tokens)
    if end is not None:
        stop = next((at for at, each in enumerate(tokens) if each.start >= end), stop)
    found = _opened(text, tokens)
    if found is None or found >= stop:
        return None
    first = found
    opening = lowered(text[: tokens[first].start].strip(), common) if first else ""
    if tokens[0].form not in OPENS:
        opening = "" if tokens[0].form.endswith("ly") else opening.rstrip(" ,")
    if tokens[first].form in AUXILIARY:
        return None  # `do not cut the loaf`
    verb = finite_verb(tokens, first, stop)
    text = text[:end].rstrip()
    if verb is None:
        return _instruction(text, tokens[:stop], first, opening)
    relative = next((at for at in range(first + 1, verb) if tokens[at].form in _RELATIVE), None)
    verb = _of_the_main(tokens, verb, relative, stop)
    if verb is None or not first < verb <= first + _SUBJECT:
        return None
    last = tokens[verb - 1]
    end = verb - 1 if relative is None and (last.form.endswith("ly") or last.form in _BETWEEN) else verb
    if end == first or not _plain(tokens[first : verb if relative is None else relative]):
        return None
    return Main(
        opening,
        lowered(text[tokens[first].start : tokens[end - 1].end], common),
        text[tokens[end - 1].end : tokens[verb].start].strip(),
        tokens[verb].written,
        text[tokens[verb].end :].strip(),
    )


def _of_the_main(tokens: Sequence[Token], verb: int, relative: int | None, stop: int) -> int | None:
    """The verb of the main clause, if the first one is a participle or of a clause inside the subject."""
    found: int | None = _behind_participle(tokens, verb)
    if found is not None and found < stop and relative is not None:  # `visitors who missed the boat paid`
        found = finite_verb(tokens, found + 1, stop)
        if found is not None and tokens[found - 1].form in AUXILIARY | _PASSIVE:  # `that can be split is`
            found = finite_verb(tokens, found + 1, stop)
        if found is not None and any(token.form in BREAKS | OPENS for token in tokens[relative + 1 : found]):
            return None
    return found if found is not None and found < stop else None  # else `a copy made by ... will travel`


def _opened(text: str, tokens: Sequence[Token]) -> int | None:  # noqa: PLR0911 - one exit an opening
    """Index of the first word behind what stands before the subject; None if that has no clear end."""
    if not tokens:
        return None
    comma = next((at for at, token in enumerate(tokens) if token.form == ","), None)
    if comma is not None and comma <= _ADVERB and tokens[0].form.endswith("ly"):
        return comma + 1
    if tokens[0].form in _PERIODS and len(tokens) > _ADVERB and tokens[1].form in _PERIOD:
        return _ADVERB if tokens[2].form == "," else 2
    if tokens[0].form not in PREPOSITIONS | OPENS | {"according"}:
        return 0
    if (timed := _time(text, tokens)) is not None:
        return timed
    if comma is None or (tokens[0].form in OPENS and first_verb(tokens, 0, comma) is None):
        return None
    return comma + 1


def _time(text: str, tokens: Sequence[Token]) -> int | None:
    """Index of the first word behind a time that opens a sentence without a comma: `In May 2023 the ferry ...`."""
    if tokens[0].form not in _TIMED:
        return None
    end = tokens[0].end
    for each in quantities(text[:_OPENING]):
        if each.kind in EXACT and 0 < each.start - end <= 2:  # noqa: PLR2004 - `, `
            end = each.end
    if end == tokens[0].end:
        return None
    following = next((at for at, token in enumerate(tokens) if token.start >= end), None)
    if following is None or not tokens[following].word:
        return None
    subject = tokens[following]
    return following if subject.form in DETERMINERS or subject.capital or subject.form[0].isdigit() else None


def _behind_participle(tokens: Sequence[Token], verb: int) -> int:
    """The auxiliary behind what only looks like a finite verb: `Bicycles carried on a rack are insured`."""
    form = tokens[verb].form
    if form in AUXILIARY | _ACTIVE or not past(form) or clear_past(form):
        return verb
    led = verb + 1 < len(tokens) and tokens[verb + 1].form == "by"  # `a petition started by Ada Finch gathered`
    for at in range(verb + 1, min(len(tokens), verb + _SUBJECT)):
        if tokens[at].form in BREAKS | OPENS:
            break
        if (tokens[at].form in AUXILIARY or (led and at > verb + 1)) and is_finite(tokens, at):
            return at
    return verb


def _instruction(text: str, tokens: Sequence[Token], first: int, opening: str) -> Main | None:
    if len(tokens) < first + 2 or not (base(tokens[first].form) or tokens[first].form in _TOLD):
        return None
    verb, following = tokens[first], tokens[first + 1]
    if not (opens_phrase(following.form, prepositions=True) or tokens[first].form in _TOLD):
        return None
    if following.form[0].isdigit() and tokens[first].form not in _TOLD:
        return None  # `Line 74`
    return Main(opening, "you", "", verb.written.lower(), text[verb.end :].strip(), instruction=True)


def instructs(tokens: Sequence[Token]) -> bool:
    """Tells whether a sentence begins with what somebody is told to do."""
    return bool(tokens) and tokens[0].form in _TOLD


def _plain(words: Sequence[Token]) -> bool:
    """Whether words are a subject that says what it is."""
    if words[0].form in VAGUE | {"and", "please"} or (len(words) == 1 and words[0].form in _QUANTIFIERS):
        return False
    if any(word.form in VAGUE | {"you"} - {"its", "their", "his", "her", "that", "such"} for word in words[1:]):
        return False  # `sometimes you`
    return all(map(_of_a_phrase, words))


def _of_a_phrase(token: Token) -> bool:
    """Whether a word may stand in a plain subject."""
    return (
        not token.inner and token.form not in BREAKS - {"and"} and (token.word or token.form in "'-/&.%$\u20ac\u00a3")
    )
