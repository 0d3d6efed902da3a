"""What neighbouring numbers make of each other: ranges, and lengths in two units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from trail_callbacks.language.quantities.quantity import EXACT, Quantity
from trail_callbacks.language.quantities.units import MAGNITUDES

__all__ = ["joined"]

_TO = re.compile(
    r"\s*(?:to|and|or|until|till|through|bis|und|\u00e0|a|al|hasta|y|et|e|en|tot|at\u00e9|-|\u2013|\u2014)\s*",
    re.IGNORECASE,
)
_SPAN = re.compile(r"\s*(?:to|until|till|through|bis|\u00e0|al?|hasta|tot|at\u00e9|-|\u2013|\u2014)\s*", re.IGNORECASE)
_FROM = re.compile(
    r"\b(?:from|between|zwischen|von|entre|de|tra|fra|da|tussen|van|desde)\s+(?:the\s+)?[^\w\s]?$", re.IGNORECASE
)
_AND = re.compile(r",?\s*(?:and\s+|und\s+|et\s+|y\s+|e\s+)?", re.IGNORECASE)
_SCORE = re.compile(
    r"\b(?:w[io]n|wins|winning|lost|los[es]|losing|beat|beats|defeat(?:ed|s)?|draw|drew|scores?|scored|victory|vote|"
    r"ruled|led|leading|record|final|tied|tie|aggregate)\b[^.;]{0,40}$",
    re.IGNORECASE,
)
_COMPOUND = {"time", "length", "mass"}
_INCHES = re.compile(r"\s?in\b")  # by itself `in` is no unit
_INCH = 0.0254
_BEFORE = 48  # signs ahead of a range in which a word tells what it is


def joined(found: Sequence[Quantity], text: str) -> list[Quantity]:
    """Joins quantities in order of the text: `2 h 30 min` is one; the ends of a range share unit and limits."""
    merged: list[Quantity] = []
    for quantity in found:
        if merged and (whole := _compound(merged[-1], quantity, text)):
            merged[-1] = whole
        else:
            merged.append(quantity)
    for i in range(len(merged) - 1):
        if _TO.fullmatch(text, merged[i].end, merged[i + 1].start):
            merged[i] = low = _shared(merged[i], merged[i + 1], text)
            merged[i : i + 2] = _limited(low, merged[i + 1], text)
    return merged


def _compound(one: Quantity, other: Quantity, text: str) -> Quantity | None:
    """`2 hours and 30 minutes`, `5 ft 10`: the second in a smaller unit, and less than one of the first."""
    if one.kind == "length" and other.kind == "count" and (inches := _INCHES.match(text, other.end)):
        other = replace(other, kind="length", value=other.value * _INCH, end=inches.end())
    if one.kind not in _COMPOUND or one.kind != other.kind or not _AND.fullmatch(text, one.end, other.start):
        return None
    if not one.raw or not other.raw or one.raw != int(one.raw) or other.bound != "exact":
        return None
    unit, smaller = abs(one.value / one.raw), abs(other.value / other.raw)
    if smaller >= unit or not 0 < other.value < unit:
        return None
    value = one.value + other.value
    return replace(one, raw=value, value=value, step=other.step, end=other.end, also=(), within=None)


def _shared(low: Quantity, high: Quantity, text: str) -> Quantity:
    """The lower end of `2 to 8 km` or `EUR 3 to 4 million` takes over what is said once, behind the upper end."""
    if low.kind == "count" and not low.noun and high.kind in {"day", "month"} and low.value <= 31:  # noqa: PLR2004 - `4-6 March`
        return replace(low, kind="day") if high.kind == "day" else low
    if low.kind == "count" and not low.noun and high.kind not in EXACT and high.raw:
        scale = _scale(text[high.start : high.end]) if not _scale(text[low.start : low.end]) else 1.0
        factor = (scale or 1.0) * high.value / high.raw
        return replace(
            low,
            raw=low.raw * (scale or 1.0),
            value=low.raw * factor,
            kind=high.kind,
            noun=high.noun,
            step=low.step * factor,
            also=tuple((high.kind, value * factor) for _, value in low.also),
        )
    if low.kind.startswith("money") and not _scale(text[low.start : low.end]):
        scale = _scale(text[high.start : high.end]) or 1.0
        return replace(low, raw=low.raw * scale, value=low.value * scale, step=low.step * scale)
    return low


def _limited(low: Quantity, high: Quantity, text: str) -> tuple[Quantity, Quantity]:
    """The ends of a range know each other; a score is no range."""
    before = text[max(0, low.start - _BEFORE) : low.start]
    spans = _SPAN.fullmatch(text, low.end, high.start) or _FROM.search(before)
    if low.kind == high.kind and high.kind not in {"id", "label"} and low.value < high.value and spans:
        if low.kind == "count" and "-" in text[low.end : high.start] and _SCORE.search(before):
            return low, high
        within = (low.value, high.within[1] if high.within else high.value)
        return replace(low, within=within), replace(high, within=within)
    return low, high


def _scale(written: str) -> float | None:
    return next((MAGNITUDES[word] for word in written.casefold().split() if word in MAGNITUDES), None)
