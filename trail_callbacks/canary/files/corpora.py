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

# Keys of a document in exports of vector stores and frameworks, of what wraps one, and what is none of its metadata
_TEXTS: Final = ("text", "page_content", "content", "document", "body", "chunk")
_IDS: Final = ("id", "_id", "id_", "node_id", "doc_id", "uuid", "source")
_NESTED: Final = ("kwargs", "payload", "properties", "_source", "__data__", "node", "text_resource", "metadata")
_LEFT: Final = frozenset({*_TEXTS, *_IDS[:-1], "metadata", "embedding", "embeddings", "vector", "vectors", "values"})

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
        (found for number, each in enumerate(objects, 1) for found in _object(each, f"document {number}")),
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
            continue
        found = list(_documents(each.value, each.place.replace(", ", "#")))
        yield from found
        if not found:
            keys = ", ".join(list(map(str, each.value))[:6])
            why = f"holds no document: expected a text under {', '.join(_TEXTS[:4])}; it has {keys}"
            yield Skipped(each.place, why)
    if each is None:
        yield Skipped(name, "holds no record")


def _object(thing: Any, place: str) -> _Found:
    """The documents of an object of a framework, by the record that it is."""
    if isinstance(thing, Document):
        yield thing
        return
    record = thing
    if not isinstance(thing, str | Mapping):
        node = getattr(thing, "node", thing)  # LlamaIndex: a node with its score
        names = {"text": ("page_content", "text"), "id": ("node_id", "id"), "metadata": ("metadata",)}
        record = {key: next((found for name in each if (found := getattr(node, name, None))), None)
                  for key, each in names.items()}  # fmt: skip
    found = list(_documents(record, place))
    yield from found or [Skipped(place, f"is a {type(thing).__name__} without a text")]


def _documents(record: Any, default: str) -> Iterator[Document]:
    """The documents of a record: one with a text, perhaps one level down; several by id; or lists beside each other."""
    if isinstance(record, str):
        yield Document(default, record)
    elif not isinstance(record, Mapping):
        return
    elif isinstance(store := record.get("docstore/data"), Mapping):  # LlamaIndex
        yield from _by_id(store)
    elif isinstance(record.get("documents"), list) and isinstance(record.get("ids"), list):  # Chroma
        metadatas = record.get("metadatas") or [None] * len(record["ids"])
        for id_, text, metadata in zip(record["ids"], record["documents"], metadatas, strict=False):
            if isinstance(text, str):
                yield Document(str(id_), text, _metadata(metadata))
    elif (found := _one(record, default)) is not None:
        yield found
    else:
        yield from _by_id(record)


def _by_id(store: Mapping[Any, Any]) -> Iterator[Document]:
    for key, value in store.items():
        if isinstance(value, Mapping) and (found := _one(value, str(key))) is not None:
            yield Document(str(key), found.text, found.metadata)


def _one(record: Mapping[Any, Any], default: str) -> Document | None:
    """The document that an object is, or that it wraps."""
    layers = [record, *(record[key] for key in _NESTED if isinstance(record.get(key), Mapping))]
    layers += [below for each in layers[1:] for key in _NESTED if isinstance(below := each.get(key), Mapping)]
    inner, text = next(
        ((each, each[key]) for each in layers for key in _TEXTS if isinstance(each.get(key), str)), (record, None)
    )
    if text is None:
        return None
    ids = (each[key] for each in (record, inner) for key in _IDS if isinstance(each.get(key), str | int))
    id_ = next((str(each) for each in ids if str(each).strip()), default)
    beside = _metadata(inner.get("metadata") or next((each["metadata"] for each in layers if "metadata" in each), None))
    of_node = any("relationships" in each for each in layers)  # of LlamaIndex, with much of the framework's own
    return Document(id_, text, {**({} if of_node else _metadata(inner)), **beside})


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
