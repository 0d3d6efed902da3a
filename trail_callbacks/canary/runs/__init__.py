"""Asking an app: each probe once under each arm and strategy, within a budget, resumable."""
