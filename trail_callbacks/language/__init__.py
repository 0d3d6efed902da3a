"""Language: what can be read from the words of a text alone: its language, terms, numbers and kind of speech.

Start with `terms` (words, names, stems) and `quantities` (comparable numbers). Nothing here knows claims, evidence or
judges; splitting an answer into claims is in `splitting`.
"""
