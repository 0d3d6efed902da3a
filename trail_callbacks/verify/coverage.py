"""Coverage: which statements of an answer no claim covers, whoever found the claims.

A judge may skip a sentence, by mistake or because the answer talked it into that. So code splits the answer once more
and looks for each content word among the claims. A sentence is covered if its words stand in the text of claims that
quote a part of it, or at least in their quotes; a number has to be in a text, because texts are what is judged.
A claim that denies what it quotes, or affirms what that denies, covers none of it.

A sentence that no claim quotes is no statement only by closed lists, which no answer can extend (`phrases`): words
about the talk, marks of citations, a restatement of one claim, a title or lead-in without a new word.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, pairwise, zip_longest
from typing import NamedTuple, TypeAlias

from trail_callbacks.claims import Claim, Within, split, structured
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Extraction
from trail_callbacks.language.detect import is_english, language
from trail_callbacks.language.speech import absence, declines, is_question, negation
from trail_callbacks.language.terms import keys, terms
from trail_callbacks.splitting.layout import sentences_of
from trail_callbacks.splitting.marks import clean, is_dated, marker, may_hold_code, without_talk
from trail_callbacks.splitting.words import first_verb, tokenize
from trail_callbacks.text import Sentence
from trail_callbacks.verify.phrases import ASIDE, BESIDES, SHORT, SORRY, UNFINISHED, beside, talk

_NOT = "\0not"  # stands for every word that negates: no key is spelled like this
_ABSENT = "\0absent"  # stands for every word that comes to a negation: `lacks`
_ADDRESS = re.compile(  # addresses, goals of links, works by their authors; and names of tags
    r"(?:https?://|www\.)[^\s)\]>\"']{1,2000}|(?<=\])\([^()\s]{1,2000}\)|</?[a-z][a-z0-9]{0,10}\b"
    r"|[(\[][A-Z][\w'\u2019-]{1,30}(?:\set\sal\.?|\s(?:and|&)\s[A-Z][\w'\u2019-]{1,30})?,?\s(?:19|20)\d\d[a-z]?[)\]]"
)
_MARKUP = re.compile(
    r"[<\[(\u3010\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
_LISTED = re.compile(r"(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]", re.IGNORECASE)
_TITLE = re.compile(r"\s*(?:#{1,6}\s.*|\*\*[^*\n]{1,100}\*\*\W*)|.*[:\uff1a][*_\s]*", re.DOTALL)
_TITLES = ("source", "file_name", "title", "url")  # as loaders of both frameworks name documents
_NAME = 300  # characters of a name
_NUMBER = 3  # digits of the number in a citation
_LONGEST = 2000  # characters of a title that are searched for a verb
_END = 4  # words and marks of an unfinished sentence from its verb on: `the steps are as follows:`
_RUN = 2  # words in a row that a quote holds and no text does
_REWORDED = 2 / 3  # share of the words of a sentence that the texts of its claims may put in another way
_SAME = 2 / 3  # share of the words of a denial that its quote has to hold, so that it denies just that


@dataclass(frozen=True, slots=True)
class AnswerCoverage:
    """How much of an answer the claims cover.

    Attributes:
        share: Content words of its statements that claims cover, 0.0 to 1.0; None if it states nothing.
        uncovered: The statements that no claim covers, in order: a span of the answer, and the sentence it is in.
        code: Lines of code and formulas, which nobody checks.
    """

    share: float | None
    uncovered: tuple[tuple[int, int, str], ...] = ()
    code: int = 0


def coverage(
    answer: str,
    claims: Sequence[Claim],
    question: str | None = None,
    *,
    abstained: bool = False,
    sources: Sequence[Node] = (),
) -> AnswerCoverage:
    """Finds the statements of an answer that no claim covers. No model is asked; time is linear in the answer."""
    reading = _Reading(answer, [each for each in claims if _trusted(each)], question or "", abstained, sources)
    read = structured(answer)
    if read is None:
        reading.read(answer, lambda start, end: (start, end))
    else:
        for prose in read.prose:
            reading.read(prose.text, prose.span)
        reading.held += sum(len(keys(answer[each.start : each.end])) or 1 for each in read.entries)
    total = reading.held + reading.lost
    return AnswerCoverage(reading.held / total if total else None, tuple(reading.uncovered), reading.code)


def _trusted(claim: Claim) -> bool:
    """Whether a claim covers its words: a judge that calls a statement unfit to be checked covers none with it."""
    return claim.checkable or not any(each.checkable for each in split(claim.quote))


def covered(graph: ProvenanceGraph, extraction: Extraction) -> tuple[Extraction, AnswerCoverage]:
    """Adds a claim for each statement of the graph's answer that no claim covers; it is marked `uncovered`."""
    answer = graph.answer.text if graph.answer else ""
    question = graph.question.text if graph.question else None
    found = coverage(answer, extraction.claims, question, abstained=extraction.abstained, sources=graph.nodes)
    if not found.uncovered:
        return extraction, found
    taken = {claim.id for claim in extraction.claims}
    ids = (id_ for n in count(1) if (id_ := f"u{n}") not in taken)
    added = [
        Claim(id=id_, text=said, quote=answer[start:end], start=start, end=end, uncovered=True)
        for id_, (start, end, said) in zip(ids, found.uncovered, strict=False)
    ]
    claims = sorted([*extraction.claims, *added], key=lambda claim: (claim.start, claim.end))
    return replace(extraction, claims=tuple(claims)), found


