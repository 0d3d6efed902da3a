"""The encoder judge: open grounding and entailment models, run by transformers on the user's machine.

`judge` is the way in. `profiles` says how each model wants to be asked, `loading` makes a `Loaded` of a name or folder,
`inference` packs sentences and runs the network, `readers` are pair and token classifiers, `verdicts` makes judgements
of what they read. Nothing imports torch before a model is loaded.
"""
