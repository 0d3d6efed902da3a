"""Recording an app and verifying what it answered: what every adapter drives."""

from trail_callbacks.session.recording import Recording
from trail_callbacks.session.session import Session
from trail_callbacks.session.settings import CaptureKeywords, CaptureSettings, Evaluate

__all__ = ["CaptureKeywords", "CaptureSettings", "Evaluate", "Recording", "Session"]
