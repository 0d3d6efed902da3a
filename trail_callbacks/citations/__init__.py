"""Citations in an answer: the marks, the claims they belong to, and the sources they name.

Start with `attach`. Whether a cited source supports its claim is for a judge: see `trail_callbacks.verify.citations`.
"""
