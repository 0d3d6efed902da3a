"""A filter for retrieved passages: what speaks to the model, contradicts the majority or is off the topic stays out."""

from trail_callbacks.context_filter.decision import Action, Decision, Filtered, Reason, ReasonKind
from trail_callbacks.context_filter.filter import ContextFilter

__all__ = ["Action", "ContextFilter", "Decision", "Filtered", "Reason", "ReasonKind"]
