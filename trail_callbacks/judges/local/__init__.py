"""A judge without a model: typed checks, and a risk estimated from the words that claim and sources share.

Start with `judge.LocalJudge`. `checks` find specific contradictions, such as another number; `risk` covers the rest.
Reading numbers, dates and terms from text is in `language`, choosing passages in `retrieval`.
"""
