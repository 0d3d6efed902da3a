"""What one answer did: values and words are compared in code; what code is in doubt of is read by the judge's model.

Start with `classify`. An answer is read (`reading`: what of it is the answer, in clauses; `number_words`: numbers in
digits), its values are found (`amounts`, of each an `amount`; `calendar_dates`, `names`, `polarity`, `sequences`, each
a `Matcher`), how it speaks of them is told (`stance`, `refusing`), and that makes a `Statement` (`statements`).
`decide` asks a model for the same statement. The words are in tables: `wording.txt`, `numbers.txt`.
"""

from trail_callbacks.canary.outcomes.classify import classify
from trail_callbacks.canary.outcomes.decide import Scored, decide, decide_all

__all__ = ["Scored", "classify", "decide", "decide_all"]
