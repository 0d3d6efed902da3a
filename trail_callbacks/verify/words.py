"""Selecting evidence by shared words, for judges that only give verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.tracer import Search, Selection
from trail_callbacks.models.call import Pipeline
from trail_callbacks.terms import keys

__all__ = ["Words"]


class Words:
    """Selects evidence by shared words, for judges that only give verdicts; takes nothing apart."""

    def __init__(self, graph: ProvenanceGraph, limit: int) -> None:
        self._graph = graph
        self._limit = limit

    def decompose(self, claims: Sequence[Claim]) -> Pipeline[tuple[tuple[str, ...], ...]]:
        """Leaves claims as they are."""
        return tuple((claim.text,) for claim in claims)
        yield ()  # a pipeline is a generator; this one makes no calls

    def select(self, searches: Sequence[Search]) -> Pipeline[tuple[Selection, ...]]:
        """Selects the sentences that share most with the claim."""
        return tuple(self._one(search) for search in searches)
        yield ()  # as above

    def _one(self, search: Search) -> Selection:
        ids = dict.fromkeys(passage.node_id for passage in search.passages)
        found = candidates([search.claim], [self._graph.node(id_) for id_ in ids], self._limit)[search.claim.id]
        asked = set(keys(search.claim.text))
        shared = tuple(passage for passage in found if asked & set(keys(passage.text)))
        return Selection(passages=shared)
