"""Typed checks: each compares a claim with one passage and finds one type of error, or nothing.

Start with `register`, which lists them; one module for each check. A check reports what it finds and knows nothing of
other passages: weighing findings against each other is up to the judge.
"""
