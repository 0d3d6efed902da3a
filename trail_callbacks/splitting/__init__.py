"""Splitting an answer into claims by rules, without a model.

Start with `statements`; the other modules find lines, clauses, enumerations and frames, and resolve pronouns. The
public function is `trail_callbacks.claims.split`. Sources are split into passages in `evidence`.
"""
