"""Where passages stand in a prompt: in linear time if they stand there in their order, or on lines of their own."""

from __future__ import annotations

from functools import cached_property

from trail_callbacks.capture.match import Text, overlap

__all__ = ["Places"]

_NEAR = 4_000  # characters after the passage before
_HEAD = 40  # characters by which a passage that was cut is found
_SEARCHES = 200  # of the whole prompt; more of them would take longer than anybody waits


class Places:
    """Finds passages in one prompt.

    Args:
        prompt: The prompt.
    """

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self._at = 0
        self._text = Text(prompt)
        self._searches = 0

    @cached_property
    def _lines(self) -> dict[str, int]:
        """Where each line begins, its first occurrence."""
        found: dict[str, int] = {}
        at = 0
        for line in self._prompt.splitlines(keepends=True):
            found.setdefault(line.strip(), at)
            at += len(line)
        return found

    def whole(self, text: str) -> int | None:
        """Returns where a text begins that the prompt holds as it is."""
        return self._find(text.strip())

    def part(self, text: str) -> int | None:
        """Returns where the beginning of a text stands, or the first part of it that is there."""
        head = text.strip()[:_HEAD].strip()
        found = self._find(head) if head else None
        if found is None and self._searches < _SEARCHES:
            self._searches += 1
            match = overlap(Text(text), self._text)
            found = min(start for start, _ in match.spans) if match else None
        return found

    def _find(self, text: str) -> int | None:
        if not text:
            return None
        found = self._prompt.find(text, self._at, self._at + _NEAR + len(text))
        if found < 0:
            line = self._lines.get(text.partition("\n")[0].strip())
            found = line if line is not None and self._prompt.startswith(text, line) else -1
        if found < 0 and self._searches < _SEARCHES:
            self._searches += 1
            found = self._prompt.find(text)
        if found < 0:
            return None
        self._at = found + len(text)
        return found
