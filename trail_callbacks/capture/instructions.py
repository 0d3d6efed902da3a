"""Instructions: the text of a prompt that no earlier piece explains: its template's wording, or values of the app."""

from __future__ import annotations

import re
from collections.abc import Callable

from trail_callbacks.capture.link import Linker
from trail_callbacks.capture.match import Text
from trail_callbacks.capture.phrases import extended, trimmed
from trail_callbacks.capture.runs import Run, Slot
from trail_callbacks.graph import Origin
from trail_callbacks.text import forms

__all__ = ["InstructionFinder"]

_CONTENT = 4  # words; a shorter remainder is a label such as "Question:"
_WORD = 40  # characters; anything longer is more than one word
_Part = tuple[str, Origin]
_LETTER = re.compile(r"[^\W_]")


class InstructionFinder:
    """Finds the text of prompts that no earlier piece explains.

    Args:
        linker: Links pieces to the earlier pieces they came from.
        is_node: True for a piece that is a node of the graph; none of its text is unexplained.
        is_model: True for a piece that holds a model's words; they are left out, however short, unless
            a sentence around them makes them part of it.
    """

    def __init__(self, linker: Linker, is_node: Callable[[Slot], bool], is_model: Callable[[Slot], bool]) -> None:
        self._linker = linker
        self._is_node = is_node
        self._is_model = is_model
        self._known: dict[Slot, tuple[_Part, ...]] = {}

    def of(self, run: Run) -> dict[Origin, str]:
        """Returns the unexplained text of a run's inputs by who wrote it, one line for each part."""
        parts = dict.fromkeys(part for slot in run.inputs for part in self._remainders(slot))
        by_origin: dict[Origin, list[str]] = {}
        for text, origin in parts:
            if len(forms(text)) >= _CONTENT:
                by_origin.setdefault(origin, []).append(text)
        return {origin: "\n".join(texts) for origin, texts in by_origin.items()}

    def _remainders(self, slot: Slot) -> tuple[_Part, ...]:
        """Follows a piece back through pieces that only passed text on; iterative, as chains are long."""
        found: list[_Part] = []
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

    def _uncovered(self, slot: Slot) -> tuple[_Part, ...]:
        links = self._linker.of(slot)
        if any(link.opaque and link.basis != "scope" for link in links):
            return ()  # rewritten by code: not the prompt author's words
        if slot.piece.form == "tool_call":
            return ()
        text, at, parts = slot.piece.text, 0, []
        made = slot.side == "out" and slot.run.kind == "chain"  # by code of its inputs: no words are shared by chance
        spans = [(*span, link) for link in links for span in link.spans]
        for start, end, link in sorted(spans, key=lambda part: part[:2]):
            is_model = self._is_model(link.source)
            if not link.whole:
                first, last = (start, end) if made else trimmed(text, start, end, numbers=is_model)
                start, end = extended(text, first, last) if first < last else (first, last)  # noqa: PLW2901 - the same
            word = end - start <= _WORD and not Text(text[start:end]).distinctive
            if word and not (is_model and start < end and _apart(text, start, end)):
                continue  # an input such as "rye" does not split the sentence that happens to contain the word
            if start > at:
                parts.append(text[at:start])
            at = max(at, end)
        parts.append(text[at:])
        origin = _author(slot)
        return tuple((part.strip(), origin) for part in parts if _LETTER.search(part))


def _apart(text: str, start: int, end: int) -> bool:
    """True if no other word stands beside a part of a text on its line."""
    before, after = text[:start].rstrip(" \t"), text[end:].lstrip(" \t")
    return not before[-1:].isalnum() and not after[:1].isalnum()


def _author(slot: Slot) -> Origin:
    """Who wrote words that no step produced: the app if it passed them to its own code, else the prompt's template.

    What is in the state or the input of a step of code is a value, but for a system message; the adapter may know more
    about a model's input.
    """
    value = slot.run.kind == "chain" and slot.piece.role != "system"
    return slot.piece.origin or ("given" if value else "template")
