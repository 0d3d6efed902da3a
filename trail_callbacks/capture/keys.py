"""Names under which frameworks and apps say what a document or a run is: keys of metadata, the best first."""

from __future__ import annotations

__all__ = ["CONTEXT", "DOCUMENTS", "MODALITIES", "NAMES", "SCORES", "VERSIONS"]

DOCUMENTS = (
    "ref_doc_id", "document_id", "doc_id", "parent_document_id", "source_id", "source", "file_path", "file_name", "url",
)  # fmt: skip
"""The document that a passage was cut from."""

SCORES = (
    "relevance_score", "rerank_score", "score", "_score", "similarity_score", "similarity", "_relevance_score",
    "@search.reranker_score", "@search.score",
)  # fmt: skip
"""Scores: the reranker's before the retriever's, as rerankers add theirs to what is there. Distances are none."""

MODALITIES = ("modality", "content_type", "mimetype", "mime_type", "file_type", "category", "type")
"""What kind of content a passage is."""

CONTEXT = {
    "request": ("trail_request", "request_id", "correlation_id"),
    "session": ("trail_session", "thread_id", "session_id", "conversation_id", "langfuse_session_id"),
    "user": ("trail_user", "user_id", "user", "langfuse_user_id"),
    "tenant": ("trail_tenant", "tenant_id", "tenant", "organization_id", "org_id"),
    "query_class": ("trail_query_class", "query_class", "query_type"),
}
"""Whose run it is, by field of a trace's context."""

VERSIONS = {
    "app": ("app_version", "release", "revision_id"),
    "model": ("model_version",),
    "prompt": ("prompt_version", "lc_hub_commit_hash"),
    "retriever": ("retriever_version",),
    "reranker": ("reranker_version",),
    "index": ("index_version", "index_build"),
    "chunker": ("chunker_version",),
}
"""Versions, by field of a trace's versions."""

NAMES = frozenset({
    "rank", "prompt_tokens", "completion_tokens", "model", "tags", *DOCUMENTS, *SCORES, *MODALITIES,
    *(key for keys in (*CONTEXT.values(), *VERSIONS.values()) for key in keys),
})  # fmt: skip
