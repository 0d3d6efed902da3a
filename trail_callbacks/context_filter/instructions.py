"""Passages that speak to the model that will read them."""

from __future__ import annotations

import codecs
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

from trail_callbacks.context_filter.hidden import invisible, traces, unseen
from trail_callbacks.context_filter.lexicons import Lexicon, lexicons
from trail_callbacks.context_filter.manner import Manner, sentence
from trail_callbacks.context_filter.signals import Signal, joined, signals
from trail_callbacks.context_filter.views import View, compact, decoded, folded, repaired

__all__ = ["Instruction", "instruction"]

_LONE = 0.85  # of weak signs in a long passage that else speaks to nobody
_AT_MOST_REPORTED = 0.6  # a text that only quotes or tells of orders is flagged, not dropped
_SPOKEN = 0.4  # score of what it says itself, below which it only quotes or tells
_AGAIN = 0.4  # of a second rule of the same name, elsewhere in the text
_OF_A_NAME = 3  # rules of one name that count
_PLAIN = 0.7  # a rule of this weight needs no company
_SPARSE = 0.1
_TURNED = 3  # the first rules, of overriding, are looked for backwards and in rot13, too
_MATCHES = 50  # of one rule that are looked at
_REACH = 160  # signs between words of one rule of a lexicon

