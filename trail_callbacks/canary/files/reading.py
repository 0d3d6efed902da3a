"""Reading a corpus: folders, files and exports of vector stores, or objects of an app."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from trail_callbacks.audit.files import LARGEST, Broken, Files
from trail_callbacks.canary.corpus import Corpus, Document, Skipped
from trail_callbacks.canary.files.records import documents, plain, unique, why_none
from trail_callbacks.errors import InputError
from trail_callbacks.text import encodable

__all__ = ["corpus_of", "read_corpus"]

_MEDIA: Final = {
    ".txt": "text", ".text": "text", ".md": "markdown", ".markdown": "markdown", ".rst": "rst", ".html": "html",
    ".htm": "html", ".xhtml": "html",
}  # fmt: skip
_RECORDS: Final = frozenset({".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet"})
_KINDS: Final = "text, Markdown, reStructuredText, HTML, JSON, JSON lines, CSV or Parquet"
_OTHER: Final = "is a kind of file that is not read"
_BROKEN: Final = (EOFError, zlib.error, gzip.BadGzipFile)
_HINTS: Final = {
    ".sqlite3": "is a database, of Chroma perhaps: write what collection.get() returns into a JSON file",
    ".faiss": "is an index of FAISS, which has vectors and no texts: write the documents of its docstore as JSON lines",
    ".pkl": "is a pickle, which can run code when it is read: write its documents as JSON lines",
}
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")

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
    try:
        if not path.is_dir():
            if not path.exists():
                raise InputError(f"{path} does not exist: name a folder or a file with the texts of the app")
            yield from _file(path, path.name, media, named=True)
            return
        for file in sorted(path.rglob("*")):
            inside = file.relative_to(path)
            if file.is_file() and not any(part.startswith(".") for part in inside.parts):
                name = Path(path.resolve().name, inside) if several else inside
                yield from _file(file, name.as_posix(), media, named=False)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _file(file: Path, name: str, media: Mapping[str, str], *, named: bool) -> _Found:
    """What one file holds. One that was named is taken for text whatever its ending is."""
    name = encodable(name)
    bare = file.with_suffix("") if file.suffix.casefold() == ".gz" else file
    suffix = bare.suffix.casefold()
    if suffix in _RECORDS:
        yield from _records(file, name)
    elif (named and suffix not in _HINTS) or suffix in media:
        yield _text(file, name, media.get(suffix, "text"))
    else:
        other = f"{_OTHER} ({suffix or 'no ending'}): expected {_KINDS}"
        yield Skipped(name, _HINTS.get(suffix, other))


def _text(file: Path, name: str, media: str) -> Document | Skipped:
    try:
        data = _bytes(file)
        if why := _refused(data):
            return Skipped(name, why)
        text = data.decode("utf-8-sig")
    except _BROKEN as error:
        return Skipped(name, f"is damaged or not complete: its compressed data end too early ({error})")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Skipped(f"{name}, line {line}", f"is not UTF-8 ({error.reason}): convert it, for example with iconv")
    except OSError as error:
        return Skipped(name, f"cannot be read: {error.strerror or error}")
    return Document(name, text.replace("\r\n", "\n").replace("\r", "\n"), {"source": name, "media": media})


def _refused(data: bytes) -> str | None:
    """Why bytes are no text, before they are decoded."""
    if len(data) > LARGEST:
        return f"is longer than {LARGEST // 1024**2} MiB: split it"
    if data.startswith(_UTF16):
        return "is in UTF-16: convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)"
    return "is a binary file, not text" if b"\0" in data else None


def _bytes(file: Path) -> bytes:
    """The bytes of a file, unpacked, and one more than are read at most."""
    with file.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
    with gzip.open(file) if packed else file.open("rb") as stream:
        return stream.read(LARGEST + 1)


def _records(file: Path, name: str) -> _Found:
    """The records of a file; what is wrong with one is said with its line."""
    path = str(file)

    def place(of: str) -> str:
        return name + of.removeprefix(path)

    try:
        if not file.stat().st_size:
            yield Skipped(name, "is empty")
            return
        each = None
        for each in Files([path], known=lambda _: True, others=_none):
            if isinstance(each, Broken):
                yield Skipped(place(each.place), each.why.replace(path, name))
                continue
            found = [Document(*one) for one in documents(each.value, place(each.place).replace(", ", "#"))]
            yield from found
            if not found:
                yield Skipped(place(each.place), why_none(each.value))
        if each is None:
            yield Skipped(name, "holds no record")
    except OSError as error:
        yield Skipped(name, f"cannot be read: {error.strerror or error}")


def _none(_: str) -> Iterator[dict[str, Any] | InputError]:
    raise InputError("it is not read")


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
