"""The texts of an app: what its retriever draws from, as plain documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True, slots=True)
class Document:
    """A text of the corpus: a file, or a chunk of a vector store's export.

    Attributes:
        id: Its name, unique in the corpus.
        text: The text as the app indexes it.
        metadata: What the app keeps beside it; JSON-like, never read for facts.
    """

    id: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was left out.

    Attributes:
        place: What it was: a file, `file:line`, the id of a document or of a probe.
        why: The reason, for a person.
    """

    place: str
    why: str


@dataclass(frozen=True, repr=False)
class Corpus:
    """Documents in their order.

    Attributes:
        documents: The documents; ids are unique.
        skipped: What could not be read, or repeats another document.
    """

    documents: Sequence[Document]
    skipped: Sequence[Skipped] = ()

    def __repr__(self) -> str:
        return f"<Corpus documents={len(self.documents)} skipped={len(self.skipped)}>"

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __getitem__(self, id_: str) -> Document:
        return self._by_id[id_]

    def __contains__(self, id_: object) -> bool:
        return id_ in self._by_id

    @cached_property
    def _by_id(self) -> dict[str, Document]:
        return {document.id: document for document in self.documents}
