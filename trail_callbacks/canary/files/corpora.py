"""Reading a corpus: folders, files and exports of vector stores, or objects of an app."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from trail_callbacks.canary.corpus import Corpus, Document, Skipped
from trail_callbacks.errors import InputError
from trail_callbacks.reading import LARGEST, Broken, files_in, opened, records
from trail_callbacks.text import encodable, encodable_parts

_MEDIA: Final = {
    ".txt": "text", ".text": "text", ".md": "markdown", ".markdown": "markdown", ".rst": "rst", ".html": "html",
    ".htm": "html", ".xhtml": "html",
}  # fmt: skip
_RECORDS: Final = frozenset({".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet"})
_KINDS: Final = "text, Markdown, reStructuredText, HTML, JSON, JSON lines, CSV or Parquet"

# Keys of a document in a record, of what wraps one, and what is none of its metadata
_TEXTS: Final = ("text", "page_content", "content", "document", "body", "chunk")
_IDS: Final = ("id", "_id", "id_", "node_id", "doc_id", "uuid", "source")
_NESTED: Final = ("kwargs", "payload", "properties", "_source", "metadata")
_LEFT: Final = frozenset({*_TEXTS, *_IDS[:-1], "metadata", "embedding", "vector", "values"})

_Found: TypeAlias = Iterator[Document | Skipped]


def read_corpus(*paths: str | Path) -> Corpus:
    """Reads documents: a text file is one, a record of a JSON, CSV or Parquet file is one.

    Files of a folder are read by name, at any depth, without hidden ones. HTML stays as it is; `media` in the metadata
    of a document says what its text is. A document's id is the one it has, else its path below the folder (of several
    folders: with the folder's name); a second document of an id gets `#2` behind it.

    Args:
        *paths: Folders and files, gzip or not. A file that is named is read as text whatever its ending is.

    Returns:
        The documents, in the order of the paths. `skipped` says what could not be read, and which documents repeat
        another one; those are kept, since the app has them too.

    Raises:
        InputError: If a path does not exist, or nothing at all can be read; says what was found instead.
        MissingExtraError: If there is Parquet, and nothing that reads it.
    """
    several = sum(Path(path).is_dir() for path in paths) > 1
    return _corpus(
        (each for path in paths for each in _path(Path(path), several=several)),
        f"{', '.join(map(str, paths[:3])) or 'the corpus'} holds no text that can be read: expected {_KINDS}",
    )


def corpus_of(objects: Iterable[Any]) -> Corpus:
    """Takes the documents that an app has in memory.

    Args:
        objects: Strings, dictionaries as in a JSON file, documents of LangChain, nodes and documents of LlamaIndex
            (with a score or without), or `Document`s; any mixture. They are read, never changed.

    Raises:
        InputError: If none of them has a text.
    """
    return _corpus(
        (_object(each, f"document {number}") for number, each in enumerate(objects, 1)),
        "the corpus has no text: expected strings, dictionaries or documents of LangChain or LlamaIndex",
    )


def unique(id_: str, seen: dict[str, int]) -> str:
    """The id, with `#2` or a higher number behind it if it was given before; `seen` keeps count."""
    name = id_
    while name in seen:
        seen[id_] += 1
        name = f"{id_}#{seen[id_]}"
    seen.setdefault(name, 1)
    return name


def _corpus(found: Iterable[Document | Skipped], empty: str) -> Corpus:
    """Documents with unique ids, and what is to be said about the rest."""
    kept: list[Document] = []
    skipped: list[Skipped] = []
    ids: dict[str, int] = {}
    texts: dict[str, str] = {}
    for each in found:
        if isinstance(each, Skipped):
            skipped.append(each)
            continue
        id_, text = unique(encodable(each.id), ids), encodable(each.text)
        if not text.strip():
            skipped.append(Skipped(id_, "is empty"))
            continue
        if (first := texts.setdefault(text, id_)) != id_:
            skipped.append(Skipped(id_, f"repeats the text of {first}; both are kept, as the app has both"))
        kept.append(Document(id_, text, _plain(each.metadata)))
    if not kept:
        reasons = "; ".join(f"{each.place}: {each.why}" for each in skipped[:3])
        raise InputError(empty + (f" ({reasons})" if reasons else ""))
    return Corpus(tuple(kept), tuple(skipped))


def _path(path: Path, *, several: bool) -> _Found:
    found = files_in(path)
    if not path.is_dir():
        if not path.exists():
            raise InputError(f"{path} does not exist: name a folder or a file with the texts of the app")
        yield from _file(path, path.name, named=True)
        return
    for file in found:
        inside = file.relative_to(path)
        yield from _file(file, (Path(path.resolve().name, inside) if several else inside).as_posix(), named=False)


def _file(file: Path, name: str, *, named: bool) -> _Found:
    suffix = (file.with_suffix("") if file.suffix.casefold() == ".gz" else file).suffix.casefold()
    try:
        if suffix in _RECORDS:
            yield from _of_records(file, name)
        elif named or suffix in _MEDIA:
            yield _text(file, name, _MEDIA.get(suffix, "text"))
        else:
            yield Skipped(name, f"is a kind of file that is not read ({suffix or 'no ending'})")
    except InputError as error:
        why = str(error).removeprefix(f"{name}: ").removeprefix(f"{name} ")
        yield Skipped(name, why.partition(": expected")[0])


def _text(file: Path, name: str, media: str) -> Document | Skipped:
    with opened(file, name) as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        return Skipped(name, f"is longer than {LARGEST >> 20} MiB: split it")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Skipped(f"{name}, line {line}", f"is not UTF-8 ({error.reason}): convert it, for example with iconv")
    return Document(name, text.replace("\r\n", "\n").replace("\r", "\n"), {"source": name, "media": media})


def _of_records(file: Path, name: str) -> _Found:
    each = None
    for each in records(file, name):
        if isinstance(each, Broken):
            yield Skipped(each.place, each.why)
        elif (found := _document(each.value, each.place.replace(", ", "#"))) is not None:
            yield found
        else:
            keys = ", ".join(list(map(str, each.value))[:6])
            why = f"holds no document: expected a text under {', '.join(_TEXTS[:4])}; it has {keys}"
            yield Skipped(each.place, why)
    if each is None:
        yield Skipped(name, "holds no record")


def _object(thing: Any, place: str) -> Document | Skipped:
    """The document that an object of an app is, by the record that it amounts to."""
    if isinstance(thing, Document):
        return thing
    record = thing
    if not isinstance(thing, str | Mapping):
        node = getattr(thing, "node", thing)  # LlamaIndex: a node with its score
        names = ("page_content", "text", "node_id", "id", "metadata")
        record = {name: value for name in names if (value := getattr(node, name, None))}
    return _document(record, place) or Skipped(place, f"is a {type(thing).__name__} without a text")


def _document(record: Any, default: str) -> Document | None:
    """The document that a record is, or that it wraps one level down."""
    if isinstance(record, str):
        return Document(default, record)
    if not isinstance(record, Mapping):
        return None
    layers = [record, *(record[key] for key in _NESTED if isinstance(record.get(key), Mapping))]
    inner, text = next(
        ((each, each[key]) for each in layers for key in _TEXTS if isinstance(each.get(key), str)), (record, None)
    )
    if text is None:
        return None
    ids = (each[key] for each in (record, inner) for key in _IDS if isinstance(each.get(key), str | int))
    id_ = next((str(each) for each in ids if str(each).strip()), default)
    return Document(id_, text, {**_metadata(inner), **_metadata(inner.get("metadata") or record.get("metadata"))})


def _metadata(value: Any) -> dict[str, Any]:
    """Metadata without texts and vectors."""
    if not isinstance(value, Mapping):
        return {}
    return {key: each for key, each in value.items() if key not in _LEFT and each is not None}


def _odd(value: Any) -> str | None:
    return None if isinstance(value, bytes) else str(value)


def _plain(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata as JSON can hold it; what it cannot hold is written as text."""
    try:
        text = json.dumps(dict(metadata), skipkeys=True, default=_odd)
        found = encodable_parts(json.loads(text, parse_constant=str))
    except (ValueError, RecursionError):
        return {}
    return {key: each for key, each in found.items() if each is not None}
