"""What all parts of a page share: the report, names that are safe in attributes, places of claims and evidence."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.claims import Claim
from trail_callbacks.graph import Node
from trail_callbacks.render.page.trails import Stop, Trails
from trail_callbacks.render.spans import Span
from trail_callbacks.report import Report, Verdict

__all__ = ["View"]

_SAFE = re.compile(r"[A-Za-z0-9_.:-]{1,40}")
_SEARCHED = 50_000_000  # characters, for words of claims in texts: thousands of claims on long texts are not all marked


@dataclass(frozen=True)
class View:
    """A report with what the parts of its page look up.

    Attributes:
        report: The report.
    """

    report: Report

    @cached_property
    def pairs(self) -> tuple[tuple[Claim, Verdict], ...]:
        """Claims with their verdicts; a report built by hand may lack some."""
        known = {verdict.claim_id: verdict for verdict in self.report.verdicts}
        missing = "the report has no verdict on this claim"
        return tuple(
            (claim, known.get(claim.id) or Verdict(claim_id=claim.id, error=missing)) for claim in self.report.claims
        )

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """A name for each claim that is safe in a space-separated list: its id, if that is unique and safe."""
        ids = Counter(claim.id for claim, _ in self.pairs)
        return tuple(
            claim.id if ids[claim.id] == 1 and _SAFE.fullmatch(claim.id) else f"claim-{number}"
            for number, (claim, _) in enumerate(self.pairs, 1)
        )

    @cached_property
    def answer(self) -> Node | None:
        """What the app returned."""
        return self.report.graph.answer

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The index of each node in the graph."""
        return {node.id: number for number, node in enumerate(self.report.graph.nodes)}

    @cached_property
    def trails(self) -> Trails:
        """Finds paths through the graph."""
        return Trails(self.report.graph)

    @cached_property
    def stops(self) -> tuple[tuple[Stop, ...], ...]:
        """The trail of each claim."""
        return tuple(self.trails.stops(verdict) for _, verdict in self.pairs)

    @cached_property
    def claim_spans(self) -> tuple[Span | None, ...]:
        """The span of each claim in the answer; None if its words do not occur there."""
        text = self.answer.text if self.answer else ""
        most = _SEARCHED // max(1, len(text))  # claims that are searched for: those that do not say where they are
        searched, found = 0, []
        for number, (claim, _) in enumerate(self.pairs):
            span = _stated(text, number, claim)
            if span is None and searched < most:
                searched += 1
                span = _located(text, number, claim)
            found.append(span)
        return tuple(found)

    @cached_property
    def highlights(self) -> dict[str, list[Span]]:
        """The spans to mark in each node: evidence, and the words of a claim where a node repeats them."""
        spans: dict[str, list[Span]] = defaultdict(list)
        left = _SEARCHED
        for number, (claim, verdict) in enumerate(self.pairs):
            for item in verdict.evidence:
                length = len(self.report.graph.node(item.node_id).text)
                start, end = max(item.start, 0), min(item.end, length)
                if start < end:
                    spans[item.node_id].append(Span(start, end, number, item.relation))
            for node_id in {verdict.introduced_at, *verdict.carried_through} - {None}:
                node = self.report.graph.node(str(node_id))
                if not claim.quote or node is self.answer or len(node.text) > left:
                    continue
                left -= len(node.text)
                start = node.text.find(claim.quote)
                if start >= 0:
                    spans[node.id].append(Span(start, start + len(claim.quote), number, "states"))
        return spans


def _stated(text: str, number: int, claim: Claim) -> Span | None:
    """Where a claim says that it is, if its words are there."""
    if 0 <= claim.start < claim.end <= len(text) and text[claim.start : claim.end] == claim.quote:
        return Span(claim.start, claim.end, number)
    return None


def _located(text: str, number: int, claim: Claim) -> Span | None:
    start = text.find(claim.quote) if claim.quote else -1
    return Span(start, start + len(claim.quote), number) if start >= 0 else None
