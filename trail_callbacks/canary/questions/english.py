"""English questions by five patterns, where grammar is sure: the subject, `What is`, an auxiliary, `do`, and a time.

Clauses and verbs are those of `splitting`; nothing here knows more of English than what asks for a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from trail_callbacks.canary.edit import Edit
from trail_callbacks.canary.questions.facts import OTHER, VALUE, Fact
from trail_callbacks.language.terms import stem, vocabulary
from trail_callbacks.language.values import quantities
from trail_callbacks.splitting.clauses import parts
from trail_callbacks.splitting.marks import clean
from trail_callbacks.splitting.references import Thread
from trail_callbacks.splitting.words import (
    AUXILIARY,
    DETERMINERS,
    MODAL,
    PREPOSITIONS,
    Token,
    base,
    first_verb,
    is_finite,
    past,
    tokenize,
)

__all__ = ["Lower", "asked", "inverted", "under", "vague"]

Lower: TypeAlias = Callable[[str], bool]
"""Tells whether a word that begins with a capital is also written without."""

_BE: Final = frozenset({"is", "are", "was", "were"})
_HAVE: Final = {"has": "does", "have": "do", "had": "did"}
_PRONOUNS: Final = vocabulary(
    "it he she they this that these those its his her their such both another others we i you them him here"
)
_BREAKS: Final = vocabulary(
    """and or but nor that who whom whose which what when where why how while if unless because although though whether
    as than so not no never only , ; : ( ) " """
)
_CONDITIONS: Final = vocabulary("if unless except provided only not never no until")
_STAYS: Final = vocabulary("after before later earlier ago more less older younger from ahead away times as old apart")
_ORDERED: Final = vocabulary(
    "first last next past same final initial previous following remaining other another every any per than times"
)
_MODIFIER: Final = re.compile(
    r"\s*\b(?:about|around|roughly|approximately|nearly|almost|over|under|exactly|some|up to|at (?:least|most)"
    r"|an estimated|a total of|as (?:many|much) as)\s*\Z",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r":\s|[,;(\u2013\u2014]|\s-\s|\s(?=(?:and|but|or|which|who|while|because|when|where|since)\s)"
)
_NUMBER: Final = re.compile(r"[^\w\s]?\d[\d.,\u00a0\u202f]*|[a-z]+(?:-[a-z]+)?\s+", re.IGNORECASE)
_TIMES: Final = {
    "year": "which year",
    "month": "which month",
    "weekday": "which day of the week",
    "month year": "which month and year",
    "clock": "what time",
    "": "what date",
}
_TIMED: Final = frozenset({"in", "on", "at", "since", "until", "by", "before", "after"})
_AMONG: Final = frozenset({"for", "within", "at"})  # prepositions that may open a question for an amount
_PRICED: Final = frozenset({"pounds", "euros", "dollars"})  # or a weight: `how much` asks for both
_NOUN: Final = 3  # words behind a number that are taken for what is counted
_SUBJECT: Final = 12  # words
_NEAR: Final = 14  # characters behind an auxiliary where a denial of it stands


@dataclass(frozen=True, slots=True)
class _Clause:
    """The clause that holds a value: what stands before and behind it."""

    left: str
    value: str
    right: str


def asked(fact: Fact, lower: Lower) -> Iterator[str]:
    """Yields questions for the value of a sentence, the most natural first; none where grammar is not sure.

    Args:
        fact: The sentence.
        lower: Tells whether a word that begins with a capital is also written without.
    """
    clause = _clause(fact)
    if clause is None:
        return
    left = _MODIFIER.sub(" ", clause.left).rstrip()
    before, behind = tokenize(left), tokenize(clause.right)
    last = before[-1].form if before else ""
    what, taken = _what(clause, fact.edit, behind)
    if what is None or last in _ORDERED | DETERMINERS or (behind and behind[0].form in _STAYS):
        return
    tail = _TAIL.search(clause.right, taken)
    end = len(clause.right) if tail is None else tail.start()
    rest = clause.right[taken:end].strip()
    if _CONDITIONS & {token.form for token in tokenize(clause.right[end:])}:
        return
    if last not in PREPOSITIONS:
        yield from _plain(what, _Clause(left, clause.value, rest), lower)
    elif last in (_TIMED if what in _TIMES.values() else _AMONG):
        what, left = f"{last} {what}", left[: before[-1].start].rstrip()
        if left:
            yield from _turned(what, _Clause(left, clause.value, rest), lower)
        else:  # `In 1932 the mayor opened the bridge`
            yield from _turned(what, _Clause(clause.right.lstrip(" ,"), "", ""), lower)


