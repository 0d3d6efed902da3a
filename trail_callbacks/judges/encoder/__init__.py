"""The encoder judge: open grounding and entailment models, run on the user's machine.

`judge` is the way in. `profiles` says how each model wants to be asked, `fetching` where its files are, `loading` makes
a `Loaded` of them, `onnx` and `torch` are the two kinds of `network`, `inference` packs sentences and runs one,
`readers` are pair and token classifiers, `verdicts` makes judgements of what they read. Nothing imports onnxruntime or
torch before a model is loaded, and only `fetching.fetch` downloads.
"""
