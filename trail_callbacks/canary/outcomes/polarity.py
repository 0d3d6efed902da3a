"""Values that are said or denied, and duties: `open` and `not open`, `yes` and `no`, `must` and `may`.

Two values that differ only in a denial, or in how binding a rule is, are compared by that alone, in sentences about the
same thing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from trail_callbacks.canary.outcomes.reading import alternatives, clauses, pattern, plain
from trail_callbacks.canary.outcomes.values import ValueForms, ValueMatcher, ValueMention
from trail_callbacks.canary.trial import How, Stated
from trail_callbacks.language.speech import negation, withholds
from trail_callbacks.language.terms import stem, terms
from trail_callbacks.text import sentences

_OPPOSITES = {
    "open": "closed shut closes shuts geschlossen fermé fermée cerrado cerrada chiuso fechado gesloten",
    "allowed": """forbidden prohibited banned barred forbids prohibits bans forbid prohibit ban disallow disallows
        disallowed untersagt verboten interdit interdite prohibido prohibida vietato vietata proibido""",
    "included": "excluded", "available": "unavailable", "possible": "impossible", "correct": "incorrect",
    "has": "lacks", "with": "without", "accepted": "refused rejected",
}  # fmt: skip
_MEANT = {word: meant for meant, listed in _OPPOSITES.items() for word in listed.split()}
_WORD = re.compile(r"[^\W\d_]+")
_ECHO = re.compile(  # `It does.`, `The user can't; ...`
    r"^\W*(?!no|some|other|neither)(?:[\w'-]+\s){1,3}?(?:does|do|did|is|are|was|were|can|could|may|must|has|have|had|will|should)"
    r"(?P<not>n't|\snot)?(?:\sindeed)?(?=\s*(?:[.,;:!\u2013\u2014]|$))",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"\u201c\u201e\u00ab](.{3,600}?)[\"\u201d\u201c\u00bb]")  # `Is this right: "..."`
_BOTH = re.compile(r"\W*(?:yes|no)\s(?:and|or)\s(?:yes|no)\b", re.IGNORECASE)
_VERDICT = re.compile(  # `According to the documents, no`, `That is incorrect`
    r"^[^.!?\n,;]{1,80}?(?:[,:]\s*|\b(?:is|'s|says?|lautet|est|es|è|é)\s)(?P<not>not\s)?"
    r"(?:(?P<yes>yes|true|correct|right|accurate|ja|oui|sí|sì|sim)"
    r"|no|false|incorrect|wrong|inaccurate|nein|non|não|nee)(?![^\W_])",
    re.IGNORECASE,
)
_MOST = 0.6  # of the words of a question that a clause about it has
_DUTIES = ("forbidden", "optional", "advised", "required")


class PolarityMatcher(ValueMatcher):
    """Compares values that differ in a denial only, or are yes and no to the question."""

    how: How = "polarity"

    def __init__(self, values: ValueForms, question: str) -> None:
        question = quoted[1] if (quoted := _QUOTED.search(question)) else question
        first = {name: plain(forms[0]) for name, forms in values.items()}
        leads = {name: _lead(text) for name, text in first.items()}
        stems = [_stems(text) for text in first.values()]
        self._denied: dict[Stated, bool] = {}
        self._asked, self._duty = _is_denial(question), _duty(question)
        self._about = _stems(pattern("source", words=True).sub(" ", question))
        self._is_literal = None not in leads.values()
        if self._is_literal:
            self._denied = {name: (not lead) != self._asked for name, lead in leads.items()}
        elif stems[0] and stems.count(stems[0]) == len(stems):
            self._denied = {name: _is_denial(text) for name, text in first.items()}
            self._about |= stems[0]

    def __bool__(self) -> bool:
        return len(self._denied) == len(set(self._denied.values())) == 2  # noqa: PLR2004 - said and denied

    def find(self, text: str) -> Sequence[ValueMention]:
        """Finds what opens with a yes or no, else the clauses that say most about the same thing."""
        if found := self._leads(text):
            return found
        graded = []
        for clause in clauses(text):
            said = text[clause.start : clause.end]
            shared = len(_stems(said) & self._about)
            is_about = shared and (not self._is_literal or shared >= _MOST * len(self._about))
            if is_about and not clause.asks and not withholds(said, is_rule=True):
                graded.append((shared, ValueMention(self._value(self._denies(said)), clause.start, clause.end)))
        most = max((n for n, _ in graded), default=0)
        return [mention for n, mention in graded if n == most]

    def _leads(self, text: str) -> list[ValueMention]:
        """What opens the first sentence that is a plain yes or no."""
        for sentence in () if _BOTH.match(text) else sentences(text):
            says_yes = None if withholds(sentence.text, is_rule=True) else _lead(sentence.text)
            if says_yes is not None:
                end = next((each.end() for each in _WORD.finditer(text, sentence.start)), sentence.end)
                return [ValueMention(self._value(says_yes == self._asked), sentence.start, end)]
        if self._is_literal and (verdict := _VERDICT.search(text)):
            value = self._value((bool(verdict["yes"]) != bool(verdict["not"])) == self._asked)
            return [ValueMention(value, *verdict.span())]
        return []

    def _denies(self, said: str) -> bool:
        """Whether a clause denies: by its words, or, if it names another duty, as what was asked is not so then."""
        duty = _duty(said) if self._duty else None
        return _is_denial(said) if duty in {None, self._duty} else not self._asked

    def _value(self, denied: bool) -> Stated:
        return next(name for name, each in self._denied.items() if each == denied)


class DutyMatcher(ValueMatcher):
    """Compares rules by how binding they are; each value names one duty."""

    def __init__(self, values: ValueForms) -> None:
        named = {_duty(plain(forms[0])): name for name, forms in values.items()}
        self._named = named if len(named) == len(values) > 1 and None not in named else {}

    def __bool__(self) -> bool:
        return bool(self._named)

    def find(self, text: str) -> Sequence[ValueMention]:
        """Finds the words of duty."""
        return [ValueMention(self._named.get(each.lastgroup), *each.span()) for each in _duty_words().finditer(text)]


def _is_denial(text: str) -> bool:
    """Tells whether a clause denies: an odd number of denials and of opposites (`closed`)."""
    said = len(negation("en", text.isascii()).findall(text))
    return (said + sum(word.casefold() in _MEANT for word in _WORD.findall(text))) % 2 == 1


def _stems(text: str) -> frozenset[str]:
    """What a clause is about, whether it is denied or not."""
    denies = negation("en", text.isascii())
    content = (term for term in terms(text) if term.kind != "function" and not denies.fullmatch(term.form))
    return frozenset(stem(_MEANT[term.form]) if term.form in _MEANT else term.stem for term in content)


@cache
def _opening() -> re.Pattern[str]:
    return re.compile(rf"^\W*(?:(?P<yes>{alternatives('yes')})|(?P<no>{alternatives('no')}))(?![^\W_])", re.IGNORECASE)


def _lead(text: str) -> bool | None:
    """Whether a sentence opens with a yes, or repeats the verb of the question; None if it opens with neither."""
    if match := _opening().match(text):
        return match["yes"] is not None
    return None if (echo := _ECHO.match(text)) is None else echo["not"] is None


@cache
def _duty_words() -> re.Pattern[str]:
    parts = "|".join(f"(?P<{name}>{alternatives(name)})" for name in _DUTIES)
    return re.compile(rf"(?<!\w)(?:{parts})(?!\w)", re.IGNORECASE)


def _duty(text: str) -> str | None:
    match = _duty_words().search(text)
    return match.lastgroup if match else None
