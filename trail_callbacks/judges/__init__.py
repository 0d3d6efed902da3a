"""Ways to decide whether evidence supports a claim. What a judge of one's own needs is imported from here."""

from trail_callbacks.evidence import Passage, quoted
from trail_callbacks.judges.judge import Assessment, Extraction, Judge, Judgement, Purpose, Question
from trail_callbacks.judges.tracer import Search, Selection, Tracer

__all__ = [
    "Assessment",
    "Extraction",
    "Judge",
    "Judgement",
    "Passage",
    "Purpose",
    "Question",
    "Search",
    "Selection",
    "Tracer",
    "quoted",
]
