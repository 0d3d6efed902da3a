"""The guard in front of an index: fictive texts do not enter it.

vector_store.add_documents(refuse_fictive(documents))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from trail_callbacks.canary.passages.translation import Translator, translator_of
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
