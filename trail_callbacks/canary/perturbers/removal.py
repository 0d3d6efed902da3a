"""Removal: every statement of a fact goes, so that the documents no longer tell and abstaining is right."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, Size
from trail_callbacks.canary.facts.calendar import Mention, mentions
from trail_callbacks.canary.facts.facts import facts
from trail_callbacks.canary.facts.figures import Page, tells
from trail_callbacks.canary.facts.mentions import names_of
from trail_callbacks.canary.facts.neighbours import neighbours
from trail_callbacks.canary.facts.pages import pages
from trail_callbacks.canary.perturbers.statements import statements_of

__all__ = ["propose"]

_Target = tuple[str, Sequence[tuple[str, int]], str]  # as a person writes it, all its places, why it is no value


def propose(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes to remove a number, a date or a name, with all sentences, list items and table rows that state it.

    Left alone are statements that the text needs: one that the next leans on (`It also ...`), that introduces somebody
    who is named again, that is counted (`three kinds:`) or numbered, or with numbers that others follow from, such as a
    total; and facts that other sentences may tell in other words.

    Args:
        corpus: The documents.
        rng: Of all choices.
        sizes: Not used: nothing is left to be near or far.

    Yields:
        Edits in random order, and the facts that were left alone.
    """
    del sizes
    statements = statements_of(corpus)
    targets = [*_numbers(corpus), *_dates(corpus), *_names(corpus)]
    rng.shuffle(targets)
    for real, places, unfit in targets:
        removed = unfit or statements.stating(places)
        if isinstance(removed, str):
            yield Skipped(f"{places[0][0]}: unanswerable {real!r}", removed)
        else:
            gone = tuple(statements.replaced(each) for each in removed)
            yield Edit(id="", kind="unanswerable", real=real, fictive=None, replacements=gone)


def _numbers(corpus: Corpus) -> Iterator[_Target]:
    for fact in facts(corpus):
        places = [(each.page.document.id, each.start) for each in fact.figures]
        told = tells(fact.named) or any(each.row is not None for each in fact.figures)  # a column says what it is of
        yield fact.named.words, places, "" if told else "the number is no value by itself"


def _names(corpus: Corpus) -> Iterator[_Target]:
    for name in names_of(corpus).found:
        places = [(each.document, each.start) for word in name.words for each in name.mentions[word]]
        yield name.full, places, ""


def _dates(corpus: Corpus) -> Iterator[_Target]:
    """Dates with all that say the same day or a part of it, in documents that are about the same."""
    near = neighbours(corpus)
    by_year: dict[Page, dict[int, list[Mention]]] = {}
    for page in pages(corpus):
        by_year[page] = defaultdict(list)
        for date in mentions(page):
            by_year[page][date.key[0]].append(date)
    for page, years in by_year.items():
        about = sorted((page, *near[page]), key=lambda each: each.number)
        for year, dates in years.items():
            if not year:
                continue  # it may be of any year
            others = [each for other in about for key in (year, 0) for each in by_year[other].get(key, ())]
            for date in dates:
                same = [each for each in others if _compatible(date.key, each.key)]
                if not date.key[3] and same[0] is date:
                    yield date.words, [(each.page.document.id, each.start) for each in same], ""


def _compatible(one: tuple[int, int, int, bool], other: tuple[int, int, int, bool]) -> bool:
    """Whether two dates may be one: what both tell is the same, and they tell a year or a month both."""
    pairs = [(a, b) for a, b in zip(one[:3], other[:3], strict=True) if a and b]
    return (
        bool(pairs) and all(a == b for a, b in pairs) and any(a and b for a, b in zip(one[:2], other[:2], strict=True))
    )
