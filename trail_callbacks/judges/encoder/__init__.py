"""The encoder judge: open grounding and entailment models, run by transformers on the user's machine.

`judge` is the way in. `profiles` says how each model wants to be asked, `labels` what its outputs mean, `loading` makes
a `Loaded` of a name or folder. `chunks` packs sentences into what a model reads at once; `pairs` scores claims against
chunks, `tokens` the words of claims. `evidence` finds the sentence that decided, `decision` makes the judgement. Only
`loading`, `inference`, `pairs` and `tokens` touch torch, and none of them imports it before a model is loaded.
"""
