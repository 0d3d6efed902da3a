"""Designations: `Alpha-1` for `Alpha-2`, `Windows 7` for `Windows 10`, `FL-7` for `FL-8`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.judges.local.checks.slots import agreement
from trail_callbacks.language.quantities import DAYS, MONTHS
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_DESIGNATION = re.compile(
    r"(?<![\w-])([^\W\d_]{1,30})([ \u00a0-]?)(\d{1,4}(?:\.\d{1,3}){0,2}[A-Za-z]?)(?![\w%,.:]\d|[\w%-])"
)
_PLAIN = frozenset(
    word.casefold() for word in (*MONTHS, *DAYS, "Passage", "Step", "Source", "Document", "Page", "Chapter",
    "Section", "Figure",
    "Table", "Item", "Option", "Tip", "Note", "Method", "Part", "Question", "Answer", "Over", "About", "Around",
    "Nearly", "Some",
    "Only", "At", "In", "On", "By", "To", "From", "Of", "For", "With", "Under", "Than", "Between", "The", "A", "And",
    "Or", "Until",
    "Since", "Before", "After", "During", "Aged", "Age", "Is", "Was", "Are", "Were", "Has", "Had", "Have", "All",
    "Up", "Jan", "Feb",
    "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec", "Usd", "Eur", "Gbp", "Chf", "No", "Nr",
    "Row", "Line",
    "These", "Those", "Its", "Their", "Every", "First", "Last", "Another", "Just", "Almost", "Approximately",
    "Roughly", "Each",
    "Within", "Through", "Then", "When", "While", "If", "As", "But", "Not", "Grade", "Aged", "Result", "Reference")
)  # fmt: skip
_ON_SUBJECT = 0.5


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a name with a number in the claim of which the passage has only another number.

    A designation begins with a capital letter. Left alone: dates, labels of the text itself (`step 4`), and passages
    that have both; `Kestrel 4.2` and `Kestrel 4.2.1` are one.
    """
    given = list(_designations(passage))
    for base, number, span in _designations(claim):
        same = [(value, place) for name, value, place in given if name == base]
        if not same or any(_one(number, value) for value, _ in same):
            continue
        if agreement(claim, passage, span) >= _ON_SUBJECT:
            place = same[0][1]
            return Finding(
                error_type=ErrorType.ENTITY,
                support=SupportClass.CONTRADICTED,
                claim_words=claim.text[slice(*span)],
                evidence_words=passage.text[slice(*place)],
                claim_span=span,
                span=place,
                detail="near-duplicate name",
            )
    return None


def _designations(reading: Reading) -> Iterator[tuple[str, str, tuple[int, int]]]:
    for match in _DESIGNATION.finditer(reading.text):
        base, number = match[1].casefold(), match[3].casefold()
        year = len(number) == len("1999") and number.isdigit()
        if match[1][0].isupper() and (base not in _PLAIN or not match[2]) and not (year and match[2] != "-"):
            yield base, number, match.span()


def _one(a: str, b: str) -> bool:
    return a == b or a.startswith(b + ".") or b.startswith(a + ".")
