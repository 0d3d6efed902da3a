"""A text, read once for all comparisons: its words with their weight, its numbers and its names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from trail_callbacks.language.detect import is_english
from trail_callbacks.language.terms import Term, stem, vocabulary
from trail_callbacks.language.values import Quantity, follows
from trail_callbacks.language.wording import ReadText

# The words that a meaning turns on, by what they do: the tables from here to `VOICES`. English.
DENIALS = vocabulary("not no never neither nor none nobody nothing without cannot hardly barely scarcely")
POSSIBLE = vocabulary("may might could possibly perhaps maybe probably likely presumably potentially seem seems seemed")
PLANS = vocabulary(
    """hope hopes hoped want wants wanted intend intends intended plan plans planned consider considers considering
    aims expect expects expected propose proposes proposed estimate estimates suspect suspects wish wishes mean means
    meant ask asks asked planning hoping intending expecting proposing"""
)
SOME = vocabulary(
    """some most many several few half part partly mostly mainly usually normally generally typically often sometimes
    nearly almost occasionally largely"""
)
ALL = vocabulary("all every each always entire whole both everyone everything")
CONDITIONS = vocabulary("unless except if provided subject save excluding")
VIEWS = vocabulary(
    """believes believe believed thinks think thought argues argue argued opinion view reckons feels considers claims
    claimed"""
)
REPORTS = vocabulary("said says told according remarked wrote writes reportedly allegedly")
LIMITS = vocabulary("only just up least until before after although though but however because since whether than")
TURNING = vocabulary("over under above below against between into from")
"""Words of place and measure that change a meaning; they count as paired or not, but never as content."""
MARKERS = (
    DENIALS
    | POSSIBLE
    | ALL
    | LIMITS
    | vocabulary(
        """can would should must will shall possible unlikely apparently reportedly allegedly appears appear appeared
        expected expects plans planned intends hopes hoped considering estimated believed thought supposedly proposed
        provisional draft about around roughly approximately some several many most few more less fewer any either half
        usually normally generally typically often sometimes mostly mainly largely partly nearly almost
        unless except if provided when whenever where while besides excluding including otherwise instead save"""
    )
) - vocabulary("likely seem seems seemed up least")
_SAID = CONDITIONS | VIEWS | REPORTS
RESTRICTING = _SAID | MARKERS | PLANS | POSSIBLE | SOME | LIMITS
TAKES_BACK = _SAID | vocabulary("not no never unlikely false wrong myth untrue only just until whether least")
"""Words between or around those of a claim that make something else of it."""
ALL_OR_NONE = ALL | DENIALS | vocabulary("only just any few nor")
VOICES = VIEWS | REPORTS | POSSIBLE
"""Words by which a claim says whose view it gives, or that it is one."""

WEIGHTS = {"light": 0.05, "marker": 0.5, "word": 1.0, "name": 1.5, "number": 1.5}
_ALIKE = {"may": "can", "shall": "must"}  # of rules and permissions both are used


@dataclass(frozen=True, slots=True)
class Word:
    """A word, name, code or number with its place, case-folded, and what its forms share.

    A `marker` is a word that a meaning turns on (`not`, `may`, `all`, `if`), `light` any other function word.
    """

    key: str
    form: str
    kind: Literal["word", "name", "number", "marker", "light"]
    start: int
    end: int
    quantity: Quantity | None = None

    @property
    def content(self) -> bool:
        """Whether it says something by itself."""
        return self.kind in {"word", "name", "number"}

    @property
    def weight(self) -> float:
        """How much of a sentence it makes, in words."""
        return WEIGHTS[self.kind]


@dataclass(frozen=True)
class Wording(ReadText):
    """A text with everything that is compared, computed when first asked for."""

    @cached_property
    def english(self) -> bool:
        """Whether English rules apply."""
        return is_english(self.text)

    @cached_property
    def names(self) -> tuple[tuple[Term, ...], ...]:
        """Names, each as its adjacent words."""
        groups: list[list[Term]] = []
        for term in self.content:
            if term.kind != "name":
                continue
            if groups and self.text[groups[-1][-1].end : term.start] in {" ", "-"}:
                groups[-1].append(term)
            else:
                groups.append([term])
        return tuple(map(tuple, groups))

    @cached_property
    def named(self) -> frozenset[str]:
        """The words that are part of a name, case-folded."""
        return frozenset(term.form for term in self.terms if term.kind == "name")

    @cached_property
    def plain(self) -> frozenset[str]:
        """The words that are written in small letters."""
        return frozenset(term.form for term in self.terms if self.text[term.start : term.end] == term.form)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(key for term in self.terms for key in (term.form, term.stem))

    def has(self, term: Term) -> bool:
        """Tells whether this text holds a word, or a form of it."""
        return term.form in self._known or term.stem in self._known

    def words(self, names: frozenset[str] = frozenset()) -> tuple[Word, ...]:
        """Returns all words; `names` are known to be names, also one at the beginning of a sentence."""
        found = [Word("", self.text[q.start : q.end], "number", q.start, q.end, q) for q in self.quantities]
        taken = [(word.start, word.end) for word in found]
        found += [_word(term, names) for term in self.terms if not any(a <= term.start < b for a, b in taken)]
        return tuple(_joined(sorted(found, key=lambda word: word.start), self.text))


def _word(term: Term, names: frozenset[str]) -> Word:
    form = term.form
    if form in {"not", "cannot"} or form.endswith(("n't", "n\u2019t")):
        return Word("not", "not", "marker", term.start, term.end)
    if form in MARKERS:
        return Word(_ALIKE.get(form, form), form, "marker", term.start, term.end)
    if term.kind == "function":
        return Word(form, form, "light", term.start, term.end)
    name = term.kind == "name" or form in names
    return Word(form if name else term.stem, form, "name" if name else "word", term.start, term.end)


def _joined(found: Sequence[Word], text: str) -> Iterator[Word]:
    """Joins the pieces of a code (`X100`, `7b`, `WM-1`) into a name, and `no longer` into one negation."""
    last: Word | None = None
    for word in found:
        if last is not None and _is_code(last, word, text):
            form = text[last.start : word.end].casefold()
            last = Word(form, form, "name", last.start, word.end)
        elif last is not None and (last.form, word.form) == ("no", "longer"):
            last = Word("not", "not", "marker", last.start, word.end)
        else:
            yield from [last] if last is not None else []
            last = word
    yield from [last] if last is not None else []


def _is_code(one: Word, other: Word, text: str) -> bool:
    apart = one.quantity or other.quantity or text[one.end : other.start] not in {"", "-"}
    return not apart and text[one.end - 1].isdigit() != text[other.start].isdigit()


def same(one: Word, other: Word) -> bool:
    """Tells whether two words, or what two numbers say, are the same."""
    if one.quantity is not None and other.quantity is not None:
        opposed = {one.quantity.bound, other.quantity.bound} == {"over", "under"}
        return not opposed and follows(one.quantity, other.quantity)  # what the claim says follows from what is given
    if one.quantity is not None or other.quantity is not None:
        return False
    return one.form == other.form or one.key == other.key


class WordPlaces:
    """Where each word stands in a sentence."""

    def __init__(self, given: Sequence[Word]) -> None:
        self._given = given
        self._by_key: dict[str, set[int]] = defaultdict(set)
        for j, word in enumerate(given):
            if word.quantity is None:
                for key in {word.form, word.key} | ({stem(word.form)} if word.content else set()):
                    self._by_key[key].add(j)

    def of(self, word: Word) -> set[int]:
        """Returns the indices of a word, in any of its forms."""
        if word.quantity is not None:
            return {j for j, other in enumerate(self._given) if other.quantity and same(word, other)}
        found = self._by_key.get(word.form, set()) | self._by_key.get(word.key, set())
        if not found and word.kind == "name":
            found = self._by_key.get(stem(word.form), set())
        return found

    def held(self, words: Sequence[Word]) -> frozenset[int]:
        """Returns the indices of those words of content that the sentence has in any order."""
        return frozenset(i for i, word in enumerate(words) if word.content and self.of(word))
