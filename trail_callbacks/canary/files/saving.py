"""A twin as a file: its real texts and its edits, of which the fictive texts are made again."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, Field, ValidationError

from trail_callbacks.canary.corpus import Corpus, Document, Skipped
from trail_callbacks.canary.edit import Edit, EditKind, Replacement, Size
from trail_callbacks.canary.twin import TAG, Twin
from trail_callbacks.errors import InputError
from trail_callbacks.files import write

__all__ = ["FORMAT", "VERSION", "applied", "load_twin", "save_twin"]

FORMAT: Final = "trail-canary-twin"
VERSION: Final = 1
_LARGEST: Final = 1024**3  # bytes


class _Head(BaseModel):
    """What every version of the file has."""

    format: Any = None
    version: Any = None


class _Document(BaseModel, strict=True):
    id: str
    text: str
    metadata: dict[str, Any]


class _Edit(BaseModel, strict=True):
    id: str
    kind: EditKind
    size: Size | None
    real: str
    fictive: str | None
    also: str | None
    replacements: list[tuple[str, int, int, str, str]] = Field(min_length=1)
    repairs: list[int]
    forms: list[tuple[str, str]]


class _Stored(BaseModel, strict=True):
    """What the file holds."""

    id: str
    seed: int
    documents: list[_Document]
    unread: list[tuple[str, str]]
    edits: list[_Edit]
    skipped: list[tuple[str, str]]


def save_twin(twin: Twin, path: str | Path) -> None:
    """Writes a twin as JSON: atomically, a new file for its owner only. The same twin gives the same bytes.

    The fictive texts are not written: they are what the edits make of the real ones.

    Args:
        twin: The twin.
        path: The file; one that is there is replaced.

    Raises:
        InputError: If the fictive texts are not what the edits make of the real ones, metadata is not JSON, or the file
            cannot be written; then nothing is replaced.
    """
    fictive = _fictive(twin.id, twin.real, twin.edits)
    wrong = [each.id for each in twin.fictive if each.id not in fictive or fictive[each.id].text != each.text]
    if wrong or len(fictive) != len(twin.fictive):
        raise InputError(f"the twin cannot be saved: its edits do not make its text of {wrong[:1] or 'a document'}")
    data = {
        "format": FORMAT,
        "version": VERSION,
        "id": twin.id,
        "seed": twin.seed,
        "documents": [{"id": each.id, "text": each.text, "metadata": each.metadata} for each in twin.real],
        "unread": [[each.place, each.why] for each in twin.real.skipped],
        "edits": [_edit_data(each) for each in twin.edits],
        "skipped": [[each.place, each.why] for each in twin.skipped],
    }
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the twin cannot be saved: the metadata of a document is no JSON ({error})") from error
    write(str(path), text + "\n")


def load_twin(path: str | Path) -> Twin:
    """Reads a twin that `save_twin` wrote.

    Raises:
        InputError: If the file cannot be read, is no twin or one of another version, or its edits do not fit its texts;
            names the file and what is wrong.
    """
    try:
        with Path(path).open("rb") as stream:
            raw = stream.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(raw) > _LARGEST:
        raise InputError(f"{path} is longer than {_LARGEST // 1024**3} GiB, which no twin is")
    try:
        return _parsed(raw)
    except ValidationError as error:
        wrong = error.errors()[0]
        where = ".".join(map(str, wrong["loc"])) or "file"
        broken = "JSON is broken or truncated" if wrong["type"] == "json_invalid" else where
        raise InputError(f"{path} is no valid twin: its {broken}: {wrong['msg']}") from error
    except InputError as error:
        raise InputError(f"{path} is no valid twin: {error}") from error


def applied(text: str, replacements: Sequence[Replacement]) -> str:
    """Makes replacements in a text.

    Args:
        text: The real text.
        replacements: All of this text, in order of their offsets.

    Raises:
        InputError: If two overlap, or the text does not have the old words where one says.
    """
    parts, at = [], 0
    for each in replacements:
        if not at <= each.start <= each.end or text[each.start : each.end] != each.old:
            raise InputError(
                f"a replacement at {each.start} of {each.document} does not fit the text, or the one before"
            )
        parts += [text[at : each.start], each.new]
        at = each.end
    return "".join((*parts, text[at:]))


def _fictive(id_: str, real: Corpus, edits: Sequence[Edit]) -> dict[str, Document]:
    places: dict[str, list[Replacement]] = defaultdict(list)
    for each in (replacement for edit in edits for replacement in edit.replacements):
        places[each.document].append(each)
    if lost := places.keys() - {each.id for each in real}:
        raise InputError(f"an edit is of the document {min(lost)!r}, which is missing")
    return {
        each.id: Document(
            each.id,
            applied(each.text, sorted(places[each.id], key=lambda one: (one.start, one.end))),
            {**each.metadata, TAG: id_},
        )
        for each in real
    }


def _edit_data(edit: Edit) -> dict[str, Any]:
    return {
        "id": edit.id,
        "kind": edit.kind,
        "size": edit.size,
        "real": edit.real,
        "fictive": edit.fictive,
        "also": edit.also,
        "replacements": [[each.document, each.start, each.end, each.old, each.new] for each in edit.replacements],
        "repairs": list(edit.repairs),
        "forms": [list(each) for each in edit.forms],
    }


def _parsed(raw: bytes) -> Twin:
    head = _Head.model_validate_json(raw)
    if head.format != FORMAT:
        raise InputError(f'its "format" is not "{FORMAT}": make one with `trail canary perturb`')
    if head.version != VERSION:
        raise InputError(f"it is of version {head.version!r}, expected {VERSION}: make it again")
    return _twin(_Stored.model_validate_json(raw))


def _twin(data: _Stored) -> Twin:
    for one, other in pairwise(sorted(each.id for each in data.documents)):
        if one == other:
            raise InputError(f"two documents have the id {one!r}")
    real = Corpus(tuple(Document(each.id, each.text, each.metadata) for each in data.documents), _skipped(data.unread))
    edits = tuple(map(_edit, data.edits))
    fictive = Corpus(tuple(_fictive(data.id, real, edits).values()), real.skipped)
    return Twin(data.id, data.seed, real, fictive, edits, _skipped(data.skipped))


def _edit(data: _Edit) -> Edit:
    if not all(0 <= each < len(data.replacements) for each in data.repairs):
        raise InputError(f"the edit {data.id!r} has repairs that are none of its replacements")
    replacements = tuple(Replacement(*each) for each in data.replacements)
    more = {"replacements": replacements, "repairs": tuple(data.repairs), "forms": tuple(data.forms)}
    return Edit(**{**dict(data), **more})


def _skipped(data: list[tuple[str, str]]) -> tuple[Skipped, ...]:
    return tuple(Skipped(*each) for each in data)
