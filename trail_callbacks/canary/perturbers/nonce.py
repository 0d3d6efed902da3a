"""Nonce words in the place of names: absolute canaries."""

from trail_callbacks.canary.perturbers.names import propose_nonce as propose

__all__ = ["propose"]
