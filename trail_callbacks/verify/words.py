"""Selecting evidence by shared words, for judges that only give verdicts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Passage, candidates
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.judge import Search, SearchResult
from trail_callbacks.language.terms import keys
from trail_callbacks.models.call import Pipeline

__all__ = ["WordSelector"]

_PER_NODE = 2  # minimum number of sentences of each text


class WordSelector:
    """Selects evidence by shared words, for judges that only give verdicts; does not decompose claims.

    Args:
        graph: Where the texts are.
        limit: Sentences for each claim, 1 or more.
    """

    def __init__(self, graph: ProvenanceGraph, limit: int) -> None:
        self._graph = graph
        self._limit = limit

    def decompose(self, claims: Sequence[Claim]) -> Pipeline[tuple[tuple[str, ...], ...]]:
        """Returns claims unchanged."""
        return tuple((claim.text,) for claim in claims)
        yield ()  # a pipeline is a generator; this one makes no calls

    def select(self, searches: Sequence[Search]) -> Pipeline[tuple[SearchResult, ...]]:
        """Selects the sentences that share most words with the claim; searches of the same texts share one index."""
        together: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for n, search in enumerate(searches):
            together[tuple(dict.fromkeys(passage.node_id for passage in search.passages))].append(n)
        selections: dict[int, SearchResult] = {}
        for ids, numbers in together.items():
            best = self._best([searches[n].claim for n in numbers], ids)
            selections |= {n: _shared(searches[n], best[searches[n].claim.id]) for n in numbers}
        return tuple(selections[n] for n in range(len(searches)))
        yield ()  # as above

    def _best(self, claims: Sequence[Claim], ids: Sequence[str]) -> dict[str, list[Passage]]:
        """The best of all texts, then the best of each: a source that says the same as an output is evidence too."""
        nodes = [self._graph.node(id_) for id_ in ids]
        chosen = [candidates(claims, nodes, self._limit)]
        if len(nodes) > 1:
            chosen += [candidates(claims, [node], min(_PER_NODE, self._limit)) for node in nodes]
        return {claim.id: [passage for some in chosen for passage in some[claim.id]] for claim in claims}


def _shared(search: Search, best: Sequence[Passage]) -> SearchResult:
    """Those that share a word with the claim, each once, as the search's own passages, whose ids are unique."""
    own = {_place(passage): passage for passage in search.passages}
    asked = set(keys(search.claim.text))
    places = dict.fromkeys(_place(passage) for passage in best if asked & set(keys(passage.text)))
    return SearchResult(passages=tuple(own[place] for place in places if place in own))


def _place(passage: Passage) -> tuple[str, int, int]:
    return passage.node_id, passage.start, passage.end
