"""Changes of a passage: which of a document's changed places it has, and its text after them."""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from trail_callbacks.canary.passages.html_text import text_of_html
from trail_callbacks.canary.passages.letters import Letters, letters
from trail_callbacks.canary.passages.places import Places, Run, Spot, gaps

__all__ = ["Change", "changes_at", "changes_in", "shown_part", "swapped"]

_WORD = re.compile(r"\S+")
_GAP = 8  # characters of whitespace and punctuation that one of an edit may stand for


@dataclass(frozen=True, slots=True)
class Change:
    """What is put in place of a part of a passage.

    Attributes:
        edit: Id of the edit.
        start: Offset in the passage.
        end: Offset after it.
        new: The words to put there.
        whole: The passage has all of the words that are replaced.
    """

    edit: str
    start: int
    end: int
    new: str
    whole: bool = True


def swapped(text: str, changes: Sequence[Change]) -> str:
    """Returns a text after changes; of two that overlap the first one counts."""
    parts: list[str] = []
    at = 0
    for change in sorted(changes, key=lambda each: (each.start, each.end)):
        if change.start >= at:
            parts += (text[at : change.start], change.new)
            at = change.end
    return "".join((*parts, text[at:]))


def changes_at(spots: Sequence[Spot], at: int, text: str) -> list[Change]:
    """Returns the changes of a passage that stands in a document word for word, at an offset."""
    end = at + len(text)
    found = []
    # Places do not overlap, so those that end behind the beginning come last.
    for spot in spots[bisect_left(spots, at, key=lambda each: each.end) :]:
        if spot.start > end:
            break
        inner = max(spot.start, at), min(spot.end, end)
        if inner[0] == inner[1] and spot.start != spot.end:
            continue
        whole = inner == (spot.start, spot.end)
        new = spot.new if whole else shown_part(spot.old, spot.new, inner[0] - spot.start, inner[1] - spot.start)
        found.append(Change(spot.edit, inner[0] - at, inner[1] - at, new, whole))
    return found


def changes_in(
    places: Places, document: str, text: str, passage: Letters, parts: Sequence[tuple[int, int]], *, context: int = 0
) -> tuple[list[Change], list[tuple[int, int]]]:
    """Returns the changes of parts of a passage by one document, and which parts of it the document does not have.

    Args:
        places: The changed places.
        document: The document.
        text: The passage.
        passage: Its letters.
        parts: Ranges of its letters which are looked at.
        context: Letters that a run must share beside those of a changed place; else it is not taken for that place.
    """
    size = len(passage.folded)
    if list(parts) == [(0, size)]:
        for view, run in places.whole(document, passage):
            return _of_run(places.spots.get(document, ()), view, run, text, passage), []
    changes: list[Change] = []
    rest: list[tuple[int, int]] = []
    for start, end in parts:
        view, found = places.parts(document, passage, start, end)
        runs = []
        for run in found:
            made = _of_run(places.spots.get(document, ()), view, run, text, passage)
            own = (len(letters(text[each.start : each.end]).folded) for each in made)
            if run.end - run.start - max(own, default=0) >= context or not made:
                runs.append(run)
                changes.extend(made)
        kept = [Run(0, start, 0), *runs, Run(end, size, 0)]
        rest.extend(gaps(kept, size))
    return changes, rest


def shown_part(old: str, new: str, start: int, end: int) -> str:
    """Returns what stands for `old[start:end]` where the border of a passage cuts the rest off.

    Whole words only: no real word and no half of a fictive one is shown, and two passages that share a border show no
    word twice.

    - If both have as many words, each stands for the one in its place: of `40 minutes` and `53 minutes`, a passage that
      ends after `40` shows `53`, and the next one `minutes`.
    - Otherwise the passage with the whole first word shows all of `new`, and the other ones nothing of it.
    - A word that the border cuts through is shown on neither side.

    Args:
        old: The words of the real text.
        new: The words of the other.
        start: Offset in `old` of the first character that the passage has.
        end: Offset after its last one.
    """
    words = [match.span() for match in _WORD.finditer(old)]
    inside = [start <= first and last <= end for first, last in words]
    others = _WORD.findall(new)
    if len(others) == len(words):
        return " ".join(word for word, shown in zip(others, inside, strict=True) if shown)
    return new if inside and inside[0] else ""


