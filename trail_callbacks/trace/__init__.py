"""The recorded run as a value that can be kept: events, context, and what they show of the evidence path.

Start with `trace.Trace`. `retrievals` joins the tree of runs with the nodes of the graph; it, `rerankings` and
`packings` make views of that, of the values in `steps`. `recorded` makes a trace of what capture has, `context`
says whose run it was, `codec` writes and reads traces.
"""

from trail_callbacks.trace.context import Context, Versions
from trail_callbacks.trace.steps import Candidate, Dropped, ModelCall, Packed, Packing, Reranked, Reranking, Retrieval
from trail_callbacks.trace.trace import Trace, read, save

__all__ = [
    "Candidate",
    "Context",
    "Dropped",
    "ModelCall",
    "Packed",
    "Packing",
    "Reranked",
    "Reranking",
    "Retrieval",
    "Trace",
    "Versions",
    "read",
    "save",
]
