"""Dates told from another: `two years later`, `the next day`, where the same text states that other date before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from trail_callbacks.language.quantities.quantity import Quantity

__all__ = ["resolved"]

_NEXT = re.compile(
    r"\b(?:(?:the|in\s+the)\s+)?(?P<way>following|next|previous|preceding|same)\s+(?P<unit>year|month|day)\b"
    r"|\b(?:a|one)\s+(?P<unit2>year|month|day)\s+(?P<way2>later|earlier|afterwards?)\b"
    r"|\bthe\s+(?P<unit3>year|month|day)\s+(?P<way3>after|before)(?=[\s,.;]*(?:[.;,]|$))",
    re.IGNORECASE,
)
_LATER = re.compile(r"\s+(?P<way>later|afterwards?|after\s+that|earlier|before\s+that|prior)\b", re.IGNORECASE)
_BACK = ("previous", "preceding", "earlier", "before", "prior")
_YEAR, _MONTH, _DAY = 31557600.0, 2629800.0, 86400.0


def resolved(found: Sequence[Quantity], text: str) -> list[Quantity]:
    """Adds dates that are told from one before them.

    `The following year` becomes a year; `two years later` keeps its length of time and may also stand for the year.
    English only.
    """
    if not any(quantity.kind == "year" for quantity in found):
        return list(found)
    out: list[Quantity] = []
    told = [(match.start(), match) for match in _NEXT.finditer(text)]
    for quantity in found:
        while told and told[0][0] < quantity.start:
            out += _named(told.pop(0)[1], out)
        out.append(_later(quantity, out, text))
    for _, match in told:
        out += _named(match, out)
    return out


def _later(quantity: Quantity, before: Sequence[Quantity], text: str) -> Quantity:
    if quantity.kind != "time" or not (match := _LATER.match(text, quantity.end)):
        return quantity
    way = -1 if match["way"].split()[0].casefold() in _BACK else 1
    unit = next(
        (name for name, size in (("year", _YEAR), ("month", _MONTH), ("day", _DAY)) if _whole(quantity, size)), ""
    )
    told = _moved(before, unit, way * round(quantity.raw)) if unit else []
    return replace(quantity, also=tuple(told))


def _whole(quantity: Quantity, unit: float) -> bool:
    return quantity.raw == int(quantity.raw) and abs(quantity.value / unit - quantity.raw) < 1e-6  # noqa: PLR2004 - rounding


def _named(match: re.Match[str], before: Sequence[Quantity]) -> list[Quantity]:
    unit = (match["unit"] or match["unit2"] or match["unit3"]).casefold()
    way = (match["way"] or match["way2"] or match["way3"]).casefold()
    steps = 0 if way == "same" else -1 if way in _BACK else 1
    moved = _moved(before, unit, steps)
    # One quantity a phrase: what changes most slowly is in most texts the same as before.
    return [Quantity(value, value, kind, "", "exact", 0.0, *match.span()) for kind, value in moved if kind == unit]


def _moved(before: Sequence[Quantity], unit: str, steps: int) -> list[tuple[str, float]]:
    """Year, month and day, as far as known, so many units from the last date."""
    at = next((i for i in range(len(before) - 1, -1, -1) if before[i].kind == "year" and not before[i].within), None)
    if at is None:
        return []
    year = int(before[at].value)
    if unit == "year":
        return [("year", float(year + steps))]
    beside = {quantity.kind: int(quantity.value) for quantity in before[max(0, at - 2) : at + 3]}
    if unit == "month" and "month" in beside:
        month = 12 * year + beside["month"] - 1 + steps
        return [("month", float(month % 12 + 1)), ("year", float(month // 12))]
    if unit == "day" and {"month", "day"} <= beside.keys():
        try:
            moved = date(year, beside["month"], beside["day"]) + timedelta(days=steps)
        except (ValueError, OverflowError):  # 30 February, or beyond the calendar
            return []
        return [("day", float(moved.day)), ("month", float(moved.month)), ("year", float(moved.year))]
    return []
