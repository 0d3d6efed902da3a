"""Reading a corpus: folders, files and exports of vector stores, or objects of an app."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from trail_callbacks.canary.corpus import Corpus, Document, Skipped
from trail_callbacks.canary.files.records import documents, plain, unique, why_none
from trail_callbacks.errors import InputError
from trail_callbacks.reading import LARGEST, Broken, files_in, opened, records
from trail_callbacks.text import encodable

__all__ = ["corpus_of", "read_corpus"]

_MEDIA: Final = {
    ".txt": "text", ".text": "text", ".md": "markdown", ".markdown": "markdown", ".rst": "rst", ".html": "html",
    ".htm": "html", ".xhtml": "html",
}  # fmt: skip
_RECORDS: Final = frozenset({".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet"})
_KINDS: Final = "text, Markdown, reStructuredText, HTML, JSON, JSON lines, CSV or Parquet"
_OTHER: Final = "is a kind of file that is not read"
_HINTS: Final = {
    ".sqlite3": "is a database, of Chroma perhaps: write what collection.get() returns into a JSON file",
    ".faiss": "is an index of FAISS, which has vectors and no texts: write the documents of its docstore as JSON lines",
    ".pkl": "is a pickle, which can run code when it is read: write its documents as JSON lines",
}

_Found = Iterator[Document | Skipped]


def read_corpus(*paths: str | Path, suffixes: Iterable[str] = ()) -> Corpus:
    """Reads documents: a text file is one, a record of a JSON, CSV or Parquet file is one.

    Files of a folder are read by name, at any depth, without hidden ones. HTML stays as it is; `media` in the metadata
    of a document says what its text is. A document's id is the one it has, else its path below the folder (of several
    folders: with the folder's name); a second document of an id gets `#2` behind it.

    Args:
        *paths: Folders and files, gzip or not.
        suffixes: Other endings of files that are plain text, such as `.log`.

    Returns:
        The documents, in the order of the paths. `skipped` says what could not be read, and which documents repeat
        another one; those are kept, since the app has them too.

    Raises:
        InputError: If a path does not exist, or nothing at all can be read; says what was found instead.
        MissingExtraError: If there is Parquet, and nothing that reads it.
    """
    if not paths:
        raise InputError("no corpus is named: give a folder, or files, with the texts of the app")
    more = {suffix.casefold(): "text" for suffix in suffixes}
    several = sum(Path(path).is_dir() for path in paths) > 1
    found = [each for path in paths for each in _path(Path(path), _MEDIA | more, several=several)]
    corpus = _corpus(found)
    if not corpus.documents:
        named = ", ".join(str(path) for path in paths[:3])
        told: dict[str, str] = {}  # one for each reason
        for each in corpus.skipped:
            told.setdefault(each.why, f"{each.place}: {each.why.removesuffix(f': expected {_KINDS}')}")
        reasons = "; ".join(sorted(told.values(), key=lambda each: _OTHER in each)[:3])
        raise InputError(
            f"{named} holds no text that can be read: expected {_KINDS}" + (f" ({reasons})" if reasons else "")
        )
    return corpus


def corpus_of(objects: Iterable[Any]) -> Corpus:
    """Takes the documents that an app has in memory.

    Args:
        objects: Strings, dictionaries as in a JSON file, documents of LangChain, nodes and documents of LlamaIndex
            (with a score or without), or `Document`s; any mixture. They are read, never changed.

    Raises:
        InputError: If none of them has a text; says what the first one is.
    """
    taken: list[Document | Skipped] = []
    first = ""
    for number, each in enumerate(objects, 1):
        first = first or type(each).__name__
        if isinstance(each, Document):
            taken.append(each)
            continue
        place = f"document {number}"
        found = list(documents(_record(each), place))
        taken += [Document(*one) for one in found]
        if not found:
            taken.append(Skipped(place, f"is a {type(each).__name__} without a text"))
    corpus = _corpus(taken)
    if not corpus.documents:
        raise InputError(
            "the corpus has no text: expected strings, dictionaries or documents of LangChain or LlamaIndex"
            + (f", not {first} without one" if first else "; there are none")
        )
    return corpus


def _record(thing: Any) -> Any:
    """An object of a framework as the record that it is."""
    if isinstance(thing, str | Mapping):
        return thing
    node = getattr(thing, "node", thing)  # LlamaIndex: a node with its score
    text = getattr(node, "page_content", None)
    if text is None:
        text = getattr(node, "text", None)
    id_ = getattr(node, "node_id", None) or getattr(node, "id", None) or getattr(node, "id_", None)
    return {"text": text, "id": id_, "metadata": getattr(node, "metadata", None)}


def _path(path: Path, media: Mapping[str, str], *, several: bool) -> _Found:
    found = files_in(path)
    if not path.is_dir():
        if not path.exists():
            raise InputError(f"{path} does not exist: name a folder or a file with the texts of the app")
        yield from _file(path, path.name, media, named=True)
        return
    for file in found:
        inside = file.relative_to(path)
        name = Path(path.resolve().name, inside) if several else inside
        yield from _file(file, name.as_posix(), media, named=False)


def _file(file: Path, name: str, media: Mapping[str, str], *, named: bool) -> _Found:
    """What one file holds. One that was named is taken for text whatever its ending is."""
    name = encodable(name)
    bare = file.with_suffix("") if file.suffix.casefold() == ".gz" else file
    suffix = bare.suffix.casefold()
    try:
        if suffix in _RECORDS:
            yield from _documents(file, name)
        elif (named and suffix not in _HINTS) or suffix in media:
            yield _text(file, name, media.get(suffix, "text"))
        else:
            other = f"{_OTHER} ({suffix or 'no ending'}): expected {_KINDS}"
            yield Skipped(name, _HINTS.get(suffix, other))
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


def _documents(file: Path, name: str) -> _Found:
    """The documents of a file of records; what is wrong with one is said with its place."""
    each = None
    for each in records(file, name):
        if isinstance(each, Broken):
            yield Skipped(each.place, each.why)
            continue
        found = [Document(*one) for one in documents(each.value, each.place.replace(", ", "#"))]
        yield from found
        if not found:
            yield Skipped(each.place, why_none(each.value))
    if each is None:
        yield Skipped(name, "holds no record")


def _corpus(found: Iterable[Document | Skipped]) -> Corpus:
    """Documents with unique ids, and what is to be said about the rest."""
    kept: list[Document] = []
    skipped: list[Skipped] = []
    ids: dict[str, int] = {}
    texts: dict[str, str] = {}
    for each in found:
        if isinstance(each, Skipped):
            skipped.append(each)
            continue
        id_ = unique(each.id, ids)
        if not each.text.strip():
            skipped.append(Skipped(id_, "is empty"))
            continue
        if (first := texts.setdefault(each.text, id_)) != id_:
            skipped.append(Skipped(id_, f"repeats the text of {first}; both are kept, as the app has both"))
        kept.append(Document(id_, encodable(each.text), plain(each.metadata)))
    return Corpus(tuple(kept), tuple(skipped))