def inverted(text: str, at: int, lower: Lower) -> str | None:
    """Asks whether a statement is so: `The museum is open.` as `Is the museum open?`; None if grammar is not sure.

    Args:
        text: The sentence.
        at: Where its opposite differs: in another clause than the main one nothing is asked.
        lower: See `asked`.
    """
    part = next((each for each in parts(text) if each.start <= at < each.end), None)
    if part is None or vague(text):
        return None
    words = f"{part.before} {text[part.start : part.end]}".strip(" .!")
    main = _main(words, lower)
    if main is None or main.verb not in AUXILIARY or main.verb.endswith("n't"):
        return None
    near = part.start <= at <= part.start + words.find(main.rest) + _NEAR
    perfect = past(main.rest.partition(" ")[0]) or main.rest.startswith("been ")
    if not near or (main.verb in _HAVE and not perfect):
        return None
    return None if _TAIL.search(main.rest) else _sentence(main.verb, main.subject, main.rest)


def under(question: str, heading: str) -> str:
    """A question that says under which heading its answer stands."""
    return f'According to "{heading.rstrip(" .:")}", {question[:1].lower()}{question[1:]}'


def vague(text: str) -> bool:
    """Tells whether a sentence begins with a word that only what stands before it explains."""
    tokens = [token for token in tokenize(text[:200]) if token.word]
    forms = [token.form.partition("'")[0] for token in tokens[:6]]
    verb = first_verb(tokens) or 0
    if not forms or forms[0] in _PRONOUNS or "which" in forms[:2] or (verb and tokens[verb - 1].form in _PRONOUNS):
        return True
    named = next((at for at, token in enumerate(tokens[1:], 1) if token.capital or token.form in {"the", "a", "an"}), 6)
    return bool({"its", "his", "her", "their"} & set(forms[:named])) or bool({"this", "these", "those"} & set(forms))


def _clause(fact: Fact) -> _Clause | None:
    """The clause of a sentence that holds its value, with a name for a pronoun; None if it may not be asked about."""
    others = iter(fact.foreign)  # a question that keeps one of them is refused later
    left, sign, right = re.sub(OTHER, lambda _: clean(next(others)), fact.opened).partition(VALUE)
    value = clean(fact.said[0])
    if not sign or VALUE in right or not value:
        return None
    text, start, end = f"{left}{value}{right}", len(left), len(left) + len(value)
    for part in parts(text):
        if part.start <= start and end <= part.end:
            left, right = f"{part.before} {text[part.start : start]}".lstrip(), text[end : part.end]
            break
    if fact.before and left:
        thread = Thread()
        thread.observe(fact.before)
        named = thread.resolve(left + value + right)
        left = named.removesuffix(value + right) if named.endswith(value + right) else left
    right = right.rstrip(" .!;:,")
    return None if vague(left + value + right) else _Clause(left, value, right)


def _what(clause: _Clause, edit: Edit, behind: Sequence[Token]) -> tuple[str | None, int]:  # noqa: PLR0911 - one exit a kind
    """What asks for a value, with the noun that it counts, and how many characters behind it that noun takes."""
    found = quantities(clause.value)
    kinds = {each.kind for each in found}
    if not found:
        return "who or what", 0
    if kinds <= {"year", "month", "day", "weekday", "clock"}:
        return _TIMES.get(" ".join(sorted(kinds)), _TIMES[""]), 0
    if len(found) > 1 or found[0].within:
        return None, 0
    following = behind[0].form if behind else ""
    if edit.kind == "unit":  # its unit is another one in the twin
        return ("how long" if found[0].kind == "time" and following != "of" else None), 0
    if found[0].kind.startswith("money") or found[0].kind == "percent":
        part = (following == "of" and clause.left) or (behind and _is_noun(behind[0]))
        return (None if part else "what percentage" if found[0].kind == "percent" else "how much"), 0
    unit = _NUMBER.sub("", clause.value, count=1).strip()
    if unit in _PRICED and following != "of":
        return "how much", 0
    taken = 0
    for at, token in enumerate(behind[:_NOUN]):
        if not (_is_noun(token) if at or not unit else token.form == "of"):
            break
        taken = token.end
    noun = f"{unit}{clause.right[:taken]}".strip()
    counted = unit or noun
    sure = counted.replace(" ", "").isalpha() and counted.endswith(("s", "people"))
    return (f"how many {noun}", taken) if sure and not noun.endswith(" of") else (None, 0)