_Span: TypeAlias = Callable[[int, int], tuple[int, int]]


class _Word(NamedTuple):
    """A content word: its key, and its place in the text that is read."""

    key: str
    start: int
    end: int


class _Reading:
    """An answer as it is read, text by text.

    Attributes:
        uncovered: The statements that no claim covers.
        held: Words of statements that claims cover.
        lost: Words of statements that none does.
        code: Lines of code and formulas.
    """

    def __init__(
        self, answer: str, claims: Sequence[Claim], question: str, abstained: bool, sources: Sequence[Node]
    ) -> None:
        self.uncovered: list[tuple[int, int, str]] = []
        self.held = self.lost = self.code = 0
        self._answer, self._question, self._abstained, self._sources = answer, question, abstained, sources
        guess = language(answer)
        self._language = guess or "en"
        known = guess or language(" ".join([answer, *(claim.text for claim in claims)]))
        self._negation = negation(known, answer.isascii() and all(claim.text.isascii() for claim in claims))
        self._claims = claims
        self._texts = [self._words_of(claim.text, claim.quote) for claim in claims]
        denying = [self._denies(claim, words) for claim, words in zip(claims, self._texts, strict=True)]
        self._reach = _Reach(claims, self._texts, denying)

    def read(self, text: str, span: _Span) -> None:
        """Reads one text of the answer; they come in order. `span` says where a part of it stands in the answer."""
        if may_hold_code(text):
            from trail_callbacks.splitting.code import code_spans  # noqa: PLC0415 - most answers hold no code

            code = code_spans(text)
            self.code += len(code)
            around = [0, *(at for each in code for at in each), len(text)]
            parts = (text[a:b] if n % 2 == 0 else " " * (b - a) for n, (a, b) in enumerate(pairwise(around)))
            text = "".join(parts)
        sentences = sentences_of(text, self._language)
        for sentence, following in zip_longest(sentences, sentences[1:]):
            if following and _LISTED.fullmatch(sentence.text) and "\n" not in text[sentence.end : following.start]:
                continue  # the number of a list item
            self._reach.move(*span(sentence.start, sentence.end))
            self._sentence(sentence, span)

    def _sentence(self, sentence: Sentence, span: _Span) -> None:
        said, touched = sentence.text, self._reach.said
        negated = self._negation.search(said) is not None
        if self._reach.denied and not negated:
            touched = self._reach.affirmed
        if touched and (_NOT in touched or not negated):
            found = keys(said)
            if all(key in touched for key in found):  # as most are
                self.held += len(found)
                return
        words = self._words(said)
        faults = self._left(sentence, span, words, touched) if touched else self._stated(said, words)
        if faults is None:
            return
        self.lost += len(faults)
        self.held += len(words) - len(faults) if touched else 0
        if not faults:
            return
        first, last = (0, len(said)) if not touched else (faults[0].start, faults[-1].end)
        start, end = span(sentence.start + first, sentence.start + last)
        self.uncovered.append((start, end, clean(said)))

    def _words(self, said: str) -> list[_Word]:
        """The content words of a sentence, and a word for each negation; marks of citations are none."""
        shown = _ADDRESS.sub(_blank, said)
        skip, _ = marker(shown)
        shown = " " * skip + shown[skip:] if shown[skip:].strip() else shown
        words = [
            _Word(key, term.start, term.end)
            for term in terms(shown)
            if term.kind != "function"
            for key in keys(shown[term.start : term.end])
        ]
        if _MARKUP.search(shown):
            kept = set(keys(clean(shown)))
            words = [word for word in words if word.key in kept or not self._marks(word.key)]
        words += [_Word(_NOT, *found.span()) for found in self._negation.finditer(shown)]
        return sorted(words, key=lambda word: word.start)

    def _marks(self, key: str) -> bool:
        """Whether a word inside a mark that is taken out of texts is one of a citation: it names a source."""
        return (key.isdigit() and len(key) <= _NUMBER) or key in talk() or key in self._named

    def _words_of(self, text: str, quote: str = "") -> set[str]:
        """The words of a text, whether it negates, and whether it may do so in other words than its quote."""
        found = set(keys(text))
        if self._negation.search(text):
            found.add(_NOT)
        elif self._negation.search(quote) and _absent(text) - _absent(quote):
            found.add(_ABSENT)
        return found

    def _denies(self, claim: Claim, words: AbstractSet[str]) -> bool:
        """Whether a claim denies what it quotes, in much the same words."""
        if _NOT not in words or self._negation.search(claim.quote) or _absent(claim.quote) - _absent(claim.text):
            return False
        own = set(keys(self._negation.sub(_blank, claim.text)))
        return len(own & set(keys(claim.quote))) >= _SAME * len(own)

    @cached_property
    def _named(self) -> frozenset[str]:
        names = [
            name
            for node in self._sources
            for name in (node.id, node.step, *(node.attributes.get(key) for key in _TITLES))
            if isinstance(name, str)
        ]
        return frozenset(key for name in names for key in keys(name[:_NAME].replace("_", " ")))

    def _left(self, sentence: Sentence, span: _Span, words: Sequence[_Word], touched: _Words) -> list[_Word]:
        """Those words of a sentence that are not in `touched`, the words of the claims which quote some of it."""
        reach = self._reach
        framed = without_talk(sentence.text)
        outside: list[_Word] = []
        inside: list[_Word] = []
        run: list[_Word] = []
        english = is_english(sentence.text)
        for word in words:
            if word.key in touched or not framed[word.start : word.end].strip():
                run = []
                continue
            at = span(sentence.start + word.start, sentence.start + word.end)
            if word.key == _NOT or not reach.quoted(*at):
                if word.key not in beside() and not (word.key == _NOT and _ABSENT in touched):
                    outside.append(word)
                continue
            if word.key in beside():
                continue
            inside.append(word)
            run.append(word)
            if word.key[0].isdigit():
                outside.append(word)
            elif english and len(run) >= _RUN:
                outside += run[-_RUN:]
        if len(inside) > _REWORDED * len(words) or touched is not reach.said:
            outside += inside
        return sorted(set(outside), key=lambda word: word.start)

    def _stated(self, said: str, words: Sequence[_Word]) -> list[_Word] | None:
        """The words of a sentence that no claim quotes, or None if it is no statement."""
        if self._abstained and _only_declines(said):
            return None
        framed = without_talk(_ADDRESS.sub(_blank, said))
        left = [word for word in words if framed[word.start : word.end].strip() and word.key not in talk()]
        if not [word for word in left if word.key != _NOT]:
            if not left and not SHORT.fullmatch(framed.strip()):
                return None
            return [*left] or [_Word("", 0, len(said))]
        wanted = {word.key for word in left}
        asks = is_question(said)
        named = [word.key for word in left if said[word.start].isupper()]
        if self._restates(wanted, named) or (asks and wanted <= self._asked):
            return None
        if _TITLE.fullmatch(said) and self._leads(framed, wanted):
            return None
        return left

    def _leads(self, said: str, wanted: AbstractSet[str]) -> bool:
        """Whether words only lead to what follows: no sentence, and none of them is new."""
        new = wanted - beside()
        if _NOT in wanted or not new <= self._known:
            return False
        if ASIDE.search(said) and new <= self._asked:
            return True
        finite = first_verb(found := tokenize(said[:_LONGEST]))
        return finite is None or (UNFINISHED.search(said) is not None and finite >= len(found) - _END)

    def _restates(self, wanted: AbstractSet[str], named: Sequence[str]) -> bool:
        """Whether one claim has all these words, the names in this order, and negates if and only if they do."""
        found: AbstractSet[int] | None = None
        for key in sorted(wanted, key=lambda key: len(self._holding.get(key, ()))):
            found = self._holding.get(key, set()) if found is None else found & self._holding.get(key, set())
            if not found:
                return False
        negated = self._holding.get(_NOT, set())
        candidates = found or set() if _NOT in wanted else (found or set()) - negated
        return any(_are_in_order(named, keys(self._claims[n].text)) for n in candidates)

    @cached_property
    def _holding(self) -> dict[str, set[int]]:
        """The texts of claims that hold a word, by word."""
        holding: dict[str, set[int]] = defaultdict(set)
        for number, words in enumerate(self._texts):
            for key in words:
                holding[key].add(number)
        return holding

    @cached_property
    def _asked(self) -> frozenset[str]:
        return frozenset(self._words_of(self._question))

    @cached_property
    def _known(self) -> frozenset[str]:
        return self._asked | frozenset(self._holding)


