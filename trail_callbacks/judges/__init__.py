"""Ways to decide whether evidence supports a claim. What a judge of one's own needs is imported from here."""

from trail_callbacks.judges.judge import Assessment, Extraction, Judge, Judgement, Purpose, Question

__all__ = ["Assessment", "Extraction", "Judge", "Judgement", "Purpose", "Question"]
