"""Language: what can be read from the words of a text alone: its language, terms, values and kind of speech.

Start with `terms` (words, names, stems) and `values` (numbers, dates, times and names). Nothing here knows claims,
evidence or judges; splitting an answer into claims is in `splitting`.
"""
