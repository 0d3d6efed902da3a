"""The fictive twin of a corpus: the same texts with edited facts, and the log of every edit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.errors import InputError

EditKind = Literal[
    "number",
    "date",
    "name",
    "negation",
    "modality",
    "unit",
    "order",
    "unanswerable",
    "inconsistent",
    "nonce",
]
"""What an edit changes. `unanswerable` removes the fact everywhere; `inconsistent` makes two passages disagree, on two
values which are both fictive; `nonce` puts a coined word in place of a name: nobody can have read it anywhere."""

KINDS: tuple[EditKind, ...] = get_args(EditKind)

TURNS: frozenset[EditKind] = frozenset({"negation", "modality", "order"})
"""Kinds that turn a statement into another one, and are asked for with yes or no."""

Size = Literal["small", "medium", "large"]
"""How far the fictive value is from the real one: the less plausible a context, the less it is followed (ClashEval)."""

SIZES: tuple[Size, ...] = get_args(Size)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A span of a real document and what stands in its place in the twin.

    Attributes:
        document: Id of the document.
        start: Offset in the real text.
        end: Offset after it.
        old: The real words, `text[start:end]`.
        new: The fictive words; empty where a fact was removed.
    """

    document: str
    start: int
    end: int
    old: str
    new: str


def applied(text: str, replacements: Iterable[Replacement]) -> tuple[str, dict[Replacement, int]]:
    """Makes all replacements of a text; returns it, and where each of them then stands.

    Raises:
        InputError: If two overlap, or the text does not have the old words where one says.
    """
    parts, at, length = [], 0, 0
    moved: dict[Replacement, int] = {}
    for each in sorted(replacements, key=lambda one: (one.start, one.end)):
        if not at <= each.start <= each.end or text[each.start : each.end] != each.old:
            raise InputError(
                f"a replacement at {each.start} of {each.document} does not fit the text, or the one before"
            )
        moved[each] = length + each.start - at
        parts += [text[at : each.start], each.new]
        at, length = each.end, moved[each] + len(each.new)
    return "".join((*parts, text[at:])), moved


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One fact, changed consistently.

    Attributes:
        id: Unique in the twin, the same for the same seed: `number-3`.
        kind: What was changed.
        size: How far; None where the kind has no scale (negation, modality, unit, order, unanswerable, nonce).
        real: The real value as a person would write it: `40 minutes`.
        fictive: The fictive value, likewise; None where the fact was removed.
        also: The second fictive value of an `inconsistent` edit.
        replacements: The places, in the order of documents and offsets; at least one. A number that depends on the
            edited one (a sum, a percentage) is repaired by replacements of the same edit, see `repairs`.
        repairs: Indices of those `replacements` that are such consequences and not the value itself.
        forms: Other written forms of the fact with their replacement, such as inflected names: pairs (old, new).
    """

    id: str
    kind: EditKind
    size: Size | None = None
    real: str
    fictive: str | None
    also: str | None = None
    replacements: Sequence[Replacement]
    repairs: Sequence[int] = ()
    forms: Sequence[tuple[str, str]] = ()


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
