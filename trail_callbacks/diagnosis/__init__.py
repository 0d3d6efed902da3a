"""Where did the evidence path of a run break first? Coverage at every depth, signatures, the first break."""

from trail_callbacks.diagnosis.ablation import Ablation, AblationCost, Effect, aablate, ablate, ablation_cost
from trail_callbacks.diagnosis.diagnose import adiagnose, averified, diagnose, diagnosed, diagnosis_cost, verified
from trail_callbacks.diagnosis.facets import facets_of
from trail_callbacks.diagnosis.replay import Replay, ReplayTurn
from trail_callbacks.report.diagnosis import (
    Break,
    ClaimFinding,
    Coverage,
    Diagnosis,
    Facet,
    FacetFinding,
    Figure,
    Overlap,
    RetrievalFinding,
    Signature,
    Stage,
)

__all__ = [
    "Ablation",
    "AblationCost",
    "Break",
    "ClaimFinding",
    "Coverage",
    "Diagnosis",
    "Effect",
    "Facet",
    "FacetFinding",
    "Figure",
    "Overlap",
    "Replay",
    "ReplayTurn",
    "RetrievalFinding",
    "Signature",
    "Stage",
    "aablate",
    "ablate",
    "ablation_cost",
    "adiagnose",
    "averified",
    "diagnose",
    "diagnosed",
    "diagnosis_cost",
    "facets_of",
    "verified",
]
