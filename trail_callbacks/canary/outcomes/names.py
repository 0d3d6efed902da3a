"""Names and words as values: `Solvang's`, `Solvang, Marta` and `SOLVANG` name Marta Solvang; Peter Solvang is another.

The words in which the values differ are looked for, without case and diacritics. A surname alone, an ending
(possessive, plural, case) and a slip of one letter in a long name are the same name. Capitalised words that are neither
the question's nor a title's are other names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from trail_callbacks.canary.outcomes.mention import Mention, Values
from trail_callbacks.canary.trial import How, Stated
from trail_callbacks.language.detect import language
from trail_callbacks.language.terms import vocabulary

__all__ = ["Names", "folded"]

_CODE = r"[^\W_]*\d[^\W_]*(?:[./-][^\W_]+)+(?<=\d)|"  # `4.2.1`, `P-300`
_WORD = re.compile(
    _CODE + r"[^\W_]+(?:[\u0300-\u036f\u0900-\u0903\u093a-\u094f]+[^\W_]*)*(?:['\u2019][^\W_]{1,2}(?!\w))?"
)
_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i"}
)
_CYRILLIC_LETTERS = "a b v g d e zh z i i k l m n o p r s t u f kh ts ch sh shch _ y _ e yu ya"
_LETTERS |= {0x430 + i: written.strip("_") for i, written in enumerate(_CYRILLIC_LETTERS.split())}
_UMLAUT = re.compile(r"(?<=[aou])e(?![aeiou])")  # `Mueller` for `Müller`
_SMALL = vocabulary(
    """the a an of and at in on de la le les el los las der die das den von van di da do du und et y e mr mrs ms miss dr
    prof sir st saint herr frau monsieur madame señor señora il lo gli i o os as
    by from with for per par por nach mit to is was it he she they"""
)
_ENGLISH = vocabulary("the an is are it its of made by with which they there")  # words of an English sentence
_OPENERS = vocabulary("no not none there this that these those please sorry unknown i you we my your")
_TITLES = vocabulary(
    """captain keeper mayor director professor doctor president chief head herr frau skipper lady lord queen king prince
    minister ms mr mrs miss dr prof sir madame monsieur señor señora don doña"""
)
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_ENDINGS = 3  # letters that an ending may add
_PLURAL = frozenset({"s", "es"})
_ENDED = _PLURAL | vocabulary("a e i o u y em om ie owi ow ego emu im ami ach n en in")
_ENDED |= vocabulary("\u0430 \u0443 \u0435 \u044b \u0438 \u043e\u043c \u0435\u043c \u043e\u0439 \u044f \u044e")
_LONG, _LONGER = 6, 10  # letters of a name in which one slip is forgiven, and two
_STEM = 4  # letters that a word has before endings count


def folded(word: str) -> str:
    """A word without case, diacritics and possessive ending."""
    low = unicodedata.normalize("NFKD", word.casefold().translate(_LETTERS))
    low = "".join(c for c in low if not unicodedata.combining(c) or "\u0900" <= c <= "\u097f")
    if low[:1] == "v" and low[1:2].isdigit():  # `v4.2.1`
        return low[1:]
    return re.sub(r"['\u2019]s?$", "", low)


@dataclass(frozen=True, slots=True)
class _Word:
    form: str
    start: int
    end: int
    capital: bool
    upper: bool


def _words(text: str) -> list[_Word]:
    return [
        _Word(folded(match[0]), *match.span(), match[0][0].isupper() or not match[0][0].islower(), match[0].isupper())
        for match in _WORD.finditer(text)
    ]


@dataclass(frozen=True, slots=True)
class _Form:
    value: Stated
    all: tuple[str, ...]
    telling: tuple[str, ...]
    person: bool


class Names:
    """Compares names and words.

    Args:
        values: The values, by their forms.
        question: The question; its words tell nothing.
    """

    how: How = "words"

    def __init__(self, values: Values, question: str) -> None:
        self.asked = {word.form for word in _words(question)}
        read = {name: [tuple(_words(form)) for form in forms] for name, forms in values.items()}
        self.forms: list[_Form] = []
        self.is_ascii = all(word.form.isascii() for forms in read.values() for form in forms for word in form)
        self.are_names = all(any(word.capital for word in form) for forms in read.values() for form in forms)
        self.are_ranks = any(w.form.endswith("est") for forms in read.values() for form in forms for w in form)
        for name, forms in read.items():
            others = {word.form for other, all_ in read.items() if other != name for form in all_ for word in form}
            for form in forms:
                words = tuple(word.form for word in form)
                content = [w for w in words if w not in _SMALL]
                telling = [w for w in content if w not in others and w not in self.asked]
                telling = telling or [w for w in content if w not in others]
                person = len(content) > 1 and all(w.capital for w in form if w.form not in _SMALL)
                self.forms.append(_Form(name, words, tuple(telling), person))

    def __bool__(self) -> bool:
        return all(form.telling for form in self.forms) and bool(self.forms)

    def reads(self, text: str, /) -> bool:
        """Whether other words are another value: in the script of the values, and no translation of a common word."""
        words = _words(text)
        if any(word.form.isascii() != self.is_ascii for word in words) or (self.is_ascii and _CYRILLIC.search(text)):
            return False
        if self.are_ranks or not any(len(word.form) > 1 and word.form[0].isalpha() for word in words):
            return False
        if len(words) == 1 and not text.isascii():  # `España` may be the value in another language
            return False
        return self.are_names or any(word.form in _ENGLISH for word in words) or language(text) == "en"

    def find(self, text: str) -> Sequence[Mention]:
        """Finds values, and other names in an answer that has none."""
        words = _words(text)
        found: list[Mention] = []
        taken: set[int] = set()
        for i in range(len(words)):
            if i in taken:
                continue
            for form in self.forms:
                if (end := self._at(words, i, form)) is not None:
                    first = i
                    while (
                        first > 0
                        and first - 1 not in taken
                        and words[first - 1].form in form.all
                        and _beside(words, first - 1, text)
                    ):
                        first -= 1
                    taken |= set(range(i, end))
                    start = words[first].start
                    if found and found[-1].value == form.value and i and found[-1].end == words[i - 1].end:
                        start = found.pop().start  # one name: `Helene`, `Voss`
                    found.append(Mention(form.value, start, words[end - 1].end))
                    break
        return found or (self._others(words, text) if self.are_names and self.reads(text) else [])

    def _at(self, words: Sequence[_Word], i: int, form: _Form) -> int | None:
        """Where a value ends that begins at a word or has its telling word there; None if there is none."""
        n = len(form.all)
        if (joined := _joined(words, i, form)) is not None:
            return joined
        tells = any(_same(words[i].form, w) for w in form.telling)
        window = [word.form for word in words[i : i + n]]
        if len(window) == n > 0 and all(
            _same(said, want) or said == want for said, want in zip(window, form.all, strict=True)
        ):
            return i + n
        if not tells:
            return None
        if form.person:
            return self._person(words, i, form)
        tells_alone = any(c.isdigit() for c in words[i].form)  # a number in a name
        rest = [w for w in form.telling if not tells_alone and not _same(words[i].form, w)]
        near = words[max(0, i - n - 1) : i + n + 2]
        return i + 1 if all(any(_same(word.form, w) for word in near) for w in rest) else None

    def _person(self, words: Sequence[_Word], i: int, form: _Form) -> int | None:
        """A surname alone, or a name in another order; None where the words beside it make it another's."""
        content = [w for w in form.all if w not in _SMALL]
        is_surname = _same(words[i].form, content[-1])
        before = words[i - 1] if i and words[i].start - words[i - 1].end <= 2 else None  # noqa: PLR2004 - `. `
        after = words[i + 1] if i + 1 < len(words) and words[i + 1].start - words[i].end == 1 else None
        if is_surname:
            if (
                before is None
                or not before.capital
                or before.form in _SMALL | _TITLES | self.asked
                or words[i - 1].end + 1 < words[i].start
            ):
                return i + 1
            initial = any(w.startswith(before.form) for w in content[:-1]) and len(before.form) <= 2  # noqa: PLR2004 - an initial
            own = any(_same(before.form, w) for w in content[:-1])
            return i + 1 if initial or own or (before.start == 0 and before.form in _SMALL) else None
        if after is not None and after.capital and not any(_same(after.form, w) for w in content):
            return None
        return i + 1 if len(words[i].form) >= _STEM and _same(words[i].form, content[0]) else None

    def _others(self, words: Sequence[_Word], text: str) -> list[Mention]:
        inner = [
            word
            for word in words
            if word.capital
            and word.form[-1:].isalpha()
            and word.form not in self.asked | _SMALL | _OPENERS
            and word.form.isascii() == self.is_ascii
            and (word.start or len(words) <= _STEM)
        ]
        return [
            Mention(None, word.start, word.end) for word in inner if not _opens(text, word.start) or len(words) <= _STEM
        ]


