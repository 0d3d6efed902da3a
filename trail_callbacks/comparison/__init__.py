"""Two reports, an old and a new one: which claims came, went or changed, and by how much the score moved."""

from trail_callbacks.comparison.comparison import Aspect, Comparison, Judged, Pair, ScoreChange, compare

__all__ = ["Aspect", "Comparison", "Judged", "Pair", "ScoreChange", "compare"]
