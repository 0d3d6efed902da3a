"""The passage that a trial was served, with the edit marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.report.examples import Example
from trail_callbacks.graph import Node

__all__ = ["Passage", "passages"]

_SAID = {True: "It read", False: "Not served", None: "Not known if it read"}
_ROOM = 300  # characters before and after
_QUOTE = 1_000  # characters of a sentence
_SEARCHED = 2_000_000  # characters of one text
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with its marked parts.

    Attributes:
        said: What it is: served or not, or removed.
        parts: Pieces of the text in order, each with whether it is marked.
        node: Id of the node of the run's graph that holds it; None if it is only known from the probe.
    """

    said: str
    parts: Sequence[tuple[str, bool]]
    node: str | None = None


def passages(example: Example) -> Iterator[Passage]:
    """The passages of an example: of the arms with a context, each sentence that states the fact.

    A sentence that the run's graph holds is shown where it stands in the text that was served; otherwise as the probe
    has it, and it is said whether it was served. Of a removed fact it is the real sentence.
    """
    probe, trial = example.probe, example.trial
    if trial.arm not in ("real", "fictive"):
        return
    fictive = trial.arm == "fictive"
    quote, other = (each[:_QUOTE] for each in (probe.fictive_quote, probe.real_quote))
    if not fictive:
        quote, other = other, quote
    values = _values(probe, fictive=fictive)
    nodes = [
        node
        for node in (example.report.graph.nodes if example.report else ())
        if node.kind in ("document", "tool_result")
    ]
    found = _in_nodes(nodes, quote, values)
    if found is not None:
        node, start, end = found
        inside = node.text[start:end]
        marked = _edited(inside, other, values) if quote else [(inside, True)]
        before, after = node.text[max(0, start - _ROOM) : start], node.text[end : end + _ROOM]
        yield Passage("It read", [(before, False), *marked, (after, False)], node.id)
        return
    if quote:
        yield Passage(_SAID[trial.served], _edited(quote, other, values))
    elif fictive and probe.fictive is None and other:
        yield Passage("Removed", _edited(other, "", _values(probe, fictive=False)))


def _values(probe: Probe, *, fictive: bool) -> list[str]:
    said = (probe.fictive, probe.also, *probe.fictive_forms) if fictive else (probe.real, *probe.real_forms)
    return [each for each in said if each and each.strip()]


def _in_nodes(nodes: Sequence[Node], quote: str, values: Sequence[str]) -> tuple[Node, int, int] | None:
    """Where the sentence stands, however its whitespace was changed; or else a value."""
    for wanted in (quote, *values):
        if not wanted.strip():
            continue
        pattern = re.compile(_spaced(wanted))
        for node in nodes:
            if hit := pattern.search(node.text, 0, _SEARCHED):
                return node, hit.start(), hit.end()
    return None


def _edited(text: str, other: str, values: Sequence[str]) -> list[tuple[str, bool]]:
    """Marks what differs from the other corpus where that is this edit's value; without its sentence, the values.

    Of a value that is not in the text by these words (a negation, an order), all that differs is marked.
    """
    pattern = re.compile("|".join(map(_spaced, values)) or r"(?!)")
    stated = [hit.span() for hit in pattern.finditer(text)]
    if not other:
        return _marked(text, stated)
    changed = list(_changed(text, other))
    own = [
        (max(min(start for start, _ in inside), first), min(max(end for _, end in inside), last))
        for first, last in stated
        if (inside := [(start, end) for start, end in changed if start < last and first < end])
    ]
    return _marked(text, own or changed)


def _spaced(words: str) -> str:
    """A pattern of words, however they are spaced."""
    return r"\s+".join(map(re.escape, words[:_QUOTE].split()))


def _changed(text: str, other: str) -> Iterator[tuple[int, int]]:
    """Where words differ; spans with nothing but whitespace between them are one."""
    ours, theirs = _WORD.findall(text), _WORD.findall(other)
    starts = [0, *accumulate(map(len, ours))]
    alike = [[" " if each.isspace() else each for each in words] for words in (ours, theirs)]
    last: tuple[int, int] | None = None
    for kind, first, end, _, _ in SequenceMatcher(None, alike[0], alike[1], autojunk=False).get_opcodes():
        if kind not in ("replace", "delete"):
            continue
        span = starts[first], starts[end]
        if last is not None and not text[last[1] : span[0]].strip():
            span = last[0], span[1]
        elif last is not None:
            yield last
        last = span
    if last is not None:
        yield last


def _marked(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[str, bool]]:
    parts: list[tuple[str, bool]] = []
    at = 0
    for start, end in spans:
        parts += [(text[at:start], False), (text[start:end], True)]
        at = end
    return [part for part in (*parts, (text[at:], False)) if part[0]]
