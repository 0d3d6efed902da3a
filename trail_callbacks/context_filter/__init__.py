"""A filter for retrieved passages: what addresses the model, contradicts the majority or is off topic is dropped.

Here belongs what decides about a passage before a model reads it, from the passages and the question alone: rules for
instructions to the model (`rules`, `translations`), what disguises them or makes them harmless (`normalization`,
`obfuscation`, `mentions`), the comparison of passages with each other (`conflicts`, `duplicates`) and
with the question (`relevance`). It knows no claims, answers or judges; words, numbers and sentences come from
`language` and `text`.
"""

from trail_callbacks.context_filter.decision import Action, Decision, Filtered, Reason, ReasonKind
from trail_callbacks.context_filter.filter import ContextFilter

__all__ = ["Action", "ContextFilter", "Decision", "Filtered", "Reason", "ReasonKind"]
