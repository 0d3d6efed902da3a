"""Names and words as values: `Solvang's`, `Solvang, Marta` and `SOLVANG` name Marta Solvang.

The words in which the values differ are looked for, without case and diacritics; one name of a person is enough.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from trail_callbacks.canary.outcomes.matching import ValueForms, ValueMatcher, ValueMention
from trail_callbacks.canary.trial import Stated
from trail_callbacks.language.detect import language
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.language.values import folded, is_same_name

__all__ = ["NameMatcher"]

_WORD = re.compile(
    r"(?=[^\W\d_]*+\d)[^\W_]++(?:[./-][^\W_]+)+(?<=\d)|"  # `4.2.1`, `P-300`
    r"[^\W_]+(?:[\u0300-\u036f\u0900-\u0903\u093a-\u094f]+[^\W_]*)*(?:['\u2019][^\W_]{1,2}(?!\w))?"
)
_SMALL = vocabulary(
    """the a an of and at in on de la le les el los las der die das den von van di da do du und et y e mr mrs ms miss dr
    prof sir st saint herr frau monsieur madame señor señora il lo gli i o os as
    by from with for per par por nach mit to is was it he she they"""
)
_ENGLISH = vocabulary("the an is are it its of made by with which they there")  # words of an English sentence


@dataclass(frozen=True, slots=True)
class _Form:
    value: Stated
    words: Sequence[str]
    telling: Sequence[str]  # those that no other value has
    is_person: bool


class NameMatcher(ValueMatcher):
    """Compares names and words; the words of the question tell nothing."""

    def __init__(self, values: ValueForms, question: str) -> None:
        asked = {folded(word) for word in _WORD.findall(question)}
        read = {name: [_WORD.findall(form) for form in forms] for name, forms in values.items()}
        listed = [form for forms in read.values() for form in forms]
        self._is_ascii = all(folded(word).isascii() for form in listed for word in form)
        self._are_names = all(any(not word[0].islower() for word in form) for form in listed)
        self._are_ranks = any(word.endswith("est") for form in listed for word in form)
        self._forms: list[_Form] = []
        for name, forms in read.items():
            others = {folded(word) for other, those in read.items() if other != name for form in those for word in form}
            for form in forms:
                content = [word for word in form if folded(word) not in _SMALL]
                own = [folded(word) for word in content if folded(word) not in others]
                telling = [word for word in own if word not in asked] or own
                is_person = len(content) > 1 and not any(word[0].islower() for word in content)
                self._forms.append(_Form(name, [folded(word) for word in form], telling, is_person))

    def __bool__(self) -> bool:
        return all(form.telling for form in self._forms)

    def reads(self, text: str, /) -> bool:
        """Whether other words are another value: in the script of the values, and no translation of a common word."""
        words = [folded(word) for word in _WORD.findall(text)]
        if not self or self._are_ranks or not any(len(word) > 1 and word[0].isalpha() for word in words):
            return False
        if any(word.isascii() != self._is_ascii for word in words) or (self._is_ascii and not text.isascii()):
            return False
        return self._are_names or not _ENGLISH.isdisjoint(words) or language(text) == "en"

    def find(self, text: str) -> Sequence[ValueMention]:
        """Finds the values."""
        places = [each.span() for each in _WORD.finditer(text)]
        words = [folded(text[start:end]) for start, end in places]
        found: list[ValueMention] = []
        i = 0
        while i < len(words):
            ends = ((form.value, end) for form in self._forms if (end := _end(words, i, form)) is not None)
            value, end = next(ends, (None, i + 1))
            if value is not None:
                one_name = found and found[-1].value == value and found[-1].end == places[i - 1][1]
                start = found.pop().start if one_name else places[i][0]  # one name: `Helene`, `Voss`
                found.append(ValueMention(value, start, places[end - 1][1]))
            i = end
        return found


def _end(words: Sequence[str], i: int, form: _Form) -> int | None:
    """The index after a value that begins with a word, or has its telling word there; None if there is none."""
    n = len(form.words)
    window = words[i : i + n]
    if len(window) == n > 0 and all(is_same_name(said, meant) for said, meant in zip(window, form.words, strict=True)):
        return i + n
    if not any(is_same_name(words[i], meant) for meant in form.telling):
        return None
    if form.is_person or any(c.isdigit() for c in words[i]):  # a number in a name tells alone
        return i + 1
    near = words[max(0, i - n - 1) : i + n + 2]
    return i + 1 if all(any(is_same_name(said, meant) for said in near) for meant in form.telling) else None
