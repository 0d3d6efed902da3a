"""The answer cut where claims begin and end, so that each stretch can be shown in the colour of its claims."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from trail_callbacks.report import Report, Verdict
from trail_callbacks.taxonomy import SupportClass

__all__ = ["Stretch", "stretches"]

_SPAN = 1_000  # characters of one stretch that are shown
_WHOLE = 30_000  # characters of the answer that are shown

# The worst first: where claims overlap, it gives the colour.
_ORDER = (
    SupportClass.CONTRADICTED,
    SupportClass.ABSENT,
    SupportClass.PARTIALLY_SUPPORTED,
    None,
    SupportClass.SUPPORTED,
    SupportClass.UNEVALUATABLE,
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters of the answer that belong to the same claims.

    Attributes:
        text: As it stands in the answer, cut where it is very long.
        verdicts: On the claims that it belongs to, the worst first; none between claims.
        begins: On those that begin here, in the order of the report.
        left_out: Characters that were cut.
    """

    text: str
    verdicts: tuple[Verdict, ...] = ()
    begins: tuple[Verdict, ...] = ()
    left_out: int = 0


def stretches(report: Report) -> Iterator[Stretch]:
    """Cuts the answer of a report; nothing if there is none.

    Claims may overlap, and several may have the same words. Offsets outside the answer are ignored. The stretches add
    up to the answer, except for what they leave out.
    """
    text = report.graph.answer.text if report.graph.answer else ""
    starting: dict[int, list[Verdict]] = defaultdict(list)
    ending: dict[str, int] = {}
    for claim in report.claims:
        start, end = max(claim.start, 0), min(claim.end, len(text))
        if start < end:
            starting[start].append(report.verdict(claim.id))
            ending[claim.id] = end
    open_here: list[Verdict] = []
    shown = 0
    for start, end in pairwise(sorted({0, len(text), *starting, *ending.values()})):
        if shown >= _WHOLE:
            yield Stretch("", left_out=len(text) - start)
            return
        open_here = [verdict for verdict in open_here if ending[verdict.claim_id] > start] + starting.get(start, [])
        kept = min(end, start + _SPAN)
        shown += kept - start
        verdicts = tuple(sorted(open_here, key=lambda verdict: _ORDER.index(verdict.support)))
        yield Stretch(text[start:kept], verdicts, tuple(starting.get(start, ())), end - kept)
