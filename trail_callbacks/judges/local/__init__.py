"""The offline judge: everything that decides claims without a model, and nothing that another judge needs.

`judge` is the way in: it reads claims and passages and asks for decisions. `overlap` counts what passages hold of a
claim, `checks` finds what they say differently (to add a check see there), `comparison` puts both together, `decision`
makes a class, a type and a rationale of it. `risk` and `training` are the probability behind the confidence,
`answering` is about questions in place of claims.
"""
