"""A twin as a file: its real texts and its edits, of which the fictive texts are made again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from trail_callbacks.canary.corpus import Corpus, Document, Skipped
from trail_callbacks.canary.saved import frozen
from trail_callbacks.canary.twin import TAG, Edit, Replacement, Twin, applied
from trail_callbacks.errors import InputError
from trail_callbacks.files import write


class _Stored(BaseModel, strict=True):
    """What the file holds."""

    format: Literal["trail-canary-twin"] = "trail-canary-twin"
    version: Literal[2] = 2
    id: str
    seed: int
    real: Corpus
    edits: Sequence[Edit]
    skipped: Sequence[Skipped]


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
    texts = {each.id: each.text for each in _fictive(twin.id, twin.real, twin.edits)}
    if texts != {each.id: each.text for each in twin.fictive}:
        raise InputError("the twin cannot be saved: its edits do not make its texts")
    stored = _Stored(id=twin.id, seed=twin.seed, real=twin.real, edits=twin.edits, skipped=twin.skipped)
    try:
        text = stored.model_dump_json(indent=1)
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
        raw = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    try:
        found = _Stored.model_validate_json(raw)
        real, edits, skipped = frozen(found.real), frozen(found.edits), frozen(found.skipped)
        fictive = Corpus(_fictive(found.id, real, edits), real.skipped)
    except ValidationError as error:
        wrong = error.errors()[0]
        where = ".".join(map(str, wrong["loc"])) or "JSON"
        raise InputError(
            f"{path} is no valid twin: its {where}: {wrong['msg']}; make it with `trail canary perturb`"
        ) from error
    except InputError as error:
        raise InputError(f"{path} is no valid twin: {error}") from error
    return Twin(found.id, found.seed, real, fictive, edits, skipped)


def _fictive(id_: str, real: Corpus, edits: Sequence[Edit]) -> tuple[Document, ...]:
    places: dict[str, list[Replacement]] = {each.id: [] for each in real}
    if len(places) < len(real):
        raise InputError("two documents have the same id")
    for edit in edits:
        if not edit.replacements or not all(0 <= each < len(edit.replacements) for each in edit.repairs):
            raise InputError(f"the edit {edit.id!r} has no replacements, or repairs that are none of them")
        for each in edit.replacements:
            if each.document not in places:
                raise InputError(f"an edit is of the document {each.document!r}, which is missing")
            places[each.document].append(each)
    return tuple(
        Document(
            each.id,
            applied(each.text, places[each.id])[0],
            {**each.metadata, TAG: id_},
        )
        for each in real
    )
