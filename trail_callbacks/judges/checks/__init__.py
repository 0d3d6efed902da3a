"""Typed checks: each finds one sort of disagreement between a claim and its evidence."""
