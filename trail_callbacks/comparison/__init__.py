"""Comparison of two reports: which claims appeared, vanished or changed, and by how much the score moved.

Start with `comparison.compare`; `pairing` finds the claims that both reports share. How a comparison is displayed is in
`render.comparison`, whether it passes a threshold in `cli.threshold`.
"""

from trail_callbacks.comparison.comparison import Aspect, Comparison, JudgedClaim, Pair, ScoreChange, compare

__all__ = ["Aspect", "Comparison", "JudgedClaim", "Pair", "ScoreChange", "compare"]
