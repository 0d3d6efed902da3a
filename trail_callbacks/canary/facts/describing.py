"""Reads the lists of words that show no name where they have a capital, `describing.txt` and `common.txt`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["common", "describing"]


@cache
def describing() -> frozenset[str]:
    """English words, case-folded, that say what kind of thing has a name: `Larkmead Pharmacy`."""
    return _listed("describing.txt")


@cache
def common() -> frozenset[str]:
    """Other common English words, case-folded; a part of a name that is one of them may be a name too."""
    return _listed("common.txt")


def _listed(name: str) -> frozenset[str]:
    lines = files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
