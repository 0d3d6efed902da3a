"""Typed checks: each compares a claim with one passage and finds one kind of departure, or nothing.

A check is a function

    def compare(claim: Reading, passage: Reading) -> Finding | None

that finds nothing where it is not sure: a false alarm costs more than a missed error. Localisation
calls all of them for the few passages that are most about the claim; for a verdict, `decision` calls some of them for a
sentence that has nearly all of the claim.

To add one, write it in a module of its own (`strength` has four that are alike), enter it in `registry.CHECKS`, put
its tests into `tests/judges/local/checks/test_<module>.py`, and into the table `pairs/<name>.txt` beside it errors that
it must find, each with a harmless wording that it must leave alone. `tests/benchmarks/checks.py` says how often it is
right on labelled claims; a check stays only if it is.

`reading` has what a check is given and what it returns: a text read once for all checks, and a finding.
"""
