"""Which outputs of plain code are sources: what it looked up unseen, not what it was given and only rewrote."""

from __future__ import annotations

from collections.abc import Sequence

from trail_callbacks.capture.lineage import LineageResolver
from trail_callbacks.capture.link import Link, Linker
from trail_callbacks.capture.phrases import trimmed
from trail_callbacks.capture.runs import Run, Slot

__all__ = ["CodeOutputs"]

_FEW = 16  # outputs of one run
_WORDS = 2  # that a value needs to be a source; one word is a label or a choice


class CodeOutputs:
    """Tells the sources among the outputs of code in which nothing was recorded.

    Args:
        linker: Links pieces to the earlier pieces they came from.
        resolver: Finds the nodes behind a piece.
    """

    def __init__(self, linker: Linker, resolver: LineageResolver) -> None:
        self._linker = linker
        self._resolver = resolver
        self._words: tuple[Run | None, set[str]] = None, set()
        self._histories: dict[Run, bool] = {}

    def is_source(self, slot: Slot) -> bool:
        """True if the code is the source of a text: no input is contained in full, and it has words of its own."""
        piece, links = slot.piece, self._linker.of(slot)
        if piece.form == "document":
            return self._is_new_document(slot, links)
        message = piece.form == "message" and piece.role in {"user", "assistant", "tool"}
        if not (message or piece.form == "text") or any(link.whole for link in links):
            return False
        if message and self._is_history(slot.run):
            return True
        return piece.role != "user" and self._says_more(slot, links)  # else a prompt assembled by code

    def _is_new_document(self, slot: Slot, links: Sequence[Link]) -> bool:
        spans = [span for link in links for span in link.spans]
        if not spans or any(node.kind != "question" for node in self._resolver.of(slot)):
            return not spans
        return sum(end - start for start, end in spans) * 2 < len(slot.piece.text)  # it repeats the question

    def _says_more(self, slot: Slot, links: Sequence[Link]) -> bool:
        """True for a text with new words.

        Sentences about like things share most of their words, so where nothing was quoted a new number and a new name
        do. A new number alone does not: that is what a model changes of which no callback saw the call.
        """
        said = self._linker.text(slot).forms
        unknown = self._unknown(set(said), slot.run)
        new = [form for form in said if form in unknown]
        if len(said) < _WORDS or not new:
            return False
        text = slot.piece.text
        if any(start < end for link in links for start, end in (trimmed(text, *span) for span in link.spans)):
            return len(new) * 2 >= len(said)
        numbers = [form for form in new if any(map(str.isdigit, form))]
        return len(new) * 3 >= len(said) or 0 < len(numbers) < len(new)

    def _unknown(self, forms: set[str], run: Run) -> set[str]:
        """Those words that no input of a run has."""
        if len(run.outputs) > _FEW:  # the words of all inputs are put together once
            if self._words[0] is not run:
                self._words = run, {form for each in run.inputs for form in self._linker.text(each).counts}
            return forms - self._words[1]
        for each in run.inputs:
            if not forms:
                break
            forms = forms.difference(self._linker.text(each).counts)
        return forms

    def _is_history(self, run: Run) -> bool:
        """True if code returned both sides of a conversation that were not among its inputs."""
        known = self._histories.get(run)
        if known is None:
            roles = {
                slot.piece.role
                for slot in run.outputs
                if slot.piece.form == "message" and not any(link.whole for link in self._linker.of(slot))
            }
            known = self._histories[run] = roles >= {"user", "assistant"}
        return known
