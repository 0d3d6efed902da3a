"""Records that hold documents, in the shapes in which vector stores and frameworks write them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from trail_callbacks.text import encodable

__all__ = ["documents", "plain", "unique", "why_none"]

TEXTS: Final = ("text", "page_content", "content", "document", "body", "chunk")
_IDS: Final = ("id", "_id", "id_", "node_id", "doc_id", "uuid", "source")
_NESTED: Final = ("kwargs", "payload", "properties", "_source", "__data__", "node", "metadata")
_VECTORS: Final = frozenset({"embedding", "embeddings", "vector", "vectors", "values"})
_DOCSTORE: Final = "docstore/data"
_WITHOUT_TEXTS: Final = frozenset({"embedding_dict", "graph_dict", "index_store/data", "docstore/ref_doc_info"})
_OF_NODES: Final = "relationships"  # which only nodes of LlamaIndex have, beside much that is of the framework's own
_DEEPEST: Final = 8  # levels of metadata that are kept


def documents(record: Any, default: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Finds the documents of one record.

    Read are: an object with a text and perhaps an id and metadata, also one level down (points of Qdrant, hits of
    Elasticsearch, serialised documents of LangChain); `get()` of Chroma; a docstore of LlamaIndex; an object of such
    records by id.

    Args:
        record: What JSON, a row of a table or an application gave.
        default: Id of a document that has none.

    Yields:
        Id, text and metadata of each; the text may be blank.
    """
    if isinstance(record, str):
        yield default, encodable(record), {}
        return
    if not isinstance(record, Mapping):
        return
    if isinstance(store := record.get(_DOCSTORE), Mapping):
        yield from _by_id(store)
    elif isinstance(record.get("documents"), list) and isinstance(record.get("ids"), list):
        yield from _columns(record)
    elif (found := _one(record, default)) is not None:
        yield found
    elif record and all(isinstance(each, Mapping) for each in record.values()):
        yield from _by_id(record)


def why_none(record: Mapping[Any, Any]) -> str:
    """Says why a record holds no document."""
    if _WITHOUT_TEXTS & record.keys():
        return "is a part of a LlamaIndex store which holds no texts: they are in docstore.json"
    keys = ", ".join(list(map(str, record))[:6])
    if (key := next((each for each in TEXTS if each in record), None)) is not None:
        return f"holds no document: its {key} is no text but {type(record[key]).__name__}"
    return f"holds no document: expected a text under {', '.join(TEXTS[:4])}; it has {keys}"


def _one(record: Mapping[Any, Any], default: str) -> tuple[str, str, dict[str, Any]] | None:
    """The document that an object is, or that it wraps."""
    inner: Mapping[Any, Any] = record
    text = _text(record)
    if text is None:
        nested = (record[key] for key in _NESTED if isinstance(record.get(key), Mapping))
        inner, text = next(((each, text) for each in nested if (text := _text(each)) is not None), (record, None))
    if text is None:
        return None
    id_ = next((each for source in (record, inner) if (each := _id(source)) is not None), default)
    metadata = inner.get("metadata")
    beside = () if _OF_NODES in inner else inner.items()
    rest = plain({key: value for key, value in beside if key not in {*TEXTS, *_IDS[:-1], "metadata"}})
    return id_, encodable(text), {**_bare(rest), **(_bare(plain(metadata)) if isinstance(metadata, Mapping) else {})}


def _text(record: Mapping[Any, Any]) -> str | None:
    for key in TEXTS:
        if isinstance(record.get(key), str):
            return str(record[key])
    resource = record.get("text_resource")  # nodes of LlamaIndex
    return resource["text"] if isinstance(resource, Mapping) and isinstance(resource.get("text"), str) else None


def _id(record: Mapping[Any, Any]) -> str | None:
    found = (record[key] for key in _IDS if isinstance(record.get(key), str | int))
    return next((encodable(str(each)) for each in found if str(each).strip()), None)


def _by_id(store: Mapping[Any, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for key, value in store.items():
        if isinstance(value, Mapping) and (found := _one(value, str(key))) is not None:
            yield encodable(str(key)), *found[1:]


def _columns(record: Mapping[Any, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """`get()` of Chroma: lists beside each other."""
    metadatas = record.get("metadatas")
    about = metadatas if isinstance(metadatas, list) else []
    for at, (id_, text) in enumerate(zip(record["ids"], record["documents"], strict=False)):
        if isinstance(text, str):
            metadata = about[at] if at < len(about) else None
            yield encodable(str(id_)), encodable(text), _bare(plain(metadata)) if isinstance(metadata, Mapping) else {}


def _bare(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata without vectors, which are of the real text and as long as it."""
    return {key: value for key, value in metadata.items() if key not in _VECTORS and value is not None}


def plain(value: Any, depth: int = 0) -> Any:
    """A value as JSON can hold it; what it cannot hold is written as text."""
    if isinstance(value, str):
        return encodable(value)
    if value is None or isinstance(value, bool | int | bytes):
        return None if isinstance(value, bytes) else value  # a vector, or a file
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth < _DEEPEST and isinstance(value, Mapping):
        return {encodable(str(key)): plain(each, depth + 1) for key, each in value.items()}
    if depth < _DEEPEST and isinstance(value, list | tuple | set | frozenset):
        several = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        return [plain(each, depth + 1) for each in several]
    return encodable(str(value))


def unique(id_: str, seen: dict[str, int]) -> str:
    """The id, with `#2` or a higher number behind it if it was given before; `seen` keeps count."""
    name = id_
    while name in seen:
        seen[id_] += 1
        name = f"{id_}#{seen[id_]}"
    seen.setdefault(name, 1)
    return name
