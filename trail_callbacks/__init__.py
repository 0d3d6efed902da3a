"""Says which sentence of an answer is made up, and which step of a LangChain or LlamaIndex app made it up."""

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import Edge, Node, ProvenanceGraph
from trail_callbacks.report import Report, Verdict
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.verify.options import VerifyOptions

__all__ = [
    "Claim",
    "Edge",
    "ErrorType",
    "Evidence",
    "Node",
    "ProvenanceGraph",
    "Report",
    "SupportClass",
    "Verdict",
    "VerifyOptions",
]
