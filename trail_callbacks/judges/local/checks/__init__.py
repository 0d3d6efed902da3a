"""Typed checks: each compares a claim with one passage and finds one kind of departure, or nothing."""
