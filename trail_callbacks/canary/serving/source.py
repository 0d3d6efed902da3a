"""What the `CanaryRetriever`s of all frameworks share: which version of the texts is served just now, and what was."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, get_args

from trail_callbacks.canary.arm import ARMS, Arm
from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.passages.translation import Translated, translator_of
from trail_callbacks.canary.serving.exposure import CanaryOffError, Exposure, current, is_off
from trail_callbacks.canary.twin import Twin
from trail_callbacks.errors import InputError

__all__ = ["EMBEDDINGS", "CanarySource", "Embedding", "Sight", "checked_arm", "shared_parts"]

Embedding = Literal["real", "fictive"]
"""What passages are found by: their real text, which isolates what the model does with them, or that of the twin, which
tests the whole pipeline."""

EMBEDDINGS: tuple[Embedding, ...] = get_args(Embedding)

Finder = TypeVar("Finder")
_log = logging.getLogger("trail_callbacks")


@dataclass(frozen=True, slots=True)
class Sight:
    """What one call of a retriever is to return.

    Attributes:
        arm: The arm; None if the retriever is left alone.
        exposure: Where to note what is served; None if nobody asks.
    """

    arm: Arm | None
    exposure: Exposure | None = None

    @property
    def is_untouched(self) -> bool:
        """True if the wrapped retriever answers by itself."""
        return self.arm in (None, "real")


class CanarySource(Generic[Finder]):
    """The state behind one retriever and its copies for single arms.

    Args:
        twin: The corpus and its twin.
        embedding: What passages are found by.
        index: Makes the retriever over the twin; needed for `embedding="fictive"`.

    Attributes:
        twin: As given.
        translator: Turns real passages into fictive ones.
        embedding: As given.
        outside: Calls outside of any exposure. Some of them may be of a run whose context got lost.

    Raises:
        InputError: If `embedding` is unknown, or `index` is missing or of no use.
    """

    def __init__(self, twin: Twin, embedding: Embedding, index: Callable[[], Finder] | None) -> None:
        if not isinstance(twin, Twin):
            raise InputError(f"twin: expected a Twin, got {type(twin).__name__}: perturb() and load_twin() return one")
        if embedding not in EMBEDDINGS:
            raise InputError(f"unknown embedding {embedding!r}: choose 'real' or 'fictive'")
        if (embedding == "fictive") != (index is not None):
            raise InputError(
                "embedding='fictive' needs index=, a function that makes a retriever over the documents of the twin"
                if index is None
                else "index= is for embedding='fictive': with 'real', passages are found by the app's own retriever"
            )
        self.twin = twin
        self.translator = translator_of(twin)
        self.embedding = embedding
        self.outside = 0
        self._index = index
        self._finder: Finder | None = None
        self._lock = threading.Lock()
        self._building = threading.Lock()

    def __deepcopy__(self, memo: object) -> CanarySource[Finder]:
        """A copy of an app reads with the same retriever and counts with it."""
        return self

    def sight(self, bound: Arm | None) -> Sight:
        """Returns what a call is to return now: under the arm of the retriever itself, else under that around the code.

        Raises:
            InputError: If the code around is of a run over another twin, or was started in another process.
        """
        exposure = current()
        if exposure is not None and exposure.twin.id != self.twin.id:
            raise InputError(
                f"this retriever is of twin {self.twin.id!r}, but the run around it is over {exposure.twin.id!r}: make "
                "one twin of all the texts that an app reads"
            )
        if exposure is not None and exposure.process != os.getpid():
            raise InputError(
                "retrieval in a child process of a canary run: nobody would know what was served. Use threads, or tasks"
            )
        arm = bound or (exposure.arm if exposure else None)
        noted = exposure if exposure is not None and exposure.arm == arm else None
        if noted is None:
            with self._lock:
                self.outside += 1
        if arm in (None, "real") or not is_off():
            return Sight(arm, noted)
        if noted is not None:
            noted.spoiled = True
        return Sight(None, noted)

    def refuse_if_off(self) -> None:
        """Raises `CanaryOffError` if fictive data was switched off since `sight` said that it is served."""
        if is_off():
            raise CanaryOffError("fictive data was switched off while passages were searched")

    def fictive_finder(self) -> Finder:
        """Returns the retriever over the twin; the first call makes it."""
        assert self._index is not None  # noqa: S101 - for the type checker: asked for with embedding="fictive" only
        with self._building:
            if self._finder is None:
                self._finder = self._index()
            return self._finder

    def drop(self, dropped: list[Skipped], name: str | None, translated: Translated) -> None:
        """Notes and logs that a passage is not served; the reason names nothing, so that passages are counted by it."""
        place = f"passage {name or 'without id'}"
        place += f" of {', '.join(translated.documents)}" if translated.documents else ""
        place += f" with {', '.join(translated.edits)}" if translated.edits else ""
        why = "could not be placed in the corpus"
        if translated.text is not None:
            why = "says only what the twin has not"
        elif translated.edits:
            why += " and states what an edit changed"
        dropped.append(Skipped(place, why))
        _log.warning("canary retriever: %s was not served: it %s", place, why)


def checked_arm(arm: str) -> Arm:
    """Returns an arm.

    Raises:
        InputError: If there is none of that name.
    """
    if arm not in ARMS:
        raise InputError(f"unknown arm {arm!r}: choose one of {', '.join(ARMS)}")
    return arm


def shared_parts(one: object, other: object, kinds: Sequence[type]) -> list[str]:
    """Returns the types of the stores that two retrievers share, however they hold them: there should be none."""
    theirs = {id(part) for part in _parts(other, tuple(kinds), 4)}
    return [type(part).__name__ for part in _parts(one, tuple(kinds), 4) if id(part) in theirs]


def _parts(value: Any, kinds: tuple[type, ...], deep: int) -> list[Any]:
    found = [value] if isinstance(value, kinds) else []
    if deep and hasattr(value, "__dict__"):
        for part in vars(value).values():
            for each in part if isinstance(part, list | tuple) else (part,):
                if not isinstance(each, str | int | float | bytes | type(None)):
                    found.extend(_parts(each, kinds, deep - 1))
    return found
