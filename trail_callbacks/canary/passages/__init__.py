"""Passages of the real corpus as the twin has them, whatever chunker made them."""
