"""What stands beside the changed places of a corpus: real words elsewhere, such as `is`, are no real text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from trail_callbacks.canary.passages.html_text import looks_like_html, text_of_html
from trail_callbacks.canary.passages.letters import Letters, letters, letters_of_html
from trail_callbacks.canary.twin import Twin

__all__ = ["Surroundings"]

_LETTERS = 16  # on each side that have to be the same
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_TELLING = 24  # letters with which a place is recognised wherever it stands
_CLOSE = 2  # characters between a value and its symbol
_REACH = 400  # characters on each side in which they are looked for: between them may be tags


class Surroundings:
    """The letters and digits before and behind each replacement, in the real texts.

    Args:
        twin: The corpus and its twin.
    """

    def __init__(self, twin: Twin) -> None:
        self._edits = {edit.id: edit for edit in twin.edits}
        self._twin = twin
        self._of = lru_cache(maxsize=10_000)(self._around)

    def match(self, edit: str, text: str, passage: Letters, start: int, end: int) -> bool:
        """Tells whether a place of a passage has on both sides what the real text has beside a place of an edit.

        `40` in `takes 40 minutes` is not that of `costs 40 pounds`, nor is the `is` of a twin's `is not` the `is` of
        the real text. Where the passage begins or ends beside the place, only what it has is compared; where the twin
        goes on with other words from there, it cannot be told, and is not taken for real.

        Args:
            edit: Id of the edit.
            text: The passage.
            passage: Its letters.
            start: Offset of the place in the text.
            end: Offset after it.
        """
        first, last = passage.between(start, end)
        before, behind = passage.folded[max(0, first - _LETTERS) : first], passage.folded[last : last + _LETTERS]
        numbers = _NUMBER.findall(text[start:end])
        beside = text[max(0, start - _CLOSE) : end + _CLOSE]
        return any(
            around.before.endswith(before)
            and around.behind.startswith(behind)
            and around.numbers == numbers
            and all(symbol in beside for symbol in around.symbols)
            and (behind or not around.goes_on)
            and (before or not around.comes_from)
            for around in self._of(edit)
        )

    def in_twin(self, edit: str, passage: Letters, start: int, end: int) -> bool:
        """Tells whether the twin has a place of a passage too, with what stands beside it there.

        It cannot be told of a few letters, nor where the edit leaves the letters as they are.

        Args:
            edit: Id of the edit whose real words stand there.
            passage: Letters of the passage.
            start: Offset of the place in its text.
            end: Offset after it.
        """
        first, last = passage.between(start, end)
        shown = passage.folded[max(0, first - _LETTERS) : last + _LETTERS]
        if len(shown) < _TELLING or any(each.same_letters for each in self._of(edit)):
            return False
        return any(shown in each for each in self._fictive)

    @cached_property
    def _fictive(self) -> list[str]:
        """The letters of the twin; its HTML as the page shows it."""
        texts = (each.text for each in self._twin.fictive)
        return [(letters_of_html(text) if looks_like_html(text) else letters(text)).folded for text in texts]

    def _around(self, edit: str) -> Sequence[_Around]:
        found: list[_Around] = []
        for each in self._edits[edit].replacements:
            text = self._twin.real[each.document].text
            sides = text[max(0, each.start - _REACH) : each.start], text[each.end : each.end + _REACH]
            views = [(*sides, each.old)]
            if looks_like_html(text):
                views.append((text_of_html(sides[0])[0], text_of_html(sides[1])[0], text_of_html(each.old)[0]))
            old, new = letters(each.old).folded, letters(each.new).folded
            symbols = "".join(set(each.old) - set(each.new)).split() if old == new else []
            found += [
                _Around(
                    letters(before).folded,
                    letters(behind).folded,
                    _NUMBER.findall(value),
                    "".join(symbols),
                    same_letters=old == new,
                    goes_on=new.startswith(old),
                    comes_from=new.endswith(old),
                )
                for before, behind, value in views
            ]
        return found


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands beside a replacement, and what tells its words from the new ones.

    Attributes:
        before: Letters and digits before it.
        behind: Those behind it.
        numbers: Its numbers as written.
        symbols: What it has and the new words have not, if their letters are the same: the `$` of `$75` and `€75`.
        same_letters: The new words have the same letters.
        goes_on: The new words begin with the old ones.
        comes_from: They end with them.
    """

    before: str
    behind: str
    numbers: list[str]
    symbols: str
    same_letters: bool
    goes_on: bool
    comes_from: bool
