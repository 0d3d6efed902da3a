"""The recorded run as a value that can be kept: events, context, and what they show of the evidence path."""

from trail_callbacks.trace.context import Context, Versions
from trail_callbacks.trace.steps import Candidate, Dropped, ModelCall, Packed, Packing, Ranked, Reranking, Retrieval
from trail_callbacks.trace.trace import Trace

__all__ = [
    "Candidate",
    "Context",
    "Dropped",
    "ModelCall",
    "Packed",
    "Packing",
    "Ranked",
    "Reranking",
    "Retrieval",
    "Trace",
    "Versions",
]
