"""Passages that give instructions to the model that will read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from trail_callbacks.context_filter.mentions import Mentions
from trail_callbacks.context_filter.normalization import View, joined, normalized, restored
from trail_callbacks.context_filter.obfuscation import decoded, hidden, mirrored
from trail_callbacks.context_filter.rules import rules
from trail_callbacks.context_filter.translations import translated

__all__ = ["Instruction", "instruction"]

_AGAIN = 0.4  # of another rule of the same kind, elsewhere in the text
_ONLY_REPORTED = 0.6  # score at most of a text that quotes or reports such words: flagged, not dropped
_USED = 0.4  # score of what it says itself, below which it only quotes or reports
_STRETCH = 16_000  # characters that are read at once: rules look at what stands near
_LAP = 2_500  # characters beyond them, on either side


@dataclass(frozen=True, slots=True)
class Instruction:
    """What was found.

    Attributes:
        score: 0.0 to 1.0.
        start: Offset of the most telling words in the text.
        end: Offset after them.
        signals: Kinds of the rules that fired, most telling first.
        why: What the passage does, for a person.
    """

    score: float
    start: int
    end: int
    signals: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class _Hit:
    kind: str
    weight: float
    start: int
    end: int
    why: str
    reported: bool = False


def instruction(text: str) -> Instruction | None:
    """Looks for instructions to a model in a text.

    Rules that fire add up as independent signs do, `1 - (1 - a)(1 - b)`; a second rule of one kind counts less. What is
    found only after a disguise was removed, or where a page does not show it, counts more; what is quoted, reported or
    said on a condition counts less.

    Args:
        text: The passage.

    Returns:
        The finding, or None if no rule fires.
    """
    plain = normalized(text)
    hits = list(_hits(plain))
    known = {(hit.start, hit.why) for hit in hits}
    hits += [_raised(hit, how) for hit, how in _disguised(text, plain) if (hit.start, hit.why) not in known]
    for first, last in hidden(text):
        inside = _hits(normalized(text[first:last]))
        moved = (replace(hit, start=hit.start + first, end=hit.end + first) for hit in inside)
        hits += [_raised(hit, "in what a page does not show") for hit in moved]
    return _scored(hits) if hits else None


def _hits(view: View) -> Iterator[_Hit]:
    for start in range(0, len(view.text), _STRETCH):
        first = max(0, start - _LAP)
        text = view.text[first : start + _STRETCH + _LAP]
        for hit in _near(text):
            if start <= first + hit.start < start + _STRETCH:  # else it belongs to the stretch before or behind
                place = view.original(first + hit.start, first + hit.end)
                yield replace(hit, start=place[0], end=place[1])


def _near(text: str) -> Iterator[_Hit]:
    mentions = Mentions(text)
    for rule in rules():
        for match in rule.pattern.finditer(text):
            factor, reported = mentions.factor(*match.span(), order=rule.order)
            yield _Hit(rule.kind, rule.weight * factor, *match.span(), rule.why, reported)
    for found in translated(text):
        span = found.start, found.end
        factor, reported = mentions.factor(*span, order=found.kind == "override", english=False)
        yield _Hit(found.kind, found.weight * factor, *span, found.why, reported)


def _disguised(text: str, plain: View) -> Iterator[tuple[_Hit, str]]:
    """What comes to light when a disguise is removed, and which disguise it was."""
    for view in (restored(plain), joined(plain), *decoded(text), *mirrored(plain)):
        if view is not None:
            yield from ((hit, view.disguise) for hit in _hits(view))


def _raised(hit: _Hit, disguise: str) -> _Hit:
    """Whoever hides an order knows what it is."""
    return replace(hit, weight=1.0 - (1.0 - hit.weight) * 0.5, why=f"{hit.why}, {disguise}", reported=False)


def _scored(hits: Sequence[_Hit]) -> Instruction:
    order = sorted(hits, key=lambda hit: (-hit.weight, hit.start))
    by_kind: dict[str, list[_Hit]] = {}
    for hit in order:
        same = by_kind.setdefault(hit.kind, [])
        if all(hit.why != other.why and (hit.end <= other.start or other.end <= hit.start) for other in same):
            same.append(hit)
    doubt = doubt_of_used = 1.0
    for same in by_kind.values():
        for i, hit in enumerate(same):
            factor = 1.0 - hit.weight * (_AGAIN if i else 1.0)
            doubt *= factor
            doubt_of_used *= 1.0 if hit.reported else factor
    score = min(1.0 - doubt, 0.99 if 1.0 - doubt_of_used >= _USED else _ONLY_REPORTED)
    first = order[0]
    return Instruction(score, first.start, first.end, tuple(by_kind), f"It {first.why}.")
