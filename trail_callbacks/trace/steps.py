"""What a recorded run did with evidence: it retrieved candidates, reranked or filtered them, packed some into a prompt.

OpenTelemetry has no convention for reranking, selection, truncation or citation (semantic conventions of GenAI, 2026),
so these values follow the minimum event set of evidence-path diagnosis: what every stage was given and what it passed
on, with identities that survive re-indexing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Dropped = Literal["reranker", "cutoff", "budget", "cut", "unknown"]
"""Why nothing of a candidate is in a prompt, as far as the recorded steps show it.

- `reranker`: a reranker, compressor or filter took it out.
- `cutoff`: it ranks below every candidate in the prompt, and all of those are there in full: the packer stopped there,
  at a number or at a budget, which look the same.
- `budget`: candidates of lower rank are in the prompt, and each of them is shorter: there was no room for it.
- `cut`: it was an input of the packer or the prompt, but cut to nothing: its own text was, or the packed text ended
  inside the candidate before it.
- `unknown`: none of these, such as a prompt without any candidate.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage that a retriever brought.

    Attributes:
        node_id: The node of the run's graph that holds its text.
        hash: First 16 hexadecimal digits of the SHA-256 of its text with white space collapsed: the same passage has
            the same hash after an index is rebuilt, whatever its id is then.
        text: Its text as retrieved.
        id: Its id in the index, as the framework reports it; None if it has none.
        document_id: The document it was cut from; None if unknown.
        rank: Its place among what was retrieved, from 1.
        score: As the retriever gave it, finite; None if it gave none. Comparable within one retrieval only.
        modality: `text`, `image`, `table` or what the metadata says.
        attributes: JSON-safe metadata.
    """

    node_id: str
    hash: str
    text: str
    id: str | None = None
    document_id: str | None = None
    rank: int | None = None
    score: float | None = None
    modality: str = "text"
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """One call of a retriever, or of a tool that brought texts.

    Attributes:
        run_id: The run.
        step: Name of the component.
        query: The query as sent.
        raw_query: The user's request that led to it; None if there is none.
        rewritten: True if the query is not the request itself; None if that cannot be told.
        candidates: What it brought, in its order.
        started: Seconds since the epoch; None if not recorded.
        seconds: How long it took; None if not recorded.
        error: What it raised; None if it ended normally.
        after_answer: True if it began after the answer was written: it cannot have been read for it.
    """

    run_id: str
    step: str
    query: str
    raw_query: str | None = None
    rewritten: bool | None = None
    candidates: tuple[Candidate, ...] = ()
    started: float | None = None
    seconds: float | None = None
    error: str | None = None
    after_answer: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranked:
    """What a reranker or filter did with one candidate.

    Attributes:
        node_id: The candidate.
        rank_in: Its place before, from 1.
        rank_out: Its place after, from 1; None if it was dropped.
        score: As the reranker gave it, finite; None if it gave none.
        reason: Why it was dropped, if the component says.
        kept: Share of its text that came out, 0.0 to 1.0: below 1.0 if the step cut or compressed it.
    """

    node_id: str
    rank_in: int
    rank_out: int | None = None
    score: float | None = None
    reason: str | None = None
    kept: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranking:
    """One step that ordered candidates anew or dropped some: a reranker, compressor, postprocessor, context filter.

    Attributes:
        run_id: The run.
        step: Name of the component.
        ranked: One entry for each candidate that went in, in that order.
    """

    run_id: str
    step: str
    ranked: tuple[Reranked, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """What a prompt holds of one candidate.

    Attributes:
        node_id: The candidate.
        order: Its place in the prompt among the candidates there, from 1; None if nothing of it is there.
        tokens: Estimated number of tokens that arrived, 0 or more.
        arrived: Share of its text that arrived, 0.0 to 1.0.
        dropped: Why nothing of it arrived; None if something did.
    """

    node_id: str
    order: int | None
    tokens: int
    arrived: float
    dropped: Dropped | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """The evidence as one model call read it.

    Attributes:
        run_id: The model's run.
        step: Name of the component around the model.
        pieces: One entry for each candidate retrieved before the call, in the order of retrieval; a document that
            several retrievals brought is one. Of two documents with the same text both are there if it is.
        tokens: Estimated tokens of the whole prompt.
        packer: Name of the step that made text of the candidates, as people wrote it; None if none was recorded.
        packer_id: Its run, likewise.
    """

    run_id: str
    step: str
    pieces: tuple[Packed, ...] = ()
    tokens: int = 0
    packer: str | None = None
    packer_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One call of a model.

    Attributes:
        run_id: The run.
        step: Name of the component.
        model: The model, as it names itself; None if it does not.
        prompt_hash: First 16 hexadecimal digits of the SHA-256 of the template behind the prompt, with what was filled
            in left out; None if it cannot be told.
        prompt_tokens: As the provider counted; None if it does not say.
        completion_tokens: Likewise.
        started: Seconds since the epoch; None if not recorded.
        seconds: How long it took; None if not recorded.
        error: What it raised; None if it ended normally.
        answers: True if it wrote the answer.
    """

    run_id: str
    step: str
    model: str | None = None
    prompt_hash: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    started: float | None = None
    seconds: float | None = None
    error: str | None = None
    answers: bool = False