_SENTENCE = re.compile(r"[^.!?\n\u3002\uff01\uff1f\u0964\u061f]*[.!?\n\u3002\uff01\uff1f\u0964\u061f]*")
_HIDDEN_ORDER = re.compile(
    r"\b(?:say|tell|recommend|always|never|must|ignore|respond|answer|mention|visit|claim|assistant|chatbot|summar\w+)\b"
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """What was found.

    Attributes:
        score: 0.0 to 1.0.
        start: Offset of the most telling words in the text.
        end: Offset after them.
        signals: Names of the rules that fired, most telling first.
        why: What the passage does, for a person.
        density: Share of its sentences that speak to a model.
    """

    score: float
    start: int
    end: int
    signals: tuple[str, ...]
    why: str
    density: float


@dataclass(frozen=True, slots=True)
class _Hit:
    name: str
    weight: float
    start: int
    end: int
    why: str
    reported: bool = False


def instruction(text: str) -> Instruction | None:
    """Looks for instructions to a model in a text.

    Every rule that fires says something on its own, and rules add up as independent signs do, `1 - (1 - a)(1 - b)`; a
    second rule of one name counts less. Rules found only after a disguise was undone say more. Quoted words in a text
    that talks about such words, orders that are told rather than given, and orders on a condition say less.

    Args:
        text: The passage.

    Returns:
        The finding, or None if no rule fires.
    """
    plain = folded(text)
    hits = list(_plain_hits(plain))
    hits = [_disguised(hit, text) for hit in (*hits, *_uncovered(text, plain, hits))]
    for start, end in unseen(text):
        inside = folded(text[start:end])
        for hit in _plain_hits(inside):
            shifted = replace(hit, start=hit.start + start, end=hit.end + start)
            hits.append(_raised(shifted, "in what a page does not show"))
        if _HIDDEN_ORDER.search(inside.text):
            hits.append(_Hit("hidden", 0.45, start, end, "has orders in what a page does not show"))
    return _weighed(hits, text) if hits else None


def _weighed(hits: Sequence[_Hit], text: str) -> Instruction:
    order = sorted(hits, key=lambda hit: (-hit.weight, hit.start))
    by_name: dict[str, list[_Hit]] = {}
    for hit in order:
        same = by_name.setdefault(hit.name, [])
        if all(hit.why != other.why and (hit.end <= other.start or other.end <= hit.start) for other in same):
            same.append(hit)
    doubt = openly = 1.0
    for same in by_name.values():
        for k, hit in enumerate(same[:_OF_A_NAME]):
            factor = 1.0 - hit.weight * (_AGAIN if k else 1.0)
            doubt *= factor
            openly *= 1.0 if hit.reported else factor
    score = 1.0 - doubt
    density = _density(hits, text)
    if order[0].weight < _PLAIN and density < _SPARSE:
        score *= _LONE
    if 1.0 - openly < _SPOKEN:
        score = min(score, _AT_MOST_REPORTED)
    first = order[0]
    return Instruction(min(score, 0.99), first.start, first.end, tuple(by_name), f"It {first.why}.", density)


def _density(hits: Sequence[_Hit], text: str) -> float:
    total = touched = 0
    starts = sorted(hit.start for hit in hits)
    for match in _SENTENCE.finditer(text):
        if any(map(str.isalnum, match[0])):
            total += 1
            touched += bisect_left(starts, match.start()) < bisect_left(starts, match.end())
    return min(1.0, touched / total) if total else 1.0


def _plain_hits(view: View) -> Iterator[_Hit]:
    """What the text says openly, with what lessens it."""
    manner = Manner(view.text)
    for signal, span in _matches(view, signals()):
        weight, reported = manner.weigh(signal, *span)
        if weight:
            yield _Hit(signal.name, weight, *view.original(*span), signal.why, reported)
    for name, own, why, span in _translated(view):
        weight, reported = manner.weigh_translated(name, own, *span)
        yield _Hit(name, weight, *view.original(*span), why, reported)


def _matches(view: View, rules: Sequence[Signal]) -> Iterator[tuple[Signal, tuple[int, int]]]:
    for signal in rules:
        for match in islice(signal.pattern.finditer(view.text), _MATCHES):
            if match.end() > match.start():
                yield signal, match.span()


def _translated(view: View) -> Iterator[tuple[str, float, str, tuple[int, int]]]:
    for words in lexicons(latin=view.text.isascii()):
        there = {first for first in (words.ignore, words.show, words.role, words.model) if first.search(view.text)}
        for weight, name, parts, why in _combinations(words) if there else ():
            span = _together(view.text, parts) if parts[0] in there else None
            if span is not None:
                yield name, weight, why, span


@cache
def _combinations(words: Lexicon) -> tuple[tuple[float, str, tuple[re.Pattern[str], ...], str], ...]:
    return (
        (0.75, "override", (words.ignore, words.orders, words.earlier), "asks to ignore earlier instructions"),
        (0.55, "override", (words.ignore, words.orders, words.every), "asks to ignore instructions"),
        (0.4, "override", (words.ignore, words.earlier), "asks to ignore what was said before"),
        (0.7, "reveal", (words.show, words.hidden), "asks for hidden instructions"),
        (0.7, "role", (words.role, words.model), "gives the model another role"),
        (0.45, "role", (words.role,), "gives the reader another role"),
        (0.2, "address", (words.model,), "speaks of models"),
    )


def _together(text: str, parts: Sequence[re.Pattern[str]]) -> tuple[int, int] | None:
    """The first stretch of a sentence that holds one match of each pattern, none upon another."""
    for match in islice(parts[0].finditer(text), _MATCHES):
        if len(parts) == 1:
            return match.span()
        low, high = sentence(text, *match.span())
        low, high = max(low, match.start() - _REACH), min(high, match.end() + _REACH)
        found = [match.span()]
        for pattern in parts[1:]:
            spans = (other.span() for other in pattern.finditer(text, low, high))
            free = next((s for s in spans if all(s[1] <= f[0] or f[1] <= s[0] for f in found)), None)
            if free is None:
                break
            found.append(free)
        else:
            return min(start for start, _ in found), max(end for _, end in found)
    return None


def _uncovered(text: str, plain: View, hits: Sequence[_Hit]) -> Iterator[_Hit]:
    """What comes to light when a disguise is undone."""
    known = {(hit.name, hit.start) for hit in hits}
    mended = repaired(plain)
    if mended is not None:
        for hit in _plain_hits(mended):
            if (hit.name, hit.start) not in known:
                yield _raised(hit, "in altered letters")
    spelt = compact(plain)
    if spelt is not None:
        for signal, span in _matches(spelt, joined()):
            hit = _Hit(signal.name, signal.weight, *spelt.original(*span), signal.why)
            yield _raised(hit, "spelt out letter by letter")
    for view in decoded(text):
        for hit in _plain_hits(view):
            yield _raised(replace(hit, reported=False), f"in {view.name}")
    for trace in traces(text):
        yield _Hit("hidden", trace.weight, trace.start, trace.end, trace.why)
    yield from _turned(plain)


def _turned(plain: View) -> Iterator[_Hit]:
    whole = len(plain.text)
    for signal in signals()[:_TURNED]:
        if match := signal.pattern.search(plain.text[::-1]):
            span = plain.original(whole - match.end(), whole - match.start())
            yield _raised(_Hit(signal.name, signal.weight, *span, signal.why), "read backwards")
        if match := signal.pattern.search(codecs.encode(plain.text, "rot13")):
            yield _raised(_Hit(signal.name, signal.weight, *plain.original(*match.span()), signal.why), "in rot13")


def _raised(hit: _Hit, how: str) -> _Hit:
    """Who hides an order knows what it is."""
    return replace(hit, weight=1.0 - (1.0 - hit.weight) * 0.5, why=f"{hit.why}, {how}", reported=False)


def _disguised(hit: _Hit, text: str) -> _Hit:
    """Raises what stands in look-alike, ornamental or interrupted letters."""
    written = text[hit.start : hit.end]
    if written.isascii() or hit.name == "hidden" or ", " in hit.why:
        return hit
    odd = invisible(written) or any(_odd(word) for word in re.findall(r"\w+", written))
    return _raised(hit, "in disguised letters") if odd else hit


def _odd(word: str) -> bool:
    """Whether a word mixes scripts that look alike, or has ornamental forms of Latin letters."""
    if word.isascii():
        return False
    names = {unicodedata.name(sign, "?").split()[0] for sign in word if sign.isalpha()}
    return bool(names & {"MATHEMATICAL", "FULLWIDTH", "CIRCLED", "SQUARED", "NEGATIVE"}) or (
        "LATIN" in names and bool(names & {"CYRILLIC", "GREEK", "ARMENIAN"})
    )
