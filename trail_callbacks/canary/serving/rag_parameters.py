"""What a strategy says about a plain RAG app: chunker, retriever, prompt, model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from trail_callbacks.canary.arm import Strategy
from trail_callbacks.canary.serving.chunking import flag
from trail_callbacks.canary.serving.source import EMBEDDINGS, Embedding
from trail_callbacks.errors import InputError

__all__ = ["PROMPT", "RagParameters", "rag_parameters"]

PROMPT: Final = (
    "Answer the question from the context only. If the context does not tell, say that you do not know.\n\n"
    "Context:\n{context}\n\nQuestion: {question}"
)
_KNOWN = ("chunker", "html", "retriever", "embedding", "k", "prompt", "model")
_RETRIEVERS = ("vector", "bm25")


@dataclass(frozen=True, slots=True)
class RagParameters:
    """A strategy, read.

    Attributes:
        chunker: See `chunking.chunks`.
        html: Keeps the tags of HTML.
        retriever: `vector`, over the embeddings given, or `bm25`.
        embedding: See `CanaryRetriever`.
        k: Passages served, at least 1.
        prompt: The template, with `{context}` and `{question}`.
        model: Name of the model; None is the only one.
    """

    chunker: str
    html: bool
    retriever: str
    embedding: Embedding
    k: int
    prompt: str
    model: str | None


def rag_parameters(strategy: Strategy, prompts: Mapping[str, str], *, has_embeddings: bool) -> RagParameters:
    """Reads what a strategy says.

    Args:
        strategy: Parameters `chunker` (`1000/200`), `html` (false), `retriever` (`vector` with embeddings, else
            `bm25`), `embedding` (`real`), `k` (3), `prompt` (`PROMPT`; a template, or a name of `prompts`), `model`.
        prompts: Templates by name.
        has_embeddings: Whether there is a model of embeddings.

    Raises:
        InputError: If there are other parameters, or one has no such value.
    """
    given: Mapping[str, Any] = strategy.parameters
    where = f"strategy {strategy.name!r}"
    if unknown := [name for name in given if name not in _KNOWN]:
        raise InputError(f"{where}: unknown parameter {unknown[0]!r}: choose of {', '.join(_KNOWN)}")
    retriever = given.get("retriever", "vector" if has_embeddings else "bm25")
    if retriever not in _RETRIEVERS:
        raise InputError(f"{where}: unknown retriever {retriever!r}: choose vector or bm25")
    if retriever == "vector" and not has_embeddings:
        raise InputError(f"{where}: retriever 'vector' needs a model of embeddings: rag_app(..., embeddings=...)")
    embedding = given.get("embedding", "real")
    if embedding not in EMBEDDINGS:
        raise InputError(f"{where}: unknown embedding {embedding!r}: choose real or fictive")
    k = given.get("k", 3)
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise InputError(f"{where}: k: expected a whole number from 1, got {k!r}")
    named = str(given.get("prompt", PROMPT))
    prompt = prompts.get(named, named)
    if "{context}" not in prompt or "{question}" not in prompt:
        raise InputError(
            f"{where}: prompt {named!r} is neither one of those given ({', '.join(prompts) or 'none'}) nor a template "
            "with {context} and {question}"
        )
    model = given.get("model")
    return RagParameters(
        chunker=str(given.get("chunker", "1000/200")),
        html=flag(given.get("html", False), f"{where}: html"),
        retriever=retriever,
        embedding=embedding,
        k=k,
        prompt=prompt,
        model=None if model is None else str(model),
    )
