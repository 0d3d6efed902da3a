"""Recording an app and verifying its answers in the background: what every adapter drives.

Start with `session.Session`, which joins a `capture` recorder with a queue of verifications; `verification` makes one
report, `settings` are what users may pass, `recording` is what `with trail()` returns. How a run becomes a graph is in
`capture`, how a graph becomes a report in `verify`.
"""

from trail_callbacks.session.recording import Block, RecordedReports, Recording
from trail_callbacks.session.session import Session
from trail_callbacks.session.settings import CaptureKeywords, CaptureSettings, Evaluate, Redact, Retention

__all__ = [
    "Block",
    "CaptureKeywords",
    "CaptureSettings",
    "Evaluate",
    "RecordedReports",
    "Recording",
    "Redact",
    "Retention",
    "Session",
]
