"""Does an app answer from its context or from its model's memory? Fictive data tells.

A corpus gets a fictive twin; questions about what differs are asked with the real context, with the fictive one, with
none, and of the model alone. An answer with the real value under the fictive context came from memory.
"""

from trail_callbacks.canary.arm import ARMS, Answered, App, Arm, ArmUnavailableError, Ask, Strategy
from trail_callbacks.canary.corpus import Corpus, Document, Skipped
from trail_callbacks.canary.edit import KINDS, SIZES, Edit, EditKind, Replacement, Size
from trail_callbacks.canary.probe import Origin, Probe
from trail_callbacks.canary.results import Run
from trail_callbacks.canary.trial import OUTCOMES, Finding, How, Outcome, Policy, Stated, Trial
from trail_callbacks.canary.twin import TAG, Twin

__all__ = [
    "ARMS",
    "KINDS",
    "OUTCOMES",
    "SIZES",
    "TAG",
    "Answered",
    "App",
    "Arm",
    "ArmUnavailableError",
    "Ask",
    "Corpus",
    "Document",
    "Edit",
    "EditKind",
    "Finding",
    "How",
    "Origin",
    "Outcome",
    "Policy",
    "Probe",
    "Replacement",
    "Run",
    "Size",
    "Skipped",
    "Stated",
    "Strategy",
    "Trial",
    "Twin",
]
