"""What a claim and one sentence show when they are laid side by side, word by word.

`alignment` pairs the words of both that stand in the same order. `verbatim` tells whether the sentence states the claim
nearly word for word; the other modules find a typed difference in one place where the rest is the same: `slots` another
number, name or opposite, or a name or year that no passage has; `losses` a denial on one side only, or a hedge, plan,
view, condition or limit that the claim leaves out. `markers` has the words that a meaning turns on.

A new difference is a function of an alignment, entered in `decision.MISMATCHES`.
"""
