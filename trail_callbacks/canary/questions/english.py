"""English questions from English clauses: the question word in front where grammar is sure, else in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from trail_callbacks.canary.questions.amounts import HOW, MEASURES
from trail_callbacks.canary.questions.asked_for import STAYS, Sought
from trail_callbacks.canary.questions.clauses import (
    BREAKS,
    ENDS,
    Clause,
    Common,
    lowered,
)
from trail_callbacks.canary.questions.predicates import Main, main_clause
from trail_callbacks.canary.questions.verbs import SAME, base_form, may_be_finite
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.language.values import quantities
from trail_callbacks.splitting.words import (
    AUXILIARY,
    DETERMINERS,
    PREPOSITIONS,
    Token,
    base,
    first_verb,
    is_finite,
    past,
    tokenize,
)

__all__ = ["asked"]

_MORE_SAID: Final = re.compile(r",\s|\s(?:and|but|or|because|when|while|after|before)\s")
_BELONGS: Final = re.compile(
    r"of\s(?:the\s)?(?:[a-z-]+\s?){1,3}?(?=\s(?:in|on|at|for|to|from|by|with|a|per|during|and|or)\b|,|$)"
    r"|(?:who\s|(?:\w+ed|built|made|held|sold|taken|written)\s(?:in|by|on|at|between|from|for|with)\s)[^,]+$"
)
_PAIRED: Final = re.compile(r"\b(?:between|both|either|neither)\b(?!.*\b(?:and|or|nor)\b)")
_PARTICLES: Final = {(verb, "in") for verb in ("brings", "brought", "takes", "took", "bring", "take")}
_MONEY: Final = vocabulary("fee price rent fine cost charge fare deposit salary wage toll premium tax rate bill")
_PRICED: Final = re.compile(r"^how many (?:pounds|pence)$")
_PAID: Final = vocabulary("cost pay charge earn")
_MEASURED: Final = vocabulary("measure weigh total average")
_BE: Final = frozenset({"is", "are", "was", "were"})
_PARTICIPLES: Final = vocabulary(
    """been done grown shown taken given written become begun risen fallen seen known spoken broken chosen drawn driven
    eaten forgotten gone hidden stolen thrown worn run come not never also already"""
)
_CLAUSAL: Final = frozenset({"after", "before", "until", "till", "since"})
_ASIDE: Final = re.compile(r",\s([^,]+),\s(.+)")
_RELATIVE: Final = frozenset({"who", "which"})
_UNCLEAR: Final = frozenset({"it", "them", "why", "how", "what"})
_EXTENT: Final = tuple(f"{words} " for words in HOW.values())
_TIMES: Final = ("year", "date", "time", "month", "day", "long", "often")
_FIRST: Final = vocabulary("first also not only last later never once already always again fully partly recently")
_ADDED: Final = re.compile(  # another statement: `remains due, tuition does not`
    r",\s(?!(?:which|who|whose|where|when|while|and|but|or|as|if|because|since|although|though|so|after|before|including"
    r"|compared|most|\w+ing|\w+ed)\b)"
)


def asked(clause: Clause, what: Sought, common: Common) -> Iterator[str]:
    """Yields questions with the question word in front, the most natural first; none where grammar is not sure.

    Args:
        clause: The clause.
        what: What is asked for; offsets are of the clause's text.
        common: Tells whether a word that begins with a capital is also written without.
    """
    text = clause.text
    front = what.start if what.front == STAYS else what.front
    before, after = text[:front].strip(), text[what.end :].strip()
    preposition = text[front : what.start].strip()
    if not before:
        yield from _of_the_subject(clause, what, common)
        return
    if not preposition and (opening := _only_opens(text, what.start, common)) and _goes_on(tokenize(text), what.end):
        yield _sentence(Main(opening, "", "", "", "").around(_sentence(what.words, after).rstrip("?")))
        return
    after = _one_predicate(after)
    words = f"{preposition} {what.words}".strip()
    if belongs := _BELONGS.match(after):  # `how much rain`, `how many people who had cancelled`
        words, after = f"{words} {belongs[0].strip()}", after[belongs.end() :].strip()
    main = main_clause(text, common, front)
    if main is not None and not main.rest and (main.verb.lower(), preposition) in _PARTICLES:  # `entry brought in ...`
        words, after = what.words, f"{preposition} {after}".strip()
    rest = tokenize(main.rest) if main is not None else []
    listed = bool(preposition) and not (main is not None and quantities(main.rest))
    moved = main is not None and _is_one(rest, listed=listed) and not any(t.form in _UNCLEAR for t in rest)
    timed = any(word in what.words for word in _TIMES)
    if preposition and not timed and sum(token.form in PREPOSITIONS for token in rest) > 1:
        return  # what a third phrase belongs to is not sure
    dangling = preposition.casefold() in _CLAUSAL and first_verb(tokenize(after)) is not None  # `after four had a rash`
    dangling = dangling or after.startswith(("and ", "or ", ","))
    if main is not None and moved and what.front != STAYS and not dangling and (preposition or _is_object(main, words)):
        if what.what and (plain := _what_is(main, what.words, after)):
            yield plain
        yield from _fronted(words, main, after)
        short = _MORE_SAID.split(after, maxsplit=1)[0].strip()
        if short != after and not _PAIRED.search(short):
            yield from _fronted(words, main, short)


def _is_object(main: Main, words: str) -> bool:
    """Whether a value without a preposition belongs to the verb: not so in `got a wheel of cheese weighing 30 kg`."""
    rest = main.rest.casefold().split()
    if words.startswith("how long ago"):
        return True
    if rest and words.startswith(_EXTENT):
        return False
    if rest and words.startswith(("who", "what ", "how long")):
        return rest[-2:-1] == ["to"] or base(rest[-1])
    return not rest or not rest[-1].endswith("ing")


def _is_one(rest: Sequence[Token], *, listed: bool) -> bool:
    """Whether what follows a verb has no clause of its own; a list of things is none."""
    for at, token in enumerate(rest):
        if token.form not in BREAKS:
            continue
        if not listed or token.form not in {",", "and", "or"} or at + 1 == len(rest):
            return False
        if base(rest[at + 1].form) or rest[at + 1].form.endswith("ing") or may_be_finite(rest, at + 1, max(0, at - 1)):
            return False
        if any(token.form in AUXILIARY for token in rest[at + 1 :]):
            return False
    return True


def _of_the_subject(clause: Clause, what: Sought, common: Common) -> Iterator[str]:
    """Asks for what a clause begins with, its subject or a phrase before it."""
    text, after = clause.text, clause.text[what.end :].strip()
    preposition = text[: what.start].strip()
    if preposition:
        if (main := main_clause(after.lstrip(", "), common)) and not main.opening:
            yield from _fronted(f"{preposition.lower()} {what.words}", main, "")
    elif aside := _ASIDE.match(text, what.end):
        yield from _beside(what.words, aside)
    elif _goes_on(tokenize(text), what.end):
        added = next((each for each in _ADDED.finditer(after) if first_verb(tokenize(after[each.end() :]))), None)
        yield _sentence(what.words, after[: added.start()] if added else after)


def _beside(words: str, aside: re.Match[str]) -> Iterator[str]:
    """Asks for the subject of `Wilma Sarn, who directs the dig, suggests that ...`, without what stands between."""
    between, after = aside[1], aside[2]
    relative = between.partition(" ")
    words = "who" if relative[0] == "who" and words == "who or what" else words
    said = tokenize(after)
    if said and may_be_finite(said, 0, 0):
        yield _sentence(words, after)
    if relative[0] in _RELATIVE and (told := tokenize(relative[2])) and may_be_finite(told, 0, 0):
        yield _sentence(words, relative[2])


def _one_predicate(after: str) -> str:
    """What follows a value, without a second predicate: `by workers and still plays there`."""
    tokens = tokenize(after)
    for at, token in enumerate(tokens[:-1]):
        if token.form in {"and", "but"} and not token.inner:
            verb = (
                at + 2 if tokens[at + 1].form in {"still", "now", "then", "also"} and at + 2 < len(tokens) else at + 1
            )
            if is_finite(tokens, verb) and not past(tokens[verb].form):
                return after[: token.start].strip(" ,")
    return after


def _goes_on(tokens: Sequence[Token], end: int) -> bool:
    """Whether a verb follows soon, so that what stands before it is the subject."""
    behind = [at for at, token in enumerate(tokens) if token.start >= end]
    if behind and may_be_finite(tokens, behind[0], behind[0] - 1):
        return True
    verb = first_verb(tokens, behind[0]) if behind else None
    return verb is not None and not any(token.form in BREAKS for token in tokens[behind[0] : verb])


def _only_opens(text: str, start: int, common: Common) -> str:
    """What stands before a value that is the subject, if it is a phrase without a verb: `by September`."""
    opening = text[:start].strip()
    if "," in opening and not opening.endswith(","):
        return ""  # `In a trial in 23 schools, classes using the ...`
    tokens = tokenize(opening)
    plain = not any(is_finite(tokens, at) or token.form in BREAKS - {","} for at, token in enumerate(tokens))
    if not plain or not tokens or tokens[0].form not in PREPOSITIONS or tokens[-1].form in PREPOSITIONS | DETERMINERS:
        return ""
    return lowered(opening.rstrip(" ,"), common)


def _what_is(main: Main, words: str, after: str) -> str | None:
    """`The capital of Norland is` as `What is the capital of Norland?`."""
    form = main.verb.lower()
    if main.rest or main.subject.lower() == "there" or words.startswith(("which", "on ", "at ", "how many")):
        return None
    if form in _BE and (not after or (tokenize(after)[0].form in PREPOSITIONS and not _MORE_SAID.search(after))):
        measured = not words.startswith(("how", "what ")) or MEASURES & set(main.subject.casefold().split())
        asks = "who" if words == "who" else "what" if measured else words
        return _sentence(main.around(f"{asks} {main.verb} {main.subject} {after}"))
    found = base_form(form)
    if found is not None and found[1] in _MEASURED and words.startswith("what ") and not after:
        return _sentence(main.around(f"what {found[0]} {main.subject} {found[1]}"))
    return None


def _fronted(words: str, main: Main, after: str) -> Iterator[str]:
    """The question word in front, with an auxiliary or a form of `do` before the subject."""
    form = main.verb.casefold().replace("\u2019", "'")
    rest = main.rest.casefold().split()
    found = base_form(form) or _unchanged(form, main.subject)
    helper = [main.verb, main.subject, main.adverb]
    if main.instruction:
        verb = ["should you", form]
    elif form in {"has", "have", "had"} and not (rest and (past(rest[0]) or rest[0] in _PARTICIPLES)):
        verb = [{"has": "does", "have": "do", "had": "did"}[form], *helper[1:], "have"]
    elif _is_odd(words, form, rest) or form.endswith("n't") or form in {"cannot", "do", "does", "did"}:
        return
    elif form in AUXILIARY:
        money = form in _BE and _MONEY & set(main.subject.casefold().split())
        words, verb = (_PRICED.sub("how much", words) if money else words), helper
    elif found is not None:
        words = words.replace("how many pounds", "how much") if found[1] in _PAID else words
        verb = [found[0], *helper[1:], found[1]]
    else:
        return
    yield _sentence(main.around(" ".join(part for part in (words.strip(), *verb, main.rest, after) if part)))


def _is_odd(words: str, form: str, rest: Sequence[str]) -> bool:
    """Whether a phrase belongs to the last noun of a clause and not to its verb."""
    if form in _BE and len(rest) > 1 and past(rest[-1]) and not (past(rest[0]) or rest[0] in _FIRST):
        return True  # `A great example is Crater Lake located in Oregon`
    if form in _BE and rest and words.startswith("with "):
        return not _is_passive(form, rest)  # `the warmest day was 19 July with 36 degrees`
    return words.startswith("by ") and "who" in words and not _is_passive(form, rest)  # `a machine by Alba`


def _is_passive(form: str, rest: Sequence[str]) -> bool:
    """Whether something is done to the subject: `was opened`, `may be opened`."""
    return (form in _BE or bool({"be", "been"} & {*rest})) and any(map(past, rest))


def _unchanged(form: str, subject: str) -> tuple[str, str] | None:
    """The past of a verb that looks like its present, behind one thing: `the building cost`."""
    words = subject.split()
    head = next((words[at - 1] for at, word in enumerate(words) if at and word in PREPOSITIONS), words[-1])
    one = head[-1:] != "s" and " and " not in subject
    return ("did", form) if one and form in SAME else None


def _sentence(*words: str) -> str:
    text = " ".join(part for part in words if part).strip(ENDS)
    text = re.sub(r"\s+([,.;:!?])", r"\1", text.strip())
    return f"{text[:1].upper()}{text[1:]}?"