def _joined(words: Sequence[_Word], i: int, form: _Form) -> int | None:
    """Where a value ends whose words are joined, or that is one word written as two: `Safe Halt`, `SafeHalt`.

    Initials in capitals are the words as well: `HR`.
    """
    whole = "".join(form.all)
    initials = "".join(each[0] for each in form.all) if words[i].upper else ""
    if len(form.all) > 1 and words[i].form in {whole, initials}:
        return i + 1
    if len(form.all) > 1 or i + 1 >= len(words):
        return None
    both = words[i].form + words[i + 1].form
    far = abs(len(both) - len(whole)) > _ENDINGS or both[:2] != whole[:2] or len(whole) < _LONGER
    return i + 2 if both == whole or (not far and _distance(both, whole) <= _ENDINGS) else None


def _beside(words: Sequence[_Word], i: int, text: str) -> bool:
    return text[words[i].end : words[i + 1].start].strip(" .,") == ""


def _opens(text: str, start: int) -> bool:
    before = text[max(0, start - 3) : start].rstrip(" \"'(")
    return not before or before[-1] in ".!?:\n"


def _same(said: str, want: str) -> bool:
    """Whether two folded words are one name, but for an ending or a slip."""
    if said == want or _UMLAUT.sub("", said) == _UMLAUT.sub("", want):
        return True
    if len(want) < _STEM or not said or said[0] != want[0] or abs(len(said) - len(want)) > _ENDINGS:
        return False
    if said.startswith(want):
        return said[len(want) :] in (_ENDED if len(want) > _STEM else _PLURAL)
    stem = want[:-1] if want[-1] in "aeoy\u0430" else want
    if len(stem) > _STEM and stem != want and said.startswith(stem) and said[len(stem) :] in _ENDED:
        return True
    return len(want) >= _LONG and _distance(said, want) <= (2 if len(want) >= _LONGER else 1)


def _distance(one: str, other: str) -> int:
    """Letters inserted, left out, replaced or swapped with the next."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
