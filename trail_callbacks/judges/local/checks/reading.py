"""What a check is given and what it returns: a text read once for all checks, and a finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

from trail_callbacks.language.detect import is_english
from trail_callbacks.language.terms import Term, stem, terms, vocabulary
from trail_callbacks.language.values import Quantity, quantities
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["Finding", "Reading", "contraries", "related"]

_PREFIX = 6  # letters; words that share them and little else differ are forms of one word (`approval`, `approve`)
_PLACES = 32  # occurrences of a word that are looked at: a text with more repeats itself
_ENDING = 4  # letters that may follow the shared ones
_STOPS = frozenset(".,;:!?()\u2014")  # they end a clause, as do the words of `_BORDERS`
_BORDERS = vocabulary("but although though while whereas because which who")
_OPPOSITES = {
    (stem(a), stem(b))
    for pair in """increase decrease,increase decline,increase fall,increase drop,rise fall,rise drop,rise decline,
    grow shrink,accept reject,approve reject,allow forbid,allow prohibit,allow ban,permit ban,permit prohibit,
    above below,higher lower,win lose,open close,start end,begin end,profit loss,gain lose,success failure,
    succeed fail,north south,east west,northern southern,eastern western,left right,hot cold,warm cold,true false,
    include exclude,mandatory optional,compulsory optional,compulsory voluntary,mandatory voluntary,raise lower,
    raise cut,expand contract,upward downward,positive negative,majority minority,public private,buy sell,
    legal illegal,possible impossible,expensive cheap,fast slow,better worse,best worst,largest smallest,
    biggest smallest,oldest youngest,highest lowest,agree disagree,improve worsen,inside outside,early late,
    earlier later,maximum minimum,male female,husband wife,mother father,son daughter,brother sister,king queen,
    import export,strengthen weaken,join leave,enter leave,able unable,safe dangerous,safe unsafe,common rare,high low,
    long short,appear disappear,encourage discourage,support oppose,guilty innocent,alive dead,victory defeat,
    arrive depart,attack defend,benefit harm,deny confirm,deny admit,empty full,heavy light,thick thin,wide narrow,
    strong weak,absent present,love hate,permanent temporary,rural urban,senior junior,wet dry,young old,
    stronger weaker,larger smaller,older younger,longer shorter,faster slower,upper lower,
    internal external""".replace("\n", "").split(",")
    for a, b in [pair.split(), pair.split()[::-1]]
}
_PREFIXED = 5  # letters of a stem that takes a prefix; `form` and `inform` are not opposites
_PREFIXES = ("un", "in", "im", "dis", "non", "ir", "il")


@dataclass(frozen=True)
class Reading:
    """A text with everything the checks look at, computed when first asked for."""

    text: str

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """All words in order."""
        return terms(self.text)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """All numbers in order."""
        return quantities(self.text)

    @cached_property
    def english(self) -> bool:
        """Whether English rules apply."""
        return is_english(self.text)

    @cached_property
    def content(self) -> tuple[Term, ...]:
        """Words and names, without function words and without what belongs to a number."""
        taken = [(quantity.start, quantity.end) for quantity in self.quantities]
        return tuple(
            term
            for term in self.terms
            if term.kind in {"word", "name"} and not any(a <= term.start < b for a, b in taken)
        )

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

    @cached_property
    def _starts(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for term in self.content:
            if len(term.stem) >= _PREFIX and term.stem.isascii():
                found.setdefault(term.stem[:_PREFIX], []).append(term.stem)
        return found

    def has(self, term: Term) -> bool:
        """Tells whether this text holds a word, or a form of it."""
        if term.form in self._known or term.stem in self._known:
            return True
        if term.kind == "name" or len(term.stem) < _PREFIX:
            return False
        return any(related(term.stem, other) for other in self._starts.get(term.stem[:_PREFIX], ()))

    def same(self, term: Term) -> list[int]:
        """Returns the first 32 places in `terms` where a word, or a form of it, stands."""
        places = (
            i
            for i, other in enumerate(self.terms)
            if other.kind != "function"
            and (other.form == term.form or other.stem == term.stem or related(term.stem, other.stem))
        )
        return list(islice(places, _PLACES))

    def beside(self, i: int) -> tuple[Term | None, Term | None]:
        """Returns the nearest word of content or number on each side of the i-th word."""
        starts = {term.start for term in self.content} | {quantity.start for quantity in self.quantities}
        before = next((term for term in reversed(self.terms[:i]) if term.start in starts), None)
        return before, next((term for term in self.terms[i + 1 :] if term.start in starts), None)

    def shared(self, other: Reading, apart: tuple[int, int] = (0, 0)) -> float:
        """Returns the share, 0.0 to 1.0, of the words and names outside a span that another text has; 0.0 for none."""
        rest = [term for term in self.content if not apart[0] <= term.start < apart[1]]
        return sum(map(other.has, rest)) / len(rest) if rest else 0.0

    def before(self, i: int, reach: int) -> Sequence[Term]:
        """Returns up to `reach` words before the i-th in its clause, nearest last."""
        first = max(0, i - reach)
        for k in range(i - 1, first - 1, -1):
            gap = self.text[self.terms[k].end : self.terms[k + 1].start]
            if not _STOPS.isdisjoint(gap) or self.terms[k].form in _BORDERS:
                return self.terms[k + 1 : i]
        return self.terms[first:i]


def related(a: str, b: str) -> bool:
    """Tells whether two stems are forms of one word by their beginning: `approval`, `approve`."""
    if len(a) < _PREFIX or len(b) < _PREFIX or a[:_PREFIX] != b[:_PREFIX]:
        return False
    shared = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return max(len(a), len(b)) - shared <= _ENDING


@lru_cache(maxsize=4096)
def contraries(base: str) -> frozenset[str]:
    """Returns the stems that say the opposite of one: from the list, or with a prefix more or less."""
    listed = {b for a, b in _OPPOSITES if a == base}
    longer = {prefix + base for prefix in _PREFIXES if len(base) >= _PREFIXED}
    shorter = {base[len(p) :] for p in _PREFIXES if base.startswith(p) and len(base) - len(p) >= _PREFIXED}
    return frozenset(listed | longer | shorter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One way in which a claim departs from a passage on the same subject.

    Attributes:
        error_type: The type.
        support: The class it leads to: contradicted, or partially_supported where the core still holds.
        claim_words: What the claim says, verbatim.
        evidence_words: What the passage says, verbatim; empty where it only lacks the claim's words.
        claim_span: Offsets of `claim_words` in the claim's text.
        span: Offsets of `evidence_words` in the passage's text.
        detail: A finer word: `negation flip`, `opposite`, ...
    """

    error_type: ErrorType
    support: SupportClass
    claim_words: str
    evidence_words: str
    claim_span: tuple[int, int]
    span: tuple[int, int]
    detail: str | None = None

    @classmethod
    def quoting(
        cls,
        claim: Reading,
        claim_span: tuple[int, int],
        passage: Reading,
        span: tuple[int, int],
        *,
        error_type: ErrorType,
        support: SupportClass,
        detail: str | None = None,
    ) -> Finding:
        """Makes a finding that quotes both texts at the given offsets."""
        return cls(
            error_type=error_type,
            support=support,
            claim_words=claim.text[slice(*claim_span)],
            evidence_words=passage.text[slice(*span)],
            claim_span=claim_span,
            span=span,
            detail=detail,
        )
