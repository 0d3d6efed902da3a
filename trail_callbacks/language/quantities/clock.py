"""Times of the day."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trail_callbacks.language.quantities.quantity import Quantity

__all__ = ["times"]

_NOON = 12
_DAY = 1440
_TIME = re.compile(
    r"(?<![\w.,:/-])(?:"
    r"(?P<h>[0-2]?\d)[:h](?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:\.\d{1,6})?)?(?![\d:])(?:\s?(?P<half>[ap])\.?\s?m\b\.?)?"
    r"|(?P<hh>1[0-2]|0?\d)(?:\.(?P<mm>[0-5]\d))?\s?(?P<half2>[ap])\.?\s?m\b\.?"
    r"|(?P<uhr>[0-2]?\d)(?:[.:](?P<min>[0-5]\d))?\s?(?:Uhr|o'clock|o\u2019clock)\b"
    r"|(?P<word>noon|midnight)\b)"
    r"(?:\s?(?P<zone>Z\b|(?:UTC|GMT|CET|CEST|BST|EST|EDT|CST|CDT|MST|MDT|PST|PDT|JST|IST|ET|PT)\b)?(?P<offset>[+-\u2212]\d\d?(?::?\d\d)?(?!\d))?)?",
    re.IGNORECASE,
)
_ISO = re.compile(r"(?<=[\d\0])T(?=\d\d:\d\d)")
_ZONES = {
    "z": 0, "utc": 0, "gmt": 0, "cet": 60, "cest": 120, "bst": 60, "est": -300, "edt": -240, "cst": -360, "cdt": -300,
    "mst": -420, "mdt": -360, "pst": -480, "pdt": -420, "jst": 540, "ist": 330,
}  # fmt: skip


def times(text: str) -> Iterator[tuple[int, int, tuple[Quantity, ...]]]:
    """Finds times as minutes after midnight, local as written; where a zone is named, also in UTC.

    Without `am` or `pm` an hour from one to twelve may be of either half of the day, unless it is written `05:30`.
    """
    if "T" in text:
        text = _ISO.sub(" ", text)
    for match in _TIME.finditer(text):
        groups = match.groupdict()
        also: tuple[tuple[str, float], ...] = ()
        if groups["word"]:
            minutes = 720.0 if groups["word"].casefold() == "noon" else 0.0
        else:
            hours = int(groups["h"] or groups["hh"] or groups["uhr"])
            rest = int(groups["m"] or groups["mm"] or groups["min"] or 0) + int(groups["s"] or 0) / 60
            half = (groups["half"] or groups["half2"] or "").casefold()
            if half and 1 <= hours <= _NOON:
                hours = hours % _NOON + (_NOON if half == "p" else 0)
            elif hours > 2 * _NOON:
                continue
            minutes = 60.0 * (hours % 24) + rest
            open_ = not half and 1 <= hours <= _NOON and not match[0].startswith("0") and not groups["zone"]
            also = (("clock", (minutes + _DAY / 2) % _DAY),) if open_ else ()
        end = match.end() if groups["zone"] else match.start("zone") if match.start("zone") > 0 else match.end()
        if groups["zone"]:
            also = (*also, ("clock utc", (minutes - _ahead(groups["zone"], groups["offset"])) % _DAY))
        elif groups["offset"]:
            end = match.start("offset")
        written = text[match.start() : end].rstrip()
        span = (match.start(), match.start() + len(written))
        yield *span, (Quantity(minutes, minutes, "clock", "", "exact", 0.0, *span, also=also),)


def _ahead(zone: str, offset: str | None) -> int:
    ahead = _ZONES.get(zone.casefold(), 0)
    if offset:
        digits = offset[1:].replace(":", "")
        hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")  # noqa: PLR2004 - with minutes
        ahead += (-1 if offset[0] in "-\u2212" else 1) * (60 * int(hours) + int(minutes))
    return ahead
