"""The offline judge: everything that decides claims without a model, and nothing that another judge needs.

`judge` is the way in. `decision` decides a claim, or says why it cannot: it lays claim and sentences side by side
(`alignment`) and looks for near-verbatim support, another number or name in one place (`slots`), or a denial, hedge,
plan, view, condition or limit that is left out (`losses`). A new difference is a function of an
alignment, entered in `decision`.
"""
