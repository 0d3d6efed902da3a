"""The encoder judge: open grounding and entailment models, run by transformers on the user's machine.

`judge` is the way in. `profiles` says how each model wants to be asked, `labels` what its outputs mean, `loading` makes
a `Loaded` of a name or folder. `chunks` packs sentences into what a model reads at once; `pairs` scores claims against
chunks, `tokens` the words of claims, both through `inference`; `reading` is what they have in common. `verdicts` has
claims read, `decision` makes judgements of what was read. Nothing imports torch before a model is loaded.
"""
