"""The guard in front of an index: fictive texts do not enter it.

vector_store.add_documents(refuse_fictive(documents))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from trail_callbacks.canary.edit import Replacement
from trail_callbacks.canary.passages.letters import letters
from trail_callbacks.canary.passages.places import Places, changes_in
from trail_callbacks.canary.twin import TAG, Twin
from trail_callbacks.errors import InputError
from trail_callbacks.text import words

__all__ = ["FictiveDataError", "FictiveTexts", "refuse_fictive", "refuse_polluted"]

Item = TypeVar("Item")
_DEEP = 8  # levels of metadata that are read
_CONTEXT = 12  # letters beside fictive words that a text must share with the twin
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


class FictiveTexts:
    """Recognises what only a twin says. It reads the twin once, so keep it where many documents are checked.

    Args:
        twin: The corpus and its twin.
    """

    def __init__(self, twin: Twin) -> None:
        self._places = Places(twin.fictive, _reversed(twin))
        self._nonces = {
            words(word).forms: edit.id
            for edit in twin.edits
            if edit.kind == "nonce"
            for word in (edit.fictive, edit.also)
            if word
        }

    def edit_in(self, text: str) -> str | None:
        """Returns the id of an edit that a text shows: a nonce word, or fictive words in their place in the twin."""
        if self._nonces and (found := self._nonce_in(words(text).forms)):
            return found
        passage = letters(text)
        for document in self._places.near(passage):
            whole = [(0, len(passage.folded))]
            for change in changes_in(self._places, document, text, passage, whole, context=_CONTEXT)[0]:
                if change.whole:
                    return change.edit
        return None

    def _nonce_in(self, forms: Sequence[str]) -> str | None:
        lengths = {len(nonce) for nonce in self._nonces}
        runs = (tuple(forms[at : at + length]) for length in lengths for at in range(len(forms) - length + 1))
        return next((self._nonces[run] for run in runs if run in self._nonces), None)


def refuse_fictive(documents: Iterable[Item], twin: Twin | FictiveTexts | None = None) -> list[Item]:
    """Returns documents as they are, as a list, or raises if one of them is fictive: the line before an index.

    Args:
        documents: Documents of LangChain, documents or nodes of LlamaIndex, dictionaries or texts.
        twin: Recognises also texts that have lost their tag, such as those copied by hand: a nonce word anywhere, or
            fictive words in their place. Without it only the tag is looked for, in metadata at any depth.

    Raises:
        FictiveDataError: If a document, or one of its parts, is fictive; none of them is returned then.
    """
    listed = list(documents)
    known = FictiveTexts(twin) if isinstance(twin, Twin) else twin
    if found := [(at, why) for at, item in enumerate(listed) if (why := _reason(item, known))]:
        raise FictiveDataError(found)
    return listed


def refuse_polluted(documents: Iterable[object]) -> None:
    """Raises `FictiveDataError` if what an app's own retriever found is fictive: then its index has such data."""
    if found := [(at, why) for at, item in enumerate(documents) if (why := _reason(item, None))]:
        raise FictiveDataError(found, "in the app's index")


def _reason(item: Any, known: FictiveTexts | None) -> str | None:
    item = getattr(item, "node", item)  # of one with its score
    details: Mapping[str, Any] = {}
    texts: list[Any]
    if isinstance(item, str):
        texts = [item]
    elif isinstance(item, Mapping):
        details, texts = item, [item.get(key) for key in ("page_content", "text", "content")]
    else:
        details = getattr(item, "metadata", None) or {}
        texts = [getattr(item, key, None) for key in ("page_content", "text")]
    if _tagged(details, _DEEP):
        return f"its metadata has {TAG!r}"
    if known is not None:
        for text in texts:
            if isinstance(text, str) and (edit := known.edit_in(text)):
                return f"it says what edit {edit!r} made up"
    return None


def _tagged(value: Any, deep: int) -> bool:
    if isinstance(value, Mapping):
        if TAG in value:
            return True
        return deep > 0 and any(_tagged(each, deep - 1) for each in value.values())
    return isinstance(value, list | tuple) and deep > 0 and any(_tagged(each, deep - 1) for each in value)


def _reversed(twin: Twin) -> Iterable[tuple[str, Replacement]]:
    """The replacements that would make the twin real again, with offsets in the twin."""
    by_document: dict[str, list[tuple[str, Replacement]]] = {}
    for edit in twin.edits:
        for each in edit.replacements:
            by_document.setdefault(each.document, []).append((edit.id, each))
    for document, listed in by_document.items():
        shift = 0
        for edit_id, each in sorted(listed, key=lambda pair: (pair[1].start, pair[1].end)):
            start = each.start + shift
            yield edit_id, Replacement(document, start, start + len(each.new), each.new, each.old)
            shift += len(each.new) - (each.end - each.start)