def _of_run(spots: Sequence[Spot], view: Letters, run: Run, text: str, passage: Letters) -> list[Change]:
    found = []
    length = run.end - run.start
    low = int(view.offsets[run.at - 1]) + 1 if run.at else 0
    high = int(view.offsets[run.at + length]) if run.at + length < len(view.offsets) else math.inf
    for spot in spots[bisect_left(spots, low, key=lambda each: each.end) :]:
        if spot.start > high:
            break
        start, end = view.between(spot.start, spot.end)
        first, last = max(start, run.at), min(end, run.at + length)
        if first > last or (first == last and start != end):
            continue
        shift = run.start - run.at
        if start == end:
            inside = run.at < start < run.at + length
            if inside or (start + shift) in (0, len(passage.folded)):
                found.extend(_without_letters(spot, start + shift, run, text, passage, whole=inside))
        elif (first, last) == (start, end):
            at_edge = (start == run.at and run.start > 0) or (end == run.at + length and run.end < len(passage.folded))
            if at_edge and _says_new(spot, passage, start + shift):
                continue
            found.append(_around(spot, view, start + shift, text, passage))
        # Elsewhere than at the border the passage says something else here, perhaps what the twin says.
        elif (first == start or run.start == 0) and (last == end or run.end == len(passage.folded)):
            cut = (
                0 if first == start else int(view.offsets[first]) - spot.start,
                len(spot.old) if last == end else int(view.offsets[last - 1]) + 1 - spot.start,
            )
            new = shown_part(spot.old, spot.new, *cut)
            inner = (
                int(passage.offsets[first + shift]) if first == start else 0,
                int(passage.offsets[last - 1 + shift]) + 1 if last == end else len(text),
            )
            found.append(Change(spot.edit, *inner, new, whole=False))
    return found


def _says_new(spot: Spot, passage: Letters, at: int) -> bool:
    """True if what looks like the old words is a part of the new ones, as `is` of `is not`."""
    old, new = letters(spot.old).folded, letters(spot.new).folded
    inside = new.find(old)
    return inside >= 0 and at >= inside and passage.folded.startswith(new, at - inside)


def _around(spot: Spot, view: Letters, at: int, text: str, passage: Letters) -> Change:
    """A change of words, with the punctuation and whitespace that the edit takes with them."""
    first, last = view.between(spot.start, spot.end)
    start = int(passage.offsets[at])
    end = int(passage.offsets[at + last - first - 1]) + 1
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    parts = spot.old[: int(view.offsets[first]) - spot.start], spot.old[int(view.offsets[last - 1]) + 1 - spot.start :]
    new = spot.new
    if view.of_page and spot.old not in text:  # the passage is what a page shows, without its tags and entities
        parts, new = (text_of_html(parts[0])[0], text_of_html(parts[1])[0]), text_of_html(new)[0]
    for character in reversed(parts[0]):
        start -= _taken(text[max(0, start - _GAP) : start][::-1], character)
    for character in parts[1]:
        end += _taken(text[end : end + _GAP], character)
    return Change(spot.edit, start, end, new)


def _taken(text: str, character: str) -> int:
    """How many characters at the beginning of a text stand for one; whitespace may be longer, or missing."""
    blank = len(text) - len(text.lstrip())
    if character.isspace():
        return blank
    return blank + 1 if text[blank : blank + 1] == character else 0


def _without_letters(spot: Spot, at: int, run: Run, text: str, passage: Letters, *, whole: bool) -> list[Change]:
    """A change of what has no letters: an insertion, or a symbol such as a currency's."""
    left = 0 if at <= run.start else int(passage.offsets[at - 1]) + 1
    right = len(text) if at >= run.end else int(passage.offsets[at])
    if spot.old.strip():
        found = text.find(spot.old.strip(), left, right)
        return [] if found < 0 else [Change(spot.edit, found, found + len(spot.old.strip()), spot.new.strip(), whole)]
    at = left if spot.new[:1].isspace() else right
    return [Change(spot.edit, at, at, spot.new, whole)]
