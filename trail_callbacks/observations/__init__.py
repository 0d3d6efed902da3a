"""What operations know of a judged run: the few figures that stores, pages, alerts and release gates count.

One run is one observation. Claims of one answer go wrong together, so that shares over claims are too sure of
themselves: everything here counts runs, as a release gate and an alert must.
"""

from trail_callbacks.observations.observation import (
    DocumentUse,
    FigureName,
    Observation,
    figures_of,
    observe,
    question_key,
    recorded,
)
from trail_callbacks.observations.signals import SIGNALS, Owner, Recorded, Signal, SignalName, Tallies, Tally

__all__ = [
    "SIGNALS",
    "DocumentUse",
    "FigureName",
    "Observation",
    "Owner",
    "Recorded",
    "Signal",
    "SignalName",
    "Tallies",
    "Tally",
    "figures_of",
    "observe",
    "question_key",
    "recorded",
]
