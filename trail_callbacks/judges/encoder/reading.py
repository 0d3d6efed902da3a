"""What a reader is asked and what it finds: the vocabulary that pair and token classifiers share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from trail_callbacks.evidence import Passage
from trail_callbacks.models.call import Pipeline

__all__ = ["Ask", "Reader", "Reading", "UnusableError"]


class UnusableError(Exception):
    """A model gave no usable answer: not a number, or no room for the text. Becomes an error of the judgement."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A statement and the sentences to read it against.

    Attributes:
        text: The statement.
        passages: From `chunks.statements`, at least one.
    """

    text: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a model makes of a statement.

    Attributes:
        support: Probability, 0.0 to 1.0, that what was read supports it: the highest over the chunks, or for words the
            lowest over those of the statement.
        against: Probability, 0.0 to 1.0, that something contradicts it; None if the model cannot tell.
        supporting: The sentence that supports it best.
        opposing: The sentence that contradicts it most; None if none was looked for.
        near: The sentences among which `supporting` is.
        unbacked: The parts of the statement that nothing supports, verbatim; of a token classifier only.
        share: Share of the statement's characters, blanks aside, that are in them.
        read: Chunks that were read.
        chunks: Chunks that there are.
        failure: Why there is no answer; all else is then without meaning.
    """

    support: float = 0.0
    against: float | None = None
    supporting: Passage | None = None
    opposing: Passage | None = None
    near: tuple[Passage, ...] = ()
    unbacked: tuple[str, ...] = ()
    share: float = 0.0
    read: int = 0
    chunks: int = 0
    failure: str | None = None


class Reader(Protocol):
    """A loaded model that reads statements against sentences."""

    def read(self, asks: Sequence[Ask]) -> Pipeline[list[Reading]]:
        """Reads all asks together. Pauses between batches, so that it can be cancelled there.

        Returns:
            One reading an ask, in order.
        """
