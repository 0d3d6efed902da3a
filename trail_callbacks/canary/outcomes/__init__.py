"""What one answer did: values and words are compared in code; what code is in doubt of is read by the judge's model.

Start with `classify`. An answer is read (`reading`: what of it is the answer, in clauses), its values are found
(`values` and `polarity`, each a `ValueMatcher`), and how it speaks of them makes an `AnswerStatement` (`statement`).
`judging` asks a model for the same statement.
"""

from trail_callbacks.canary.outcomes.classify import classify, decide_all
from trail_callbacks.canary.outcomes.statement import Scored

__all__ = ["Scored", "classify", "decide_all"]
