"""Coverage: which statements of an answer no claim covers, whoever found the claims.

A judge may skip a sentence, by mistake or because the answer talked it into that. So code splits the answer once more
and looks for each content word among the claims. A sentence is covered if its words stand, in their order, in the texts
of claims that quote a part of it, because texts are what is judged: a claim may add what its quote refers to, but drop
and replace nothing of it. A claim that denies what it quotes, or affirms what that denies, covers none of it.

A sentence that no claim quotes is no statement only by closed lists, which no answer can extend (`phrases`): words
about the talk, marks that name a source of the run, a restatement of one claim from its first word on, a title or
lead-in without a new word. Any other bracket is a part of its sentence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, islice, pairwise, repeat, zip_longest
from math import ceil
from typing import NamedTuple, TypeAlias

from trail_callbacks.claims import Claim, Within, split, structured
from trail_callbacks.evidence.marks import marks
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.judge import Extraction
from trail_callbacks.language.detect import common, language
from trail_callbacks.language.speech import declines, is_question, negation
from trail_callbacks.language.terms import keys, terms
from trail_callbacks.splitting.layout import sentences_of
from trail_callbacks.splitting.marks import blank, clean, hidden_signs, marker, may_hold_code, visible, without_talk
from trail_callbacks.splitting.words import first_verb, tokenize
from trail_callbacks.text import Sentence
from trail_callbacks.verify.phrases import ASIDE, BESIDES, SHORT, SORRY, UNFINISHED, beside, talk

_NOT = "\0not"  # stands for every word that negates: no key is spelled like this
_ADDRESS = re.compile(  # addresses, goals of links, and names of tags
    r"(?:https?://|www\.)[^\s)\]>\"']{1,2000}|(?<=\])\([^()\s]{1,2000}\)|</?[a-z][a-z0-9]{0,10}\b"
)
_MARKED = re.compile(r"[<\[(\u3010\u00b2\u00b3\u00b9\u2070\u2074-\u2079]")
_NAMED_A = re.compile(r"(?<=\w )A\b")  # `Tower A`; an article elsewhere
_LISTED = re.compile(r"(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]", re.IGNORECASE)
_TITLE = re.compile(r"\s*(?:#{1,6}\s.*|\*\*[^*\n]{1,100}\*\*\W*)|.*[:\uff1a][*_\s]*", re.DOTALL)
_LONGEST = 2000  # characters of a title that are searched for a verb
_END = 4  # words and marks of an unfinished sentence from its verb on: `the steps are as follows:`
_COMMAS = 4  # commas, colons and bars of a sentence at which its parts may have been exchanged
_NEAR = 8  # places of a word that are tried, to each side
_LONG = 100  # words of a claim; a longer one is restated only as a whole
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_PAIRS = 2  # overlapping pairs of characters that change with one character, in scripts without spaces
_SAME = 2 / 3  # share of the words of a denial that its quote has to hold, and of a claim that restates it


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
    cited: Container[str] | None = None,
) -> AnswerCoverage:
    """Finds the statements of an answer that no claim covers. No model is asked; time is linear in the answer.

    Args:
        answer: The answer.
        claims: What a judge found in it.
        question: The user's request.
        abstained: Whether the judge says that the answer declines.
        cited: The marks that name a source (`trail_callbacks.verify.citations.naming`); None if the sources are not
            known: then each number in brackets does.
    """
    reading = _Reading(answer, _trusted(answer, claims, question), question or "", abstained, cited)
    read = structured(answer)
    if read is None:
        reading.read(answer, lambda start, end: (start, end))
    else:
        for prose in read.prose:
            reading.read(prose.text, prose.span)
        reading.held += sum(len(keys(answer[each.start : each.end])) or 1 for each in read.entries)
    total = reading.held + reading.lost
    return AnswerCoverage(reading.held / total if total else None, tuple(reading.uncovered), reading.code)


def _trusted(answer: str, claims: Sequence[Claim], question: str | None) -> list[Claim]:
    """The claims that cover their words: a judge that calls a statement unfit to be checked covers none with it."""
    doubted = [claim for claim in claims if not claim.checkable and any(each.checkable for each in split(claim.quote))]
    read = {(each.start, each.end) for each in split(answer, question) if not each.checkable} if doubted else set()
    return [claim for claim in claims if claim not in doubted or (claim.start, claim.end) in read]


def covered(graph: ProvenanceGraph, extraction: Extraction, cited: Container[str]) -> tuple[Extraction, AnswerCoverage]:
    """Adds a claim for each statement of the graph's answer that no claim covers; it is marked `uncovered`."""
    answer = graph.answer.text if graph.answer else ""
    question = graph.question.text if graph.question else None
    found = coverage(answer, extraction.claims, question, abstained=extraction.abstained, cited=cited)
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
        self, answer: str, claims: Sequence[Claim], question: str, abstained: bool, cited: Container[str] | None
    ) -> None:
        self.uncovered: list[tuple[int, int, str]] = []
        self.held = self.lost = self.code = 0
        self._question, self._abstained, self._cited = question, abstained, cited
        guess = language(answer)
        self._language = guess or "en"
        known = guess or language(" ".join([answer, *(claim.text for claim in claims)]))
        self._negation = negation(known, answer.isascii() and all(claim.text.isascii() for claim in claims))
        self._light = beside() | common(known)
        self._texts = [self._told(claim) for claim in claims]
        quoting = [n for n, claim in enumerate(claims) if claim.quote]
        self._within = Within([claims[n] for n in quoting])
        self._quoting = [self._texts[n] for n in quoting]

    def _told(self, claim: Claim) -> _Told:
        words = [word.key for word in self._words(claim.text)]
        own = set(words) - {_NOT}
        same = len(own.intersection(keys(claim.quote))) >= _SAME * len(own)
        return _Told(words, denies=_NOT in words and same and not self._negation.search(claim.quote))

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
            self._sentence(sentence, span)

    def _sentence(self, sentence: Sentence, span: _Span) -> None:
        start, end = span(sentence.start, sentence.end)
        told = [self._quoting[n] for n in self._within.between(start, end)]
        said = sentence.text
        words = self._words(said)
        faults = self._left(said, words, told) if told else self._stated(said, words)
        if faults is None:
            return
        self.lost += len(faults)
        self.held += len(words) - len(faults) if told else 0
        if not faults:
            return
        first, last = (0, len(said)) if not told else (faults[0].start, faults[-1].end)
        start, end = span(sentence.start + first, sentence.start + last)
        self.uncovered.append((start, end, clean(said)))

    def _words(self, said: str) -> list[_Word]:
        """The content words of a sentence in order, and a word for each negation; marks that name a source are none."""
        shown = _ADDRESS.sub(blank, said)
        skip, _ = marker(shown)
        shown = " " * skip + shown[skip:] if shown[skip:].strip() else shown
        for mark in marks(said) if _MARKED.search(said) else ():
            written = said[mark.start : mark.end]
            if mark.bracketed and (mark.kind == "number" if self._cited is None else written in self._cited):
                shown = shown[: mark.start] + " " * len(written) + shown[mark.end :]
        hidden = {found.start() for found in hidden_signs(shown)}
        at = [n for n in range(len(shown)) if n not in hidden] if hidden else range(len(shown))
        shown = visible(shown)
        words = [
            _Word(key, at[term.start], at[term.end - 1] + 1)
            for term in terms(shown)
            if term.kind != "function"
            for key in keys(shown[term.start : term.end])
        ]
        words += [_Word("a", at[found.start()], at[found.start()] + 1) for found in _NAMED_A.finditer(shown)]
        words += [_Word(_NOT, at[found.start()], at[found.end() - 1] + 1) for found in self._negation.finditer(shown)]
        return sorted(words, key=lambda word: word.start)

    def _left(self, said: str, words: Sequence[_Word], told: Sequence[_Told]) -> list[_Word]:
        """Those words of a sentence that the claims which quote some of it do not keep."""
        negated = any(word.key == _NOT for word in words)
        if not negated:
            told = [each for each in told if not each.denies]
        plain = [word for word in words if word.key != _NOT]
        kept = self._kept(said, plain, told)
        framed = without_talk(said)
        denied = any(_NOT in each.places for each in told)
        lost = [word for word in words if word.key == _NOT and not denied]
        run: list[_Word] = []
        for n, word in enumerate(plain):
            if n in kept or word.key in self._light or not framed[word.start : word.end].strip():
                run = []
                continue
            run.append(word)
            if len(run) > _PAIRS or not _UNSPACED.match(word.key) or not any(each.writes(word.key) for each in told):
                lost += run
        return sorted(set(lost), key=lambda word: word.start)

    def _kept(self, said: str, words: Sequence[_Word], told: Sequence[_Told]) -> set[int]:
        """Which words of a sentence stand in the texts of claims, in their order, by index."""
        sequence = [word.key for word in words]
        if any(each.holds(sequence) for each in told):
            return set(range(len(words)))
        # `In 1990, it burnt` may become `It burnt in 1990`, and `Wheels: 3` `It has 3 wheels`
        commas = islice((at for at, sign in enumerate(said) if sign in ",:|\uff0c\u060c\uff1a"), _COMMAS)
        turns = dict.fromkeys([0, *(sum(word.start < comma for word in words) for comma in commas)])
        kept: Counter[str] = Counter()  # of a word that comes twice a claim may keep either
        for each in told:
            kept.update(sequence[n] for n in max((each.keeps(sequence, turn) for turn in turns), key=len))
        return {n for n, key in enumerate(sequence) if sequence[:n].count(key) < kept[key]}

    def _stated(self, said: str, words: Sequence[_Word]) -> list[_Word] | None:
        """The words of a sentence that no claim quotes, or None if it is no statement."""
        if self._abstained and _only_declines(said):
            return None
        framed = without_talk(_ADDRESS.sub(blank, said))
        left = [word for word in words if framed[word.start : word.end].strip() and word.key not in talk()]
        if not [word for word in left if word.key != _NOT]:
            if not left and not SHORT.fullmatch(framed.strip()):
                return None
            return [*left] or [_Word("", 0, len(said))]
        wanted = [word.key for word in left]
        if tuple(wanted) in self._restated or (is_question(said) and self._asked.issuperset(wanted)):
            return None
        if _TITLE.fullmatch(said) and self._leads(framed, wanted):
            return None
        if said.startswith("|") and not any(key[0].isdigit() for key in wanted):  # names of columns
            left = [] if any(each.holds(wanted) for each in self._texts) else left
        return left or None

    def _leads(self, said: str, wanted: Sequence[str]) -> bool:
        """Whether words only lead to what follows: no sentence, and none of them is new; a number has its claim."""
        new = set(wanted) - beside()
        numbered = any(key[0].isdigit() for key in new - self._asked)
        if (
            _NOT in wanted
            or not new <= self._known
            or (numbered and not any(new <= t.places.keys() for t in self._texts))
        ):
            return False
        if ASIDE.search(said) and (new <= self._asked or any(map(_holds, self._texts, repeat(wanted)))):
            return True
        finite = first_verb(found := tokenize(said[:_LONGEST]))
        return finite is None or (UNFINISHED.search(said) is not None and finite >= len(found) - _END)

    @cached_property
    def _restated(self) -> frozenset[tuple[str, ...]]:
        """What restates one claim: its words in their order, or most of them without the last ones."""
        return frozenset(tuple(each.words[:n]) for each in self._texts for n in each.most())

    @cached_property
    def _asked(self) -> frozenset[str]:
        return frozenset(word.key for word in self._words(self._question))

    @cached_property
    def _known(self) -> frozenset[str]:
        return self._asked.union(*(each.places for each in self._texts))


