"""Values that are said or denied, and duties: `open` and `not open`, `yes` and `no`, `must` and `may`.

Two values that differ only in a denial, or in how binding a rule is, are compared by that alone, in sentences about the
same thing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Literal

from trail_callbacks.canary.outcomes.mention import Mention, Values
from trail_callbacks.canary.outcomes.reading import clauses, plain, sentence_spans
from trail_callbacks.canary.outcomes.refusing import refuses
from trail_callbacks.canary.outcomes.wording import alternatives, pattern
from trail_callbacks.canary.trial import How, Stated
from trail_callbacks.language.negation import negation
from trail_callbacks.language.terms import stem, terms

__all__ = ["Duties", "Polarities"]

_FLIPPED = {
    "closed": "open", "shut": "open", "geschlossen": "open", "fermé": "open", "fermée": "open", "cerrado": "open",
    "cerrada": "open", "chiuso": "open", "fechado": "open", "gesloten": "open", "offen": "open", "geöffnet": "open",
    "ouvert": "open", "ouverte": "open", "abierto": "open", "abierta": "open", "aperto": "open", "aberto": "open",
    "forbidden": "allowed", "prohibited": "allowed", "banned": "allowed", "permitted": "allowed", "barred": "allowed",
    "excluded": "included", "unavailable": "available", "inactive": "active", "disabled": "enabled",
    "absent": "present", "unsafe": "safe", "invalid": "valid", "illegal": "legal", "incorrect": "correct",
    "impossible": "possible", "unable": "able", "lacks": "has", "without": "with", "fails": "does", "failed": "did",
    "closes": "open", "shuts": "open", "forbids": "allowed", "prohibits": "allowed", "bans": "allowed",
    "forbid": "allowed", "prohibit": "allowed", "ban": "allowed", "disallow": "allowed", "disallows": "allowed",
    "disallowed": "allowed", "untersagt": "allowed", "verboten": "allowed", "interdit": "allowed",
    "interdite": "allowed", "prohibido": "allowed", "prohibida": "allowed", "vietato": "allowed",
    "vietata": "allowed", "proibido": "allowed", "förbjudet": "allowed", "forbudt": "allowed",
    "refused": "accepted", "rejected": "accepted",
}  # fmt: skip
_SAME = frozenset({"offen", "geöffnet", "ouvert", "ouverte", "abierto", "abierta", "aperto", "aberto", "permitted"})
_WORD = re.compile(r"[^\W\d_]+")
_QUOTED = re.compile(r"[\"\u201c\u201e\u00ab](.{3,600}?)[\"\u201d\u201c\u00bb]")
_EITHER = re.compile(r"\s*(?:,?\s(?:or|oder|ou|o|of|или|lub)\s|/)", re.IGNORECASE)
_RIGHT = frozenset({"yes", "true", "correct", "right", "ja", "oui", "sí", "sì", "sim", "tak", "да", "accurate"})
_BEHIND = re.compile(
    r"(?:^|(?<=[,;]\s))[^.!?\n,;]{1,80}?(?:[,:\u2013\u2014-]\s*|\b(?:is|'s|says?|said|lautet|est|es|è|é)\s|\bso\s)(?P<not>not\s)?"
    r"(?P<word>yes|no|true|false|correct|incorrect|right|wrong|accurate|inaccurate|ja|nein|oui|non|sí|sì|sim|não|nee|tak|nie|да|нет)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_OPEN = re.compile(r"(?<!\w)(?:whether|ob|si\s(?!no\b)|if)(?!\w)", re.IGNORECASE)
_APART = re.compile(  # `No.` and `Yes, ...`, but not `No mention`
    rf"\W*(?:{alternatives('yes apart')}|{alternatives('no apart')})\s*(?:[.,;:!\u2013\u2014]|$)", re.IGNORECASE
)
_PRONOUN = re.compile(
    r"(?:^|[\s,])(?:it|they|this|that|these|those)(?:'s|'re|\s(?:is|are|was|were|has|have|does|do|can|may|must|will|should)(?:not|n't)?)(?!\w)",
    re.IGNORECASE,
)
_MOST = 0.6  # of the words of a question that a clause about it has
_ECHO = re.compile(
    r"^\W*(?!no|some|other|neither)(?:(?:[\w'-]+\s){1,3}?(?:does|do|did|is|are|was|were|can|could|may|must|has|have|had|will|should)(?P<not>n't|\snot)?"
    r"(?:\sindeed)?(?=\s*(?:[.,;:!\u2013\u2014]|$)))",
    re.IGNORECASE,
)
_MINE = re.compile(r"(?<!\w)(?:i|we|(?:can|could|would)\syou)\s(?:\w+ly\s)?$", re.IGNORECASE)  # `I can't quote it`
_NEAR = 20  # characters before a word of duty
_SAME_START = 6  # letters of words of one family
_RULED_OUT = re.compile(r"\b(?:ruled\sout|out\sof\sthe\squestion|off\slimits)\b", re.IGNORECASE)
_OPENING = 120  # characters in which a plain yes or no stands
_DUTIES = ("forbidden", "optional", "advised", "required")


def _is_denial(text: str, language: str = "en") -> bool:
    """Tells whether a clause denies: an odd number of denials and of opposites (`closed`)."""
    said = len(negation(language, text.isascii()).findall(text))
    said += len(_RULED_OUT.findall(text))
    flipped = sum(word.casefold() in _FLIPPED and word.casefold() not in _SAME for word in _WORD.findall(text))
    return (said + flipped) % 2 == 1


def _shared(said: frozenset[str], about: frozenset[str]) -> int:
    """How many of the words of a question are said, in this or another form: `transferred` for `transferable`."""
    starts = {each[:_SAME_START] for each in said}
    return sum(each in said or (len(each) >= _SAME_START and each[:_SAME_START] in starts) for each in about)


def _stems(text: str) -> frozenset[str]:
    found = set()
    for term in terms(text):
        if term.kind == "function" or negation("en", term.form.isascii()).fullmatch(term.form):
            continue
        found.add(stem(_FLIPPED[term.form]) if term.form in _FLIPPED else term.stem)
    return frozenset(found)


class Polarities:
    """Compares values that differ in a denial only, or are yes and no.

    Args:
        values: The values; two of them.
        question: The question, to know what `yes` means.
    """

    how: How = "polarity"

    def __init__(self, values: Values, question: str) -> None:
        self.denied: dict[Stated, bool] = {}
        self.about: frozenset[str] = frozenset()
        first = {name: plain(forms[0]) for name, forms in values.items()}
        leads = {name: _lead(text) for name, text in first.items()}
        said = quoted[1] if (quoted := _QUOTED.search(question)) else question
        asked = _is_denial(said)
        self.duty = _duty(said)
        self.is_literal = all(lead is not None for lead in leads.values())
        if self.is_literal:
            self.denied = {name: (lead == "no") != asked for name, lead in leads.items()}
            self.about = _stems(pattern("source", words=True).sub(" ", said))
        elif len({_stems(text) for text in first.values()}) == 1 and _stems(next(iter(first.values()))):
            self.denied = {name: _is_denial(text) for name, text in first.items()}
            self.about = _stems(next(iter(first.values()))) | _stems(question)
        self.asked = asked
        self.named = frozenset(each for forms in values.values() for form in forms[1:] for each in _stems(form))
        closed = pattern("closed question", words=True).match(question.lstrip(" ¿"))
        self.is_closed = self.is_literal or closed is not None

    def __bool__(self) -> bool:
        return len(set(self.denied.values())) == 2 and len(self.denied) == 2  # noqa: PLR2004 - said and denied

    def find(self, text: str) -> Sequence[Mention]:
        """Finds what the answer says first: a `yes` or `no`, else a clause about the same thing."""
        if self.is_closed or len(text.split()) == 1:
            leads = self._leads(text)
            if leads:
                return leads
        if self.is_literal and (later := _later(text)):
            return self._all([Mention(self._value((word == "no") != self.asked), *span) for word, span in later])
        found = []
        for clause in clauses(text):
            said = text[clause.start : clause.end]
            stems = _stems(said)
            shared = _shared(stems, self.about | self.named)
            if not shared or clause.asks or refuses(said, rule=True) or _OPEN.search(said):
                continue
            if self.is_literal and not self._is_about(said, shared, stems):
                continue
            if (denied := self._denies(said)) is not None:
                found.append((shared, Mention(self._value(denied), clause.start, clause.end)))
        most = max((n for n, _ in found), default=0)
        return [mention for n, mention in found if n == most]

    def _leads(self, text: str) -> list[Mention]:
        """Every `yes` and `no` that opens a sentence: two that differ are both given."""
        found: list[Mention] = []
        for start, end in sentence_spans(text):
            said = text[start:end]
            lead = _lead(said) if _APART.match(said) or not refuses(said, rule=True) else None
            if lead is None and not found and _stems(said) & self.about:
                return []
            if lead is None or (start and not _APART.match(said) and not _ECHO.match(said)):
                continue
            first = next((m.end() for m in _WORD.finditer(text, start)), end)
            found.append(Mention(self._value((lead == "no") != self.asked), start, first))
            either = _EITHER.match(text, first)
            if len(found) == 1 and either is not None and (other := _lead(text[either.end() :])) not in {None, lead}:
                found.append(Mention(self._value((other == "no") != self.asked), either.end(), len(text)))
                break
        return self._all(found)

    @staticmethod
    def _all(found: list[Mention]) -> list[Mention]:
        """The first of some values, or all of them, joined, where they differ."""
        if len({each.value for each in found}) <= 1:
            return found[:1]
        return [replace(each, joined=(found[0].start, found[-1].end)) for each in found]

    def _is_about(self, said: str, shared: int, stems: frozenset[str]) -> bool:
        """Whether a clause speaks of what was asked: of most of its words, or of some with a word of duty."""
        return (
            shared >= _MOST * len(self.about)
            or _PRONOUN.search(said) is not None
            or (shared > 1 and bool(stems & self.named))
            or ((self.duty is not None or shared > 1) and _duty_words().search(said) is not None)
        )

    def reads(self, _: str, /) -> bool:
        """Never: what is said in other words is not known."""
        return False

    def _denies(self, said: str) -> bool | None:
        """Whether a clause denies: by its words, or, if it names another duty, as what was asked is not so then.

        None where a duty says nothing of a permission: `must stay outside`.
        """
        duty = _duty_words().search(said) if self.duty else None
        if duty is None or duty.lastgroup == self.duty:
            return _is_denial(said)
        if self.duty == "optional" and duty.lastgroup in {"advised", "required"}:
            return True if _is_denial(said) else None
        return _is_denial(f"{said[: duty.start()]} {said[duty.end() :]}") == self.asked

    def _value(self, denied: bool) -> Stated:
        return next(name for name, each in self.denied.items() if each == denied)


@cache
def _leads() -> re.Pattern[str]:
    yes, no = alternatives("yes"), alternatives("no")
    east = f"(?P<no2>{alternatives('no without blanks')})|(?P<yes2>{alternatives('yes without blanks')})"
    return re.compile(rf"^\W*(?:(?:(?P<yes>{yes})|(?P<no>{no}))(?![^\W_])|{east})", re.IGNORECASE)


def _lead(text: str) -> Literal["yes", "no"] | None:
    match = _leads().match(text)
    if match is None:
        return _echo(text)
    return "yes" if match["yes"] or match["yes2"] else "no"


def _echo(text: str) -> Literal["yes", "no"] | None:
    """A verb alone that repeats the question's: `It does.`, `The user can't; ...`."""
    match = _ECHO.match(text)
    return None if match is None else "no" if match["not"] else "yes"


def _later(text: str) -> list[tuple[Literal["yes", "no"], tuple[int, int]]]:
    """Plain `yes` and `no` behind a few words: `According to the documents, no`."""
    found: list[tuple[Literal["yes", "no"], tuple[int, int]]] = []
    for match in _BEHIND.finditer(text[:_OPENING]):
        right = (match["word"].casefold() in _RIGHT) != bool(match["not"])
        found.append(("yes" if right else "no", match.span()))
    return found


@cache
def _duty_words() -> re.Pattern[str]:
    parts = "|".join(f"(?P<{name}>{alternatives(name)})" for name in _DUTIES)
    return re.compile(rf"(?<!\w)(?:{parts})(?!\w)", re.IGNORECASE)


class Duties:
    """Compares rules by how binding they are.

    Args:
        values: The values; each names one duty.
    """

    how: How = "words"

    def __init__(self, values: Values) -> None:
        self.duty: dict[str, Stated] = {}
        named = {name: _duty(plain(forms[0])) for name, forms in values.items()}
        stems = [_stems(_duty_words().sub(" ", plain(forms[0]))) for forms in values.values()]
        if (
            all(named.values())
            and len(set(named.values())) == len(named)
            and all(s & stems[0] or s == stems[0] for s in stems)
        ):
            self.duty = {duty: name for name, duty in named.items() if duty}

    def __bool__(self) -> bool:
        return len(self.duty) > 1

    def find(self, text: str) -> Sequence[Mention]:
        """Finds the words of duty."""
        found = [
            match
            for match in _duty_words().finditer(text)
            if not _MINE.search(text[max(0, match.start() - _NEAR) : match.start()])
        ]
        return [Mention(self.duty.get(match.lastgroup or ""), *match.span()) for match in found]

    def reads(self, _: str, /) -> bool:
        """Never: what is said in other words is not known."""
        return False


def _duty(text: str) -> str | None:
    match = _duty_words().search(text)
    return match.lastgroup if match else None
