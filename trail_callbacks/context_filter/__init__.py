"""A filter for retrieved passages: drops those that instruct the model, contradict the majority or are off topic.

Start with `filter`; `decision` is its result. It runs before an answer is written, offline and without calling a
model; checking the answer afterwards is in `verify`. Adapters wrap it as a compressor or postprocessor.
"""

from trail_callbacks.context_filter.decision import Action, Decision, Filtered, Reason, ReasonKind
from trail_callbacks.context_filter.filter import ContextFilter

__all__ = ["Action", "ContextFilter", "Decision", "Filtered", "Reason", "ReasonKind"]
