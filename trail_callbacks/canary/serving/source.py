"""What the `CanaryRetriever`s of all frameworks share: which version of the texts is served, and the guard of an index.

vector_store.add_documents(refuse_fictive(documents))
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.passages.translation import Translated, Translator, translator_of
from trail_callbacks.canary.serving.exposure import CanaryOffError, Exposure, checked_arm, current, is_off
from trail_callbacks.canary.trial import Arm
from trail_callbacks.canary.twin import TAG, Twin
from trail_callbacks.errors import InputError

Item = TypeVar("Item")
_DEEP = 8  # levels of metadata that are read
_SHOWN = 3  # items that an error names


class FictiveDataError(InputError):
    """Fictive data was about to be stored, or already is. The message quotes nothing of it.

    Attributes:
        found: For each item that was refused its position and why.
        what: What the items are: `about to be stored`, or `in the app's index`.
    """

    def __init__(self, found: Sequence[tuple[int, str]], what: str = "about to be stored") -> None:
        self.found = tuple(found)
        self.what = what
        named = "; ".join(f"item {position}: {why}" for position, why in found[:_SHOWN])
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        super().__init__(
            f"{len(found)} of the items {what} are fictive ({named}{more}). They belong to a canary run, and an index "
            f"that has them answers from them: leave them out, or delete what has {TAG!r} in its metadata"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Keeps `found` when the exception is pickled."""
        return type(self), (self.found, self.what)


def refuse_fictive(documents: Iterable[Item], twin: Twin | Translator | None = None) -> list[Item]:
    """Returns documents as they are, as a list, or raises if one of them is fictive: the line before an index.

    Args:
        documents: Documents of LangChain, documents or nodes of LlamaIndex, dictionaries or texts.
        twin: Recognises also texts that have lost their tag, such as those copied by hand: a nonce word anywhere, or
            fictive words in their place. Its `Translator` keeps what it has read of it from call to call. Without it
            only the tag is looked for, in metadata at any depth.

    Raises:
        FictiveDataError: If a document, or one of its parts, is fictive; none of them is returned then.
    """
    listed = list(documents)
    known = translator_of(twin) if isinstance(twin, Twin) else twin
    if found := [(at, why) for at, item in enumerate(listed) if (why := _reason(item, known))]:
        raise FictiveDataError(found)
    return listed


def refuse_polluted(documents: Iterable[object]) -> None:
    """Raises `FictiveDataError` if what an app's own retriever found is fictive: then its index has such data."""
    if found := [(at, why) for at, item in enumerate(documents) if (why := _reason(item, None))]:
        raise FictiveDataError(found, "in the app's index")


def _reason(item: Any, known: Translator | None) -> str | None:
    item = getattr(item, "node", item)  # of one with its score
    item = {"text": item} if isinstance(item, str) else item
    is_mapping = isinstance(item, Mapping)
    details = item if is_mapping else getattr(item, "metadata", None) or {}
    if _tagged(details, _DEEP):
        return f"its metadata has {TAG!r}"
    for name in ("page_content", "text", "content") if known else ():
        text = item.get(name) if is_mapping else getattr(item, name, None)
        if known and isinstance(text, str) and (edit := known.made_up(text)):
            return f"it says what edit {edit!r} made up"
    return None


def _tagged(value: Any, deep: int) -> bool:
    if isinstance(value, Mapping):
        return TAG in value or (deep > 0 and any(_tagged(each, deep - 1) for each in value.values()))
    return isinstance(value, list | tuple) and deep > 0 and any(_tagged(each, deep - 1) for each in value)


_log = logging.getLogger("trail_callbacks")


@dataclass(frozen=True, slots=True)
class Framework(Generic[Item]):
    """How retrievers and their passages are of a framework."""

    retriever: type  # what is a retriever
    read: Callable[[Item], tuple[str, str | None, Mapping[str, Any]]]  # returns text, id and metadata of a passage
    # returns a copy of a passage with another text (None: its own) and other metadata
    write: Callable[[Item, str | None, dict[str, Any]], Item]
    shown: Callable[[Item], str]  # returns the text of a passage that prompts show


class Sight(NamedTuple):
    """What one call of a retriever is to return."""

    arm: Arm | None  # the arm; None if the retriever is left alone
    exposure: Exposure | None = None  # where to note what is served; None if nobody asks

    @property
    def is_untouched(self) -> bool:
        """True if the wrapped retriever answers by itself."""
        return self.arm in (None, "real")

    @property
    def is_empty(self) -> bool:
        """True if nothing is found, and the wrapped retriever not asked."""
        return self.arm in ("empty", "closed_book")


class CanarySource(Generic[Item]):
    """The state behind one retriever and its copies for single arms."""

    def __init__(self, retriever: Any, twin: Twin, framework: Framework[Item]) -> None:
        if not isinstance(retriever, framework.retriever):
            raise InputError(f"retriever: expected a retriever, got {type(retriever).__name__}")
        if not isinstance(twin, Twin):
            raise InputError(f"twin: expected a Twin, got {type(twin).__name__}: perturb() and load_twin() return one")
        self.twin, self.translator = twin, translator_of(twin)
        self.outside = 0  # calls outside of any exposure; some may be of a run whose context got lost
        self._framework, self._lock = framework, threading.Lock()

    def __deepcopy__(self, memo: object) -> CanarySource[Item]:
        """A copy of an app reads with the same retriever and counts with it."""
        return self

    def sight(self, bound: Arm | None) -> Sight:
        """Returns what a call is to return now: under the arm of the retriever itself, else under that around it."""
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
        arm = checked_arm(bound) if bound else (exposure.arm if exposure else None)
        noted = exposure if exposure is not None and exposure.arm == arm else None
        if noted is None:
            with self._lock:
                self.outside += 1
        if arm in (None, "real") or not is_off():
            return Sight(arm, noted)
        if noted is not None:
            noted.spoiled = True
        return Sight(None, noted)

    def served(self, found: Sequence[Item], sight: Sight) -> list[Item]:
        """Returns what is served of what the wrapped retriever found, and notes it."""
        if sight.arm is None and sight.exposure is None:
            return list(found)
        if sight.arm == "fictive" and is_off():
            raise CanaryOffError("fictive data was switched off while passages were searched")
        refuse_polluted(found)
        dropped: list[Skipped] = []
        served = list(self._translated(found, dropped)) if sight.arm == "fictive" else list(found)
        if sight.exposure is not None:
            sight.exposure.served([self._framework.shown(each) for each in served], dropped)
        return served

    def _translated(self, found: Sequence[Item], dropped: list[Skipped]) -> Iterator[Item]:
        for item in found:
            text, id_, details = self._framework.read(item)
            translated = self.translator.passage(text, id_, details)
            if translated.text is None or (translated.how == "changed" and not translated.text.strip()):
                dropped.append(_dropped(id_, translated))
                continue
            new = translated.text if translated.how == "changed" else None
            yield self._framework.write(item, new, self.translator.metadata(details, translated.documents))


def _dropped(name: str | None, translated: Translated) -> Skipped:
    """Says and logs that a passage is not served; the reason names nothing, so that passages are counted by it."""
    place = f"passage {name or 'without id'}"
    place += f" of {', '.join(translated.documents)}" if translated.documents else ""
    place += f" with {', '.join(translated.edits)}" if translated.edits else ""
    why = "could not be placed in the corpus"
    if translated.text is not None:
        why = "says only what the twin has not"
    elif translated.edits:
        why += " and states what an edit changed"
    _log.warning("canary retriever: %s was not served: it %s", place, why)
    return Skipped(place, why)
