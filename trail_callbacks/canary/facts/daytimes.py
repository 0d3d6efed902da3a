"""Times of day as a text writes them, and other times written the same way."""

from __future__ import annotations

import re
import unicodedata

from trail_callbacks.canary.facts.figures import Page
from trail_callbacks.language.values import Quantity

__all__ = ["daytimes", "in_hours", "later"]

_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?:(?P<mark>[:h.])(?P<minute>\d\d))?(?P<rest>(?::\d\d)?\s?(?:(?P<half>[ap])\.?\s?m\b\.?)?.*)",
    re.IGNORECASE | re.DOTALL,
)
_OPEN = re.compile(r"\d\s?(?:-|\u2013|to|bis|and)\s?$")
_UNREAD = re.compile(r"(?<![\d:.])\d{1,2}\s?(?:-|\u2013)\s?\d{1,2}\s?(?:[ap]\.?\s?m\b|Uhr\b)", re.IGNORECASE)
_RACED = re.compile(r"(?<!\d)\d{1,2}:\d\d\.\d")
_LOOK_BACK = 8
_LONGEST = 20  # characters of the name of a book
_VERSE = re.compile(
    r"\b(?:gen(?:esis)?|exod?(?:us)?|lev(?:iticus)?|num(?:bers)?|deut(?:eronomy)?|josh(?:ua)?|judges|ruth|samuel|sam|kings"
    r"|chronicles|ezra|neh(?:emiah)?|esther|job|ps(?:alms?)?|prov(?:erbs)?|eccl(?:esiastes)?|song|isa(?:iah)?|jer(?:emiah)?"
    r"|lam(?:entations)?|ezek(?:iel)?|dan(?:iel)?|hos(?:ea)?|joel|amos|obadiah|jonah|micah|nahum|hab(?:akkuk)?|zeph(?:aniah)?"
    r"|hag(?:gai)?|zech(?:ariah)?|malachi|mal|matt?(?:hew)?|mark|luke|john|acts|rom(?:ans)?|cor(?:inthians)?|gal(?:atians)?"
    r"|eph(?:esians)?|phil(?:ippians|emon)?|col(?:ossians)?|thess(?:alonians)?|tim(?:othy)?|titus|heb(?:rews)?|james|jas|peter"
    r"|pet|jude|rev(?:elation)?s?|surah?|quran|qur'an|koran|under|time\sof|clocked|ran|record\sof)\.?\s$",
    re.IGNORECASE,
)  # a chapter and verse, `Romans 8:29`, or how long a race took: `in under 1:46`
_LOOKED_AT = 50  # parts of dates and times that show how hours are written
_HOUR, _DAY, _NOON = 60, 1440, 12


def daytimes(page: Page) -> list[Quantity] | None:
    """The times of day of a document; None if one cannot be moved, so that none may be (`9-11 a.m.`)."""
    found = [
        each
        for each in page.dated
        if each.kind == "clock" and not _VERSE.search(page.text[max(0, each.start - _LONGEST) : each.start])
    ]
    if found and (_UNREAD.search(page.text) or _RACED.search(page.text)):
        return None
    for each in found:
        if _TIME.fullmatch(page.text, each.start, each.end) is None:
            return None
        if _OPEN.search(page.text[max(0, each.start - _LOOK_BACK) : each.start]):
            before = [other for other in found if other.end <= each.start]
            if not before or each.start - before[-1].end > _LOOK_BACK:
                return None
    return found


def in_hours(page: Page, time: Quantity) -> bool:
    """Whether a time is written without minutes."""
    written = _TIME.fullmatch(page.text, time.start, time.end)
    return written is not None and written["minute"] is None


def later(page: Page, time: Quantity, minutes: int) -> str | None:
    """Writes another time of the same day, the same way.

    Args:
        page: The document.
        time: The time.
        minutes: How much later; below 0 for earlier.

    Returns:
        The words; None if that is another day, needs minutes that are not written, or may be taken for another half.
    """
    written = _TIME.fullmatch(page.text, time.start, time.end)
    value = int(time.value) + minutes
    if written is None or not 0 <= value < _DAY or (written["minute"] is None and minutes % _HOUR):
        return None
    if time.also and not _HOUR <= value < (_NOON + 1) * _HOUR:
        return None
    hour, minute = divmod(value, _HOUR)
    rest = written["rest"]
    if written["half"]:
        at = written.start("half") - written.start("rest")
        letter = "p" if hour >= _NOON else "a"
        rest = rest[:at] + (letter.upper() if written["half"].isupper() else letter) + rest[at + 1 :]
        hour = hour % _NOON or _NOON
    old = written["hour"]
    padded = len(old) > 1 and unicodedata.decimal(old[0]) == 0
    if len(old) > 1 and not padded and hour < 10 and not written["half"] and int(time.value) >= 10 * _HOUR:  # noqa: PLR2004
        padded = _pads(page)
    hours = f"{hour:02d}" if padded else str(hour)
    digits = hours + (written["mark"] + f"{minute:02d}" if written["mark"] else "")
    zero = ord(old[0]) - unicodedata.decimal(old[0])
    return "".join(chr(zero + int(each)) if each.isdecimal() else each for each in digits) + rest


def _pads(page: Page) -> bool:
    """Whether hours below ten are written with a zero; so by default, where no other time tells."""
    hours = [page.text[each.start : each.start + 2] for each in page.dated[:_LOOKED_AT] if each.kind == "clock"]
    return not any(each[:1].isdecimal() and not each[1:].isdecimal() for each in hours)
