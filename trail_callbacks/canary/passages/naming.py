"""Which documents of a corpus a passage says it is of: by its id, and by the ids and sources in its metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trail_callbacks.canary.corpus import Corpus

__all__ = ["Naming"]

KEYS: Final = (
    "id",
    "_id",
    "document_id",
    "doc_id",
    "ref_doc_id",
    "parent_id",
    "source",
    "source_id",
    "file_path",
    "file_name",
    "filename",
    "path",
    "url",
)
"""Keys under which frameworks and loaders keep what a passage is of."""


class Naming:
    """The documents of a corpus by what names them.

    Args:
        corpus: The documents.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._named: dict[str, list[str]] = {}
        for document in corpus:
            names = {document.id, _last(document.id)}
            for key in KEYS:
                if isinstance(value := document.metadata.get(key), str) and value:
                    names |= {value, _last(value)}
            for name in names:
                self._named.setdefault(name, []).append(document.id)

    def of(self, id_: str | None, metadata: Mapping[str, Any]) -> tuple[str, ...]:
        """Returns the ids of the documents that a passage may be of, the likeliest first; none if it says nothing.

        Names are compared as they are, and then by their last part, so that `/data/guide/ferry.md` is `ferry.md`,
        unless what comes before it is another file's.
        """
        given = [id_, *(metadata.get(key) for key in KEYS)]
        found: dict[str, None] = {}
        for name in given:
            if isinstance(name, str) and name:
                listed = self._named.get(name) or [
                    each for each in self._named.get(_last(name), ()) if _ends(name, each) or _ends(each, name)
                ]
                found.update(dict.fromkeys(listed))
        return tuple(found)


def _last(name: str) -> str:
    return name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def _ends(name: str, end: str) -> bool:
    return f"/{name.replace(chr(92), '/')}".endswith(f"/{end.replace(chr(92), '/').lstrip('./')}")
