"""What is known about a run besides its events: who asked, when, and which versions answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from trail_callbacks.capture.payloads import CONTEXT, VERSIONS, labels
from trail_callbacks.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """Versions of what a run is made of; each None if unknown.

    They are given once on the handler or `instrument` in its `context=`, per run in the metadata of its config, or read
    from metadata of components and documents: `docs/trace.md` lists the keys.

    Attributes:
        app: Release of the app.
        model: The model that wrote the answer.
        prompt: Hash of the template behind the answer's prompt, or the name the app gives it.
        retriever: Version of the retriever.
        reranker: Version of the reranker.
        index: Build of the index; if documents of a run name several, all of them with ", " between.
        chunker: Version of the chunker; likewise.
    """

    app: str | None = None
    model: str | None = None
    prompt: str | None = None
    retriever: str | None = None
    reranker: str | None = None
    index: str | None = None
    chunker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Whose run it was; each None if unknown.

    Attributes:
        request: Id of the request, as the app gives it.
        session: The session, conversation or thread.
        user: The user.
        tenant: The tenant.
        query_class: The kind of question, as the app classes it: a segment of dashboards and gates.
        tags: Tags of the run.
        started: When the run began, seconds since the epoch.
        ended: When it ended; None if it did not.
        metadata: Further JSON-safe metadata of the run.
    """

    request: str | None = None
    session: str | None = None
    user: str | None = None
    tenant: str | None = None
    query_class: str | None = None
    tags: tuple[str, ...] = ()
    started: float | None = None
    ended: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


def context_of(
    metadata: Mapping[str, Any],
    tags: tuple[str, ...] = (),
    started: float | None = None,
    ended: float | None = None,
) -> Context:
    """Reads the context of a run from its metadata; what is no field of it stays in `metadata`."""
    read = {name for names in (*CONTEXT.values(), *VERSIONS.values()) for name in names} | {"tags"}
    found = {name: _first(metadata, keys) for name, keys in CONTEXT.items()}
    return Context(
        **found,
        tags=tuple(dict.fromkeys([*tags, *labels(metadata.get("tags"))])),
        started=started,
        ended=ended,
        metadata={key: value for key, value in metadata.items() if key not in read},
    )


def versions_of(metadata: Mapping[str, Any]) -> Versions:
    """Reads versions from the metadata of a run or of a document, see `docs/trace.md` for the keys."""
    return Versions(**{name: _first(metadata, keys) for name, keys in VERSIONS.items()})


def given_versions(given: Mapping[str, str] | None) -> Versions:
    """Checks versions that an app gives by name.

    Raises:
        InputError: If a name is unknown or a version is not a text.
    """
    known = [each.name for each in fields(Versions)]
    for name, value in (given or {}).items():
        if name not in known:
            raise InputError(f"versions has the name {name!r}, expected some of {', '.join(known)}")
        if not isinstance(value, str):
            raise InputError(f"versions[{name!r}] is {type(value).__name__}, expected a text")
    return Versions(**(given or {}))


def _first(metadata: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    values = (metadata.get(key) for key in keys)
    return next((str(value) for value in values if isinstance(value, str | int) and str(value).strip()), None)
