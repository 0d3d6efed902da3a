"""What is known about a run besides its events: who asked, when, and which versions answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Context", "Versions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """Versions of what a run is made of; each None if unknown.

    They are given once on the handler or `instrument`, per run in the metadata of its config, or read from metadata of
    documents.

    Attributes:
        app: Release of the app.
        model: The model that wrote the answer.
        prompt: Hash of the template behind the answer's prompt, or the name the app gives it.
        retriever: Version of the retriever.
        reranker: Version of the reranker.
        index: Build of the index.
        chunker: Version of the chunker.
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
