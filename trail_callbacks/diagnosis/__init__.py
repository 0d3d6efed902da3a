"""Where did the evidence path of a run break first? Coverage at every depth, signatures, the first break."""

from trail_callbacks.diagnosis.ablation import Ablation, AblationCost, aablate, ablate, ablation_cost
from trail_callbacks.diagnosis.diagnose import adiagnose, averified, diagnose, diagnosis_cost, verified
from trail_callbacks.diagnosis.replay import Replay
from trail_callbacks.report.diagnosis import Diagnosis, Facet, IndexSearch

__all__ = [
    "Ablation",
    "AblationCost",
    "Diagnosis",
    "Facet",
    "IndexSearch",
    "Replay",
    "aablate",
    "ablate",
    "ablation_cost",
    "adiagnose",
    "averified",
    "diagnose",
    "diagnosis_cost",
    "verified",
]
