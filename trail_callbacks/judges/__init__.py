"""Judges: ways to decide whether evidence supports a claim.

Start with `judge`, the protocol; `local` decides offline, `llm` with a model, `encoder` with a small open model that
runs here, `cascade` combines two judges, `resolve` turns the `judge=` argument into a judge. Which claims and evidence
a judge gets, and what becomes of its judgements, is up to `verify`. A custom judge imports what it needs from here.
"""

from trail_callbacks.evidence import Passage, quoted
from trail_callbacks.judges.judge import (
    Assessment,
    Extraction,
    Judge,
    Judgement,
    Purpose,
    Question,
    Search,
    SearchResult,
    Tracer,
)

__all__ = [
    "Assessment",
    "Extraction",
    "Judge",
    "Judgement",
    "Passage",
    "Purpose",
    "Question",
    "Search",
    "SearchResult",
    "Tracer",
    "quoted",
]
