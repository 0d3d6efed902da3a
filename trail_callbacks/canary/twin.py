"""The fictive twin of a corpus: the same texts with edited facts, and the log of every edit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit

__all__ = ["TAG", "Twin"]

TAG: Final = "trail_canary"
"""Key in the metadata of fictive documents and passages; its value is `Twin.id`. What has it must not be indexed."""


@dataclass(frozen=True, repr=False)
class Twin:
    """A corpus and its fictive twin.

    Attributes:
        id: Derived from the seed and the texts: the same input gives the same id.
        seed: The seed of the edits.
        real: The real documents.
        fictive: The same documents, same ids and order, edited; metadata is the real one's and `TAG`.
        edits: All edits. No two replacements overlap.
        skipped: Documents without an edit and edits that were refused, with the reason.
    """

    id: str
    seed: int
    real: Corpus
    fictive: Corpus
    edits: Sequence[Edit]
    skipped: Sequence[Skipped] = ()

    def __repr__(self) -> str:
        return f"<Twin {self.id} seed={self.seed} documents={len(self.real)} edits={len(self.edits)}>"
