"""Order: what was first becomes second, what was larger becomes smaller, items of a ranking change places."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, Replacement, Size
from trail_callbacks.canary.facts.figures import Page
from trail_callbacks.canary.facts.pages import pages
from trail_callbacks.language.values.numerals import ORDINALS

__all__ = ["propose"]

_OPPOSITES = """
larger smaller|bigger smaller|greater less|higher lower|longer shorter|taller shorter|older younger|newer older|
faster slower|heavier lighter|earlier later|warmer colder|hotter cooler|wider narrower|deeper shallower|stronger weaker|
richer poorer|closer farther|nearer farther|brighter darker|thicker thinner|better worse|louder quieter|cheaper dearer|
größer kleiner|höher niedriger|länger kürzer|älter jünger|schneller langsamer|schwerer leichter|teurer billiger|
früher später|wärmer kälter|breiter schmaler|stärker schwächer|more less
"""
_PAIRS = [(a, b) for a, b in (each.split() for each in reversed(_OPPOSITES.split("|")))]
_OPPOSITE = {b: a for a, b in _PAIRS} | dict(_PAIRS)
_COMPARED = re.compile(
    r"(?<!\bno )(?<!\bnot )(?:"
    rf"\b(?P<word>{'|'.join(word for word in _OPPOSITE if word not in {'more', 'less'})})\s(?:than|als)\b"
    r"(?!\s(?:\W?\d|one|two|three|four|five|six|seven|eight|nine|ten|twenty|half|a\s(?:hundred|thousand|dozen)))"
    r"|\b(?P<degree>more|less)\s(?!than\b)[^\W\d_]+(?:al|ant|ble|ed|ent|ful|ic|ing|ive|ous|y|ar)\sthan\b)",
    re.IGNORECASE,
)
_DEGREES = {"more": "less", "less": "more"}
_LOOK_BACK = 40
_PAIRED = re.compile(r"\b\w+er,?\s(?:and|or)\s$", re.IGNORECASE)
_IS = re.compile(
    r"\b(?:is|are|was|were|be|been|being|(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|metres?|meters?|km|cm|feet|inches))"
    r"\s(?:(?:much|far|slightly|even|considerably|significantly|a\slittle|a\sbit|no|not)\s)?$",
    re.IGNORECASE,
)  # what `shorter` can stand behind; elsewhere `longer` is said of how something is done
_LAST = 10
_RANKS = sorted((word for word, value in ORDINALS.items() if value <= _LAST), key=len, reverse=True)
_RANK = re.compile(
    rf"(?<!\bat )(?<!\ba )(?<!\bone )(?<!\bevery )(?<!\w)(?P<rank>{'|'.join(_RANKS)}|1st|2nd|3rd|[4-9]th|10th)\b"
    r"(?!,|\s(?:aid|time|ever|name|half|hand|world|class|quarter|grade|lady|degree|and\s(?:foremost|last))\b|-)",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\s?(?:,|and|or|to|and\sthe|or\sthe|-|/|\u2013)\s?", re.IGNORECASE)
_ITEM = re.compile(r"^[ \t]{0,8}(?P<number>\d{1,2})[.)][ \t]+(?P<said>\S[^\n]{0,300}?)[ \t]*$", re.MULTILINE)
_RANKING = re.compile(
    r"\b(?:rank\w*|top|largest|biggest|smallest|longest|highest|oldest|fastest|richest|best|worst|most|least|podium|winners?|"
    r"results?|order|places?|schedule|chronolog\w*|rangliste|reihenfolge)\b",
    re.IGNORECASE,
)
_LEAD = 200  # characters above a list that say what it is
_WORDS = 8  # words of a statement that are compared with others


@dataclass(frozen=True, slots=True, eq=False)
class _Statement:
    """What can be turned round: places with what stands there then, and the words that say what it is about."""

    page: Page
    line: int
    swaps: Sequence[tuple[int, int, str]]
    real: str
    fictive: str
    about: frozenset[str]


def propose(
    corpus: Corpus,
    rng: random.Random,
    sizes: Sequence[Size],  # noqa: ARG001 - order has no scale
) -> Iterator[Edit | Skipped]:
    """Proposes to turn an order round.

    That is a comparison (`larger than` becomes `smaller than`), two ranks in one sentence, or two neighbours in a
    numbered list of which the line above says that it is a ranking. Other sentences about the same, which share two
    words with it, are turned round with it. Left alone are comparisons beside the numbers that are
    compared. English; comparisons also in German.

    Args:
        corpus: The documents.
        rng: Of all choices.
        sizes: Not used.

    Yields:
        Edits in random order, and what was left alone.
    """
    read = pages(corpus)
    spread = Counter(key for page in read for key in page.keys)
    found: list[_Statement] = []
    for page in read:
        for each in (*_comparisons(page), *_ranks(page), *_lists(page)):
            kinds = Counter(figure.quantity.kind for figure in page.figures if figure.line == each.line)
            if max(kinds.values(), default=0) > 1:
                place = f"{page.document.id}: order {each.real!r}"
                yield Skipped(place, "the numbers that are compared stand beside it")
            else:
                found.append(each)
    groups = _groups(found, spread)
    rng.shuffle(groups)
    for group in groups:
        first = group[0]
        places = [
            Replacement(each.page.document.id, start, end, each.page.text[start:end], new)
            for each in group
            for start, end, new in each.swaps
        ]
        forms = dict.fromkeys((each.real, each.fictive) for each in group)
        forms.pop((first.real, first.fictive))
        yield Edit(
            id="", kind="order", real=first.real, fictive=first.fictive, replacements=tuple(places), forms=tuple(forms)
        )


def _comparisons(page: Page) -> Iterator[_Statement]:
    taken: set[int] = set()
    for match in _COMPARED.finditer(page.text):
        line = page.line_of(match.start())
        if line in taken or page.fixed.overlap(*match.span()):
            continue
        taken.add(line)
        start, end = match.span("word" if match["word"] else "degree")
        old = page.text[start:end]
        if not _turns(old.lower(), page.text[max(0, start - _LOOK_BACK) : start]):
            continue
        new = _like(old, _OPPOSITE[old.lower()] if match["word"] else _DEGREES[old.lower()])
        real = match[0]
        fictive = new + real[end - start :]
        yield _Statement(page, line, ((start, end, new),), real, fictive, page.said(line) - {old.casefold()})


def _turns(word: str, before: str) -> bool:
    """Whether the opposite of a comparative can stand there: `it lasts longer` and `faster and faster` have none."""
    return _PAIRED.search(before) is None and (word != "longer" or _IS.search(before) is not None)


def _ranks(page: Page) -> Iterator[_Statement]:
    lines: dict[int, list[re.Match[str]]] = defaultdict(list)
    for match in _RANK.finditer(page.text):
        if not page.fixed.overlap(*match.span()):
            lines[page.line_of(match.start())].append(match)
    for line, (one, *others) in lines.items():
        if len(others) != 1 or one[0].casefold() == others[0][0].casefold():
            continue
        other = others[0]
        if _JOINED.fullmatch(page.text, one.end(), other.start()):
            continue  # `the third or fourth year` is the same either way round
        a, b = _like(one[0], other[0].casefold()), _like(other[0], one[0].casefold())
        whole = page.text[one.start() : other.end()]
        turned = a + page.text[one.end() : other.start()] + b
        swaps = ((*one.span(), a), (*other.span(), b))
        yield _Statement(page, line, swaps, whole, turned, page.said(line))


def _lists(page: Page) -> Iterator[_Statement]:
    items = list(_ITEM.finditer(page.text))
    taken = -1
    for one, other in pairwise(items):
        follows = int(other["number"]) == int(one["number"]) + 1 and page.text[one.end() : other.start()].strip() == ""
        if not follows or one.start() <= taken or int(one["number"]) != 1 or one["said"] == other["said"]:
            continue
        lead = page.text[max(0, one.start() - _LEAD) : one.start()].strip().rpartition("\n")[2]
        if not _RANKING.search(lead) or page.fixed.overlap(one.start(), other.end()):
            continue
        taken = other.start()
        swaps = ((*one.span("said"), other["said"]), (*other.span("said"), one["said"]))
        line = page.line_of(one.start("said"))
        said = page.said(line) | page.said(page.line_of(other.start("said")))
        yield _Statement(page, line, swaps, f"1. {one['said']}", f"1. {other['said']}", said)


def _like(old: str, new: str) -> str:
    """With the capitals of what stood there."""
    return new.upper() if old.isupper() and len(old) > 1 else new.capitalize() if old[0].isupper() else new


def _groups(found: Sequence[_Statement], spread: Mapping[str, int]) -> list[list[_Statement]]:
    """Statements about the same two things, by pairs of their rarest words."""
    groups: list[list[_Statement]] = []
    by_pair: dict[tuple[str, str], int] = {}
    for each in found:
        words = sorted(each.about, key=lambda word: (spread[word], word))[:_WORDS]
        pairs = [(a, b) for i, a in enumerate(words) for b in words[i + 1 :]]
        known = next((by_pair[pair] for pair in pairs if pair in by_pair), None)
        if known is None:
            known = len(groups)
            groups.append([])
        groups[known].append(each)
        for pair in pairs:
            by_pair.setdefault(pair, known)
    return groups
