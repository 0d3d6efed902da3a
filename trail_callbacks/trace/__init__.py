"""The recorded run as a value that can be kept: events, context, and what they show of the evidence path.

Start with `trace.Trace`. `reading` joins the tree of runs with the nodes of the graph; `retrievals`, `rerankings`,
`packings` and `calls` each make one view of that, of the values in `steps`. `recorded` makes a trace of what capture
has, `context` and `gaps` say what is known of the run and what is missing, `codec` and `stored` write and read traces.
"""

from trail_callbacks.trace.context import Context, Versions
from trail_callbacks.trace.steps import Candidate, Dropped, ModelCall, Packed, Packing, Ranked, Reranking, Retrieval
from trail_callbacks.trace.stored import read, save
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
    "read",
    "save",
]
