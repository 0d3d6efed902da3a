"""What no earlier piece explains: the wording of prompts, what plain code brought, messages from before the run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from trail_callbacks.capture.echoes import merged
from trail_callbacks.capture.lineage import LineageResolver
from trail_callbacks.capture.link import Link, Linker
from trail_callbacks.capture.match import SHARED_RUN, Text, is_value
from trail_callbacks.capture.runs import CapturedRun, Slot, is_another_message
from trail_callbacks.graph import NodeKind, Origin
from trail_callbacks.text import forms, outside

_CONTENT = 4  # words; a shorter remainder is a label such as "Question:"
_WORD = 40  # characters; anything longer is more than one word
_Part = tuple[str, Origin]
_LETTER = re.compile(r"[^\W_]")


class InstructionFinder:
    """Finds the text of prompts that no earlier piece explains."""

    def __init__(
        self,
        linker: Linker,
        is_node: Callable[[Slot], bool],
        is_model: Callable[[Slot], bool],
        may_be_left: Callable[[Slot], bool],
    ) -> None:
        self._linker = linker
        self._is_node = is_node
        self._is_model = is_model
        self._may_be_left = may_be_left
        self._known: dict[Slot, tuple[_Part, ...]] = {}

    def of(self, run: CapturedRun) -> dict[Origin, str]:
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
        spans = [(*span, link) for link in links for span in link.spans if not link.undecided]
        for start, end, link in sorted(spans, key=lambda part: part[:2]):
            is_model = self._is_model(link.source)
            if not link.whole:
                first, last = (start, end) if made else trimmed(text, start, end, numbers=is_model)
                start, end = extended(text, first, last) if first < last else (first, last)  # noqa: PLW2901 - the same
            word = end - start <= _WORD and not Text(text[start:end]).distinctive
            if word and not (is_model and start < end and is_value(text, start, end)):
                continue  # an input such as "rye" does not split the sentence that happens to contain the word
            if start > at:
                parts.append(text[at:start])
            at = max(at, end)
        parts.append(text[at:])
        origin: Origin = "unknown" if self._may_be_left(slot) else _author(slot)
        return tuple((part.strip(), origin) for part in parts if _LETTER.search(part))


def _author(slot: Slot) -> Origin:
    """Who wrote words that no step produced: the app if it passed them to its own code, else the prompt's template.

    What is in the state or the input of a step of code is a value, but for a system message; the adapter may know more
    about a model's input.
    """
    value = slot.run.kind == "chain" and slot.piece.role != "system"
    return slot.piece.origin or ("given" if value else "template")


_SENTENCE = 1000  # characters of a sentence that are looked at: a text may have none that ends
_BLANKS = 16  # characters between two words
_ENDS = frozenset(".!?\n\u3002\uff01\uff1f")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[\n\u3002\uff01\uff1f]")


def trimmed(text: str, start: int, end: int, *, numbers: bool = False) -> tuple[int, int]:
    """Returns a range without a phrase at either end that two texts share by chance; it may be empty."""

    def by_chance(phrase: str) -> bool:
        return len(forms(phrase)) < SHARED_RUN and not (numbers and any(map(str.isdigit, phrase)))

    if _goes_on(text, end):
        ends = [start, *(match.end() for match in _SENTENCE_END.finditer(text, start, end))]
        end = ends[-1] if by_chance(text[ends[-1] : end]) else end
    if _began(text, start) and start < end:
        first = _SENTENCE_END.search(text, start, end)
        after = first.end() if first else end
        start = after if by_chance(text[start:after]) else start
    return start, end


def extended(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns a range with the rest of the sentences in which it starts and ends: half a sentence states nothing."""
    if _goes_on(text, end):
        limit = min(len(text), end + _SENTENCE)
        rest = _SENTENCE_END.search(text, end, limit)
        end = rest.end() if rest else limit
    if _began(text, start):
        limit = max(0, start - _SENTENCE)
        start = max((match.end() for match in _SENTENCE_END.finditer(text, limit, start)), default=limit)
    return start, end


def _goes_on(text: str, end: int) -> bool:
    if text[max(0, end - _BLANKS) : end].rstrip(" \t")[-1:] in _ENDS:
        return False
    return text[end : end + _BLANKS].lstrip(" \t")[:1].isalnum()


def _began(text: str, start: int) -> bool:
    return text[max(0, start - _BLANKS) : start].rstrip(" \t")[-1:].isalnum()


_FEW = 16  # outputs of one run
_WORDS = 2  # that a value needs to be a source; one word is a label or a choice


class CodeOutputs:
    """Tells the sources among the outputs of code in which nothing was recorded."""

    def __init__(self, linker: Linker, resolver: LineageResolver) -> None:
        self._linker = linker
        self._resolver = resolver
        self._words: tuple[CapturedRun | None, set[str]] = None, set()
        self._histories: dict[CapturedRun, bool] = {}

    def is_source(self, slot: Slot) -> bool:
        """True if the code is the source of a text: no input is contained in full, and it has words of its own."""
        piece, links = slot.piece, self._linker.of(slot)
        if piece.form == "document":
            return self._is_new_document(slot, links)
        message = piece.form == "message" and piece.role in {"user", "assistant", "tool"}
        whole = (0, len(piece.text))
        if not (message or piece.form == "text") or any(link.whole or whole in link.spans for link in links):
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

    def _unknown(self, forms: set[str], run: CapturedRun) -> set[str]:
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

    def _is_history(self, run: CapturedRun) -> bool:
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


_OWN_WORDS = 4  # words that no step of the run explains; fewer are a label
_KINDS: dict[str | None, NodeKind] = {"assistant": "completion", "tool": "tool_result"}


def kind_of(slot: Slot) -> NodeKind | None:
    """Returns the kind of node that a message without a producer is; None if it is a prompt of the app's own making."""
    piece = slot.piece
    if piece.form != "message":
        return None
    kept = piece.id is not None or slot.run.hints.channels or piece.origin == "user"
    return "question" if piece.role == "user" and kept else _KINDS.get(piece.role)


def is_from_before(slot: Slot, links: Iterable[Link]) -> bool:
    """True if a message of a model or a tool was there before the run, although it repeats words of this run.

    No step of the run wrote it, neither under its id nor with its words: what it shares with others, it quotes.
    """
    piece, sure = slot.piece, [link for link in links if link.basis != "scope"]
    if piece.form != "message" or piece.role not in _KINDS or any(_is_origin(link, slot) for link in sure):
        return False
    spans = merged([span for link in sure for span in link.spans])
    own = len(forms(outside(piece.text, spans))) >= _OWN_WORDS
    return own or all(is_another_message(link.source.piece, piece) for link in sure)


def _is_origin(link: Link, slot: Slot) -> bool:
    """True if a link leads to what the message is, or was made from."""
    source, piece = link.source, slot.piece
    if source.piece.text.strip() == piece.text.strip():
        return True
    if is_another_message(source.piece, piece):  # models use the ids of calls again
        return False
    answered = piece.call_id is not None and piece.call_id in {source.piece.call_id, source.run.hints.call_id}
    return link.opaque or answered or (piece.id is not None and piece.id == source.piece.id)
