"""Language: what can be told of a text by its words alone. Its language, its terms, its kind of speech, its numbers.

Nothing here knows claims, evidence or judges.
"""
