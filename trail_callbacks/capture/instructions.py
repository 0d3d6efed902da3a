"""Instructions: the text of a prompt that no earlier piece explains, so its author must have written it."""

from __future__ import annotations

import re
from collections.abc import Callable

from trail_callbacks.capture.link import Linker
from trail_callbacks.capture.match import Text
from trail_callbacks.capture.runs import Run, Slot
from trail_callbacks.text import forms

__all__ = ["InstructionFinder"]

_CONTENT = 4  # words; a shorter remainder is a label such as "Question:"
_WORD = 40  # characters; anything longer is more than one word
_EDGE = re.compile(r"^[\s\W_]+|[\s\W_]+$")


class InstructionFinder:
    """Finds the text of prompts that no earlier piece explains.

    Args:
        linker: Links pieces to the earlier pieces they came from.
        is_node: True for a piece that is a node of the graph; none of its text is unexplained.
    """

    def __init__(self, linker: Linker, is_node: Callable[[Slot], bool]) -> None:
        self._linker = linker
        self._is_node = is_node
        self._known: dict[Slot, tuple[str, ...]] = {}

    def of(self, run: Run) -> str:
        """Returns the unexplained text of a run's inputs, one line for each part; empty if there is no content."""
        parts = (part for slot in run.inputs for part in self._remainders(slot))
        return "\n".join(dict.fromkeys(part for part in parts if len(forms(part)) >= _CONTENT))

    def _remainders(self, slot: Slot) -> tuple[str, ...]:
        """Follows a piece back through pieces that only passed text on; iterative, as chains are long."""
        found: list[str] = []
        todo, seen = [slot], {slot}
        while todo:
            here = todo.pop()
            known = self._known.get(here)
            if known is None:
                known = self._known[here] = () if self._is_node(here) else self._uncovered(here)
            found += known
            if not self._is_node(here):
                sources = [link.source for link in self._linker.of(here) if not link.opaque]
                todo += [source for source in sources if source not in seen]
                seen.update(sources)
        return tuple(found)

    def _uncovered(self, slot: Slot) -> tuple[str, ...]:
        links = self._linker.of(slot)
        if any(link.opaque and link.basis != "scope" for link in links):
            return ()  # rewritten by code: not the prompt author's words
        if slot.piece.form == "tool_call":
            return ()
        text, at, parts = slot.piece.text, 0, []
        for start, end in sorted(span for link in links for span in link.spans):
            if end - start <= _WORD and not Text(text[start:end]).distinctive:
                continue  # an input such as "rye" does not split the sentence that happens to contain the word
            if start > at:
                parts.append(text[at:start])
            at = max(at, end)
        parts.append(text[at:])
        return tuple(stripped for part in parts if (stripped := _EDGE.sub("", part) and part.strip()))
