"""Reads the list of words that describe in names, `describing.txt`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["describing"]


@cache
def describing() -> frozenset[str]:
    """English words, case-folded, that stay as they are where they stand in a name."""
    lines = files(__package__).joinpath("describing.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
