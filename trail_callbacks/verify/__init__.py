"""Verification: from a provenance graph to a report.

Start with `pipeline`, which runs the steps in order: claims, `outcome` (claims against the leaves), `localize` (where
unsupported claims were introduced), report. `veritrail` replaces the middle steps by the published algorithm;
`estimate` predicts calls and tokens, `threshold` says what passes. Verdicts on claims come from `judges`; model calls
are yielded to the drivers in `models`; recording runs and verifying them in the background is in `session`.
"""
