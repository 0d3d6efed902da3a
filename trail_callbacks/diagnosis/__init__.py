"""Where did the evidence path of a run break first? Coverage at every depth, signatures, the first break."""

from trail_callbacks.diagnosis.diagnose import adiagnose, diagnose, diagnosed
from trail_callbacks.diagnosis.facets import facets_of
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
    "Break",
    "ClaimFinding",
    "Coverage",
    "Diagnosis",
    "Facet",
    "FacetFinding",
    "Figure",
    "Overlap",
    "RetrievalFinding",
    "Signature",
    "Stage",
    "adiagnose",
    "diagnose",
    "diagnosed",
    "facets_of",
]