def _is_noun(token: Token) -> bool:
    return token.word and token.form.isalpha() and token.form not in PREPOSITIONS | AUXILIARY | DETERMINERS | _BREAKS


@dataclass(frozen=True, slots=True)
class _Main:
    """A simple clause, taken apart at its finite verb."""

    subject: str
    verb: str
    rest: str


def _main(text: str, lower: Lower, value: str = "") -> _Main | None:
    """Takes a clause apart; None where its subject is not surely all that stands before the verb.

    A value behind the clause tells its verb: `costs 14 pounds`.
    """
    known = tokenize(f"{text} {value}")
    tokens = [token for token in known if token.end <= len(text)]
    verb = first_verb(known, 0, len(tokens))
    if not verb or verb > _SUBJECT or not all(token.word for token in tokens[:verb]):
        return None
    if tokens[0].form in PREPOSITIONS or {token.form for token in tokens[:verb]} & _BREAKS:
        return None
    later = any(is_finite(known, at) for at in range(verb + 1, len(tokens)))
    form = tokens[verb].form
    if (
        past(form)
        and form not in AUXILIARY
        and (later or (tokens[verb + 1 : verb + 2] and tokens[verb + 1].form == "by"))
    ):
        return None  # `Bicycles carried on a rack are insured`
    subject = text[: tokens[verb].start].strip()
    first = tokens[0].written
    if first.istitle() and (tokens[0].form in DETERMINERS | {"there"} or lower(first)):
        subject = subject[:1].lower() + subject[1:]
    return _Main(subject, form, text[tokens[verb].end :].strip())


def _plain(what: str, clause: _Clause, lower: Lower) -> Iterator[str]:
    """Asks for a value without a preposition: the subject of its clause, or what stands behind the verb."""
    said = tokenize(clause.right)
    if what in _TIMES.values():
        return
    if clause.left:
        yield from _turned(what, clause, lower)
    elif said and is_finite(said, 0):
        yield _sentence(what, clause.right)


def _turned(what: str, clause: _Clause, lower: Lower) -> Iterator[str]:
    """Asks for what stands behind a clause: by an auxiliary, by `do`, or by `What is` where nothing stands between."""
    main, after = _main(clause.left, lower, clause.value), clause.right
    if main is None:
        return
    rest, named = tokenize(main.rest), what == "who or what"
    if {token.form for token in rest} & _BREAKS or (rest and rest[-1].form.endswith("ing")):
        return
    if rest and past(rest[-1].form) and not all(past(each.form) or each.form == "been" for each in rest):
        return  # `has proposed one for applications lodged from 2027`
    if any(is_finite(rest, at) and not past(token.form) for at, token in enumerate(rest)):
        return
    if main.verb in _BE and not rest and (named or not after):
        yield _sentence("what" if not what.startswith("who") else what, main.verb, main.subject, after)
    elif named:
        return
    elif main.verb in _BE | MODAL or (main.verb in _HAVE and rest and (past(rest[0].form) or rest[0].form == "been")):
        yield _sentence(what, main.verb, main.subject, main.rest, after)
    elif main.verb in _HAVE and not rest:
        yield _sentence(what, _HAVE[main.verb], main.subject, "have", after)
    elif (done := _done(main.verb)) is not None:
        yield _sentence(what, done[0], main.subject, done[1], main.rest, after)


def _done(form: str) -> tuple[str, str] | None:
    """How a verb is asked with: `takes` as `does take`; None if its base form is not certain."""
    for end, instead, helper in (("ies", "y", "does"), ("es", "", "does"), ("s", "", "does"), ("ied", "y", "did"),
                                 ("ed", "", "did"), ("ed", "e", "did")):  # fmt: skip
        if form.endswith(end) and base(found := form.removesuffix(end) + instead):
            return helper, found
    if past(form):
        found = next((each for each in (stem(form), f"{stem(form)}e") if base(each)), "")
        return ("did", found) if found else None
    return ("do", form) if base(form) else None


def _sentence(*words: str) -> str:
    text = " ".join(part for part in words if part).strip(" .,;:!")
    return f"{text[:1].upper()}{text[1:]}?"