class _Words:
    """The words of several claims; true if there is a claim."""

    def __init__(self, claims: Iterable[AbstractSet[str]]) -> None:
        self._claims = list(claims)

    def __bool__(self) -> bool:
        return bool(self._claims)

    def __contains__(self, key: str) -> bool:
        return any(key in words for words in self._claims)


class _Reach:
    """The claims around a place of the answer; places go forward.

    Attributes:
        said: The words of the texts of the claims that quote something of the place.
        affirmed: The same without the claims that deny what they quote.
        denied: Whether any does.
    """

    def __init__(self, claims: Sequence[Claim], texts: Sequence[AbstractSet[str]], denying: Sequence[bool]) -> None:
        quoting = [n for n, claim in enumerate(claims) if claim.quote]
        self._within = Within([claims[n] for n in quoting])
        self._told = [(texts[n], denying[n]) for n in quoting]
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted((claims[n].start, claims[n].end) for n in quoting):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    def move(self, start: int, end: int) -> None:
        """Goes to `answer[start:end]`."""
        here = [self._told[n] for n in self._within.between(start, end)]
        self.said = _Words(words for words, _ in here)
        self.affirmed = _Words(frozenset() if denies else words for words, denies in here)
        self.denied = any(denies for _, denies in here)

    def quoted(self, start: int, end: int) -> bool:
        """Whether claims quote `answer[start:end]`."""
        at = bisect_right(self._starts, start) - 1
        return at >= 0 and end <= self._ends[at]


def _are_in_order(named: Sequence[str], said: Sequence[str]) -> bool:
    places = [said.index(key) for key in named if key in said]
    return places == sorted(places)


def _absent(text: str) -> set[str]:
    return {found[0].casefold() for found in absence().finditer(text)}


def _only_declines(said: str) -> bool:
    """Whether a sentence says that something is not known, and nothing besides."""
    return declines(said) and not BESIDES.search(SORRY.sub("", said))


def _blank(match: re.Match[str]) -> str:
    return match[0] if is_dated(match[0]) else " " * len(match[0])
