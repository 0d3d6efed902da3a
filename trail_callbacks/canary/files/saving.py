"""A twin as a file: its real texts and its edits, of which the fictive texts are made again."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, get_args

from trail_callbacks.canary.corpus import Corpus, Document, Skipped
from trail_callbacks.canary.edit import Edit, EditKind, Replacement, Size
from trail_callbacks.canary.twin import TAG, Twin
from trail_callbacks.errors import InputError
from trail_callbacks.files import write

__all__ = ["FORMAT", "VERSION", "applied", "load_twin", "save_twin"]

FORMAT: Final = "trail-canary-twin"
VERSION: Final = 1
_LARGEST: Final = 1024**3  # bytes


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
        data = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no twin: its JSON is broken or truncated ({error})") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f'{path} is no twin ("format" is not "{FORMAT}"): make one with `trail canary perturb`')
    if data.get("version") != VERSION:
        raise InputError(f"{path} is a twin of version {data.get('version')!r}, expected {VERSION}: make it again")
    try:
        return _twin(data)
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


def _twin(data: Mapping[str, Any]) -> Twin:
    documents = tuple(_document(each, n) for n, each in enumerate(_list(data, "documents", "it"), 1))
    for one, other in pairwise(sorted(each.id for each in documents)):
        if one == other:
            raise InputError(f"two documents have the id {one!r}")
    edits = tuple(_edit(each, n) for n, each in enumerate(_list(data, "edits", "it"), 1))
    real = Corpus(documents, _skipped(data, "unread"))
    id_, seed = _text(data, "id", "it"), data.get("seed")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise InputError(f'its "seed" is {seed!r:.40}, expected an integer')
    fictive = Corpus(tuple(_fictive(id_, real, edits).values()), real.skipped)
    return Twin(id_, seed, real, fictive, edits, _skipped(data, "skipped"))


def _document(value: Any, number: int) -> Document:
    where = f"document {number}"
    fields = _object(value, where)
    return Document(_text(fields, "id", where), _text(fields, "text", where), _object(fields.get("metadata"), where))


def _edit(value: Any, number: int) -> Edit:
    where = f"edit {number}"
    fields = _object(value, where)
    kind: Any = fields.get("kind")
    size: Any = fields.get("size")
    if kind not in get_args(EditKind):
        raise InputError(f"the kind of {where} is {kind!r:.40}, expected one of {', '.join(get_args(EditKind))}")
    if size is not None and size not in get_args(Size):
        raise InputError(f"the size of {where} is {size!r:.40}, expected one of {', '.join(get_args(Size))}")
    replacements = tuple(_replacement(each, where) for each in _list(fields, "replacements", where))
    repairs = _list(fields, "repairs", where)
    if not replacements or not all(type(each) is int and 0 <= each < len(replacements) for each in repairs):
        raise InputError(f"{where} has no replacements, or repairs that are none of them")
    forms = _list(fields, "forms", where)
    if not all(isinstance(each, list) and [type(part) for part in each] == [str, str] for each in forms):
        raise InputError(f"the forms of {where} are no pairs of texts")
    return Edit(
        id=_text(fields, "id", where),
        kind=kind,
        size=size,
        real=_text(fields, "real", where),
        fictive=None if fields.get("fictive") is None else _text(fields, "fictive", where),
        also=None if fields.get("also") is None else _text(fields, "also", where),
        replacements=replacements,
        repairs=tuple(repairs),
        forms=tuple((old, new) for old, new in forms),
    )


def _replacement(value: Any, where: str) -> Replacement:
    if not isinstance(value, list) or [type(part) for part in value] != [str, int, int, str, str]:
        raise InputError(f"a replacement of {where} is not [document, start, end, old, new]")
    return Replacement(*value)


def _skipped(data: Mapping[str, Any], key: str) -> tuple[Skipped, ...]:
    found = _list(data, key, "it")
    if not all(isinstance(each, list) and [type(part) for part in each] == [str, str] for each in found):
        raise InputError(f'its "{key}" are no pairs of place and reason')
    return tuple(Skipped(place, why) for place, why in found)


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{where} is no object, or has none for its metadata")
    return value


def _list(fields: Mapping[str, Any], key: str, where: str) -> list[Any]:
    value = fields.get(key)
    if not isinstance(value, list):
        raise InputError(f'the "{key}" of {where} is no list')
    return value


def _text(fields: Mapping[str, Any], key: str, where: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str):
        raise InputError(f'the "{key}" of {where} is no text')
    return value
