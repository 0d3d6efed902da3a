"""A run that can be interrupted: what is known of it, what it may cost, and who is asked, for audits and canary runs.

`budget` grants calls, at their pace; the `journal` keeps results under keys, so that the same command again does only
what is missing; `askers` call functions on threads, each within a time.
"""

from trail_callbacks.work.budget import Granted, Grants, Ledger, granted
from trail_callbacks.work.journal import Journal, Result, reading

__all__ = [
    "Granted",
    "Grants",
    "Journal",
    "Ledger",
    "Result",
    "granted",
    "reading",
]