class _Told:
    """The words of a claim's text.

    Attributes:
        words: Their keys, in order.
        places: Where each stands among them.
        denies: Whether the claim denies what it quotes, in much the same words.
    """

    def __init__(self, words: Sequence[str], *, denies: bool) -> None:
        self.words, self.denies = [word for word in words if word not in talk()], denies
        self.places: dict[str, list[int]] = defaultdict(list)
        for place, key in enumerate(words):
            self.places[key].append(place)
        self._at = 0  # where the sentence before ended in it

    def writes(self, key: str) -> bool:
        """Whether it has a character of a pair."""
        return any(sign in each for sign in key for each in self.places)

    def most(self) -> range:
        """The numbers of its first words that say most of it; of a long text all."""
        n = len(self.words)
        return range(n if n > _LONG else ceil(n * _SAME), n + 1)

    def holds(self, words: Sequence[str]) -> bool:
        """Whether all of some words stand in it in the same order."""
        for first in dict.fromkeys((self._at, 0)):
            at = first
            for key in words:
                places = self.places.get(key, ())
                n = bisect_left(places, at)
                if n == len(places):
                    break
                at = places[n] + 1
            else:
                self._at = at - 1 if words else first
                return True
        return False

    def keeps(self, words: Sequence[str], turn: int) -> set[int]:
        """Returns which of some words, by index, stand in it in the same order: as many as can.

        The first ones, up to `turn`, are looked for behind the others (Hunt and Szymanski, 1977).
        """
        tops: list[int] = []  # the least place in which a part of each length ends
        ends: list[tuple[int, int]] = []  # the word and the link of each pair
        last: list[int] = []
        for n in [*range(turn, len(words)), *range(turn)]:
            places = self.places.get(words[n], ())
            near = max(0, bisect_left(places, self._at) - _NEAR)
            for place in reversed(places[near : near + 2 * _NEAR]):
                length = bisect_left(tops, place)
                if tops[length : length + 1] == [place]:
                    continue
                ends.append((n, last[length - 1] if length else -1))
                tops[length : length + 1] = [place]
                last[length : length + 1] = [len(ends) - 1]
        kept, link = set(), last[-1] if last else -1
        while link >= 0:
            n, link = ends[link]
            kept.add(n)
        return kept


def _holds(told: _Told, wanted: Sequence[str]) -> bool:
    return f" {' '.join(wanted)} " in f" {' '.join(told.words)} "


def _only_declines(said: str) -> bool:
    """Whether a sentence says that something is not known, and nothing besides."""
    return declines(said) and not BESIDES.search(SORRY.sub("", said))
