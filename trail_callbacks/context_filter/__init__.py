"""A filter for retrieved passages: what addresses the model or contradicts the majority is dropped before it is read.

`filter` decides, by two detectors: `instructions`, which looks for the phrases of `rules` in a text and in what
`disguises` brings to light, and `conflicts`, which compares passages with each other. No claims, answers or judges.
"""

from trail_callbacks.context_filter.filter import Action, ContextFilter, Filtered, PassageDecision, report_outcome
from trail_callbacks.context_filter.reason import Reason, ReasonKind

__all__ = ["Action", "ContextFilter", "Filtered", "PassageDecision", "Reason", "ReasonKind", "report_outcome"]
