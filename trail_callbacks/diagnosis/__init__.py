"""Where did the evidence path of a run break first? Coverage at every depth, signatures, the first break."""

from trail_callbacks.diagnosis.ablation import Ablation, AblationCost, aablate, ablate, ablation_cost
from trail_callbacks.diagnosis.diagnose import adiagnose, averified, diagnose, diagnosis_cost, verified
from trail_callbacks.diagnosis.facets import facets_of
from trail_callbacks.diagnosis.replay import Replay
from trail_callbacks.report.diagnosis import Diagnosis, Facet

__all__ = [
    "Ablation",
    "AblationCost",
    "Diagnosis",
    "Facet",
    "Replay",
    "aablate",
    "ablate",
    "ablation_cost",
    "adiagnose",
    "averified",
    "diagnose",
    "diagnosis_cost",
    "facets_of",
    "verified",
]
