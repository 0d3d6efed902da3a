"""What remains of a prompt once everything explained is taken away: the words of whoever wrote the prompt."""

from __future__ import annotations

import re
from collections.abc import Callable

from trail_callbacks.capture.link import Linker
from trail_callbacks.capture.match import Text
from trail_callbacks.capture.runs import Run, Slot
from trail_callbacks.text import forms

__all__ = ["Residue"]

_CONTENT = 4  # words from which a remainder says something; less is a label such as "Question:"
_WORDS = 40  # characters; whatever is longer is no single word
_EDGE = re.compile(r"^[\s\W_]+|[\s\W_]+$")


class Residue:
    """Finds the text of prompts that no earlier piece explains.

    Args:
        linker: Where pieces come from.
        is_node: True for a piece that is a node of the graph: it explains all of its text.
    """

    def __init__(self, linker: Linker, is_node: Callable[[Slot], bool]) -> None:
        self._linker = linker
        self._is_node = is_node
        self._known: dict[Slot, tuple[str, ...]] = {}

    def of(self, run: Run) -> str:
        """Returns the unexplained text of a run's inputs, a paragraph a remainder; empty if it says nothing."""
        parts = (part for slot in run.inputs for part in self._remainders(slot))
        return "\n".join(dict.fromkeys(part for part in parts if len(forms(part)) >= _CONTENT))

    def _remainders(self, slot: Slot) -> tuple[str, ...]:
        """Follows a piece back through text that was only handed on; iterative, as chains are long."""
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
            if end - start <= _WORDS and not Text(text[start:end]).distinctive:
                continue  # a word such as "rye", given by somebody, does not cut the sentence it stands in
            if start > at:
                parts.append(text[at:start])
            at = max(at, end)
        parts.append(text[at:])
        return tuple(stripped for part in parts if (stripped := _EDGE.sub("", part) and part.strip()))
