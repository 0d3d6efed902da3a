"""The offline judge: everything that decides claims without a model, and nothing that another judge needs.

`judge` is the way in: it reads claims and passages. `decision` decides a claim, or says why it cannot: it lays claim
and sentences side by side (`aligned`) and looks for near-verbatim support or one typed difference; `checks` compares
the two without regard to places. For localisation, which needs a best guess, `overlap` counts what an output holds of
a claim and `comparison` says whether that is a statement of it. `answering` is about questions in place of claims.
"""
