"""The same for judges that walk back: into what a claim was taken apart, and what was found for it, is kept too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar, cast

from trail_callbacks.claims import Claim
from trail_callbacks.judges.cached import CachedJudge, digestible
from trail_callbacks.judges.judge import Judge
from trail_callbacks.judges.tracer import Search, Selection, Tracer
from trail_callbacks.models.call import Pipeline, Reply
from trail_callbacks.models.store import Store

__all__ = ["CachedTracer"]

T = TypeVar("T")


class CachedTracer(CachedJudge):
    """A `CachedJudge` around a judge that is a `Tracer`. Its hits show in no count, as a `Tracer` reports none.

    Args:
        judge: A judge that is a `Tracer` too.
        store: Where answers are kept.
    """

    def __init__(self, judge: Judge, store: Store) -> None:
        super().__init__(judge, store)
        self._tracer = cast("Tracer", judge)

    def decompose(self, claims: Sequence[Claim]) -> Pipeline[tuple[tuple[str, ...], ...]]:
        """Splits claims into simpler statements. See `Tracer.decompose`."""
        keys = [self._key("decompose", {"claim": claim.text}) for claim in claims]
        known = [_parts(self._store.get(key)) for key in keys]
        todo = [i for i, parts in enumerate(known) if parts is None]
        if todo:
            found, answered = yield from _watched(self._tracer.decompose([claims[i] for i in todo]))
            for i, parts in zip(todo, found, strict=True):
                known[i] = parts
                if answered:  # a claim that is one part may be one, or the model may have failed
                    self._store.put(keys[i], list(parts))
        return tuple(parts for parts in known if parts is not None)

    def select(self, searches: Sequence[Search]) -> Pipeline[tuple[Selection, ...]]:
        """Points at evidence. See `Tracer.select`."""
        keys = [self._key("select", digestible(asdict(search))) for search in searches]
        known = [_selection(self._store.get(key), search) for key, search in zip(keys, searches, strict=True)]
        todo = [i for i, selection in enumerate(known) if selection is None]
        if todo:
            found = yield from self._tracer.select([searches[i] for i in todo])
            for i, selection in zip(todo, found, strict=True):
                known[i] = selection
                if selection.error is None:
                    self._store.put(keys[i], _kept(selection, searches[i]))
        return tuple(selection for selection in known if selection is not None)


def _watched(work: Pipeline[T]) -> Pipeline[tuple[T, bool]]:
    """Runs a pipeline, and tells whether all of its calls were answered."""
    replies: Sequence[Reply] | None = None
    answered = True
    while True:
        try:
            calls = next(work) if replies is None else work.send(replies)
        except StopIteration as stop:
            return stop.value, answered
        replies = yield calls
        answered = answered and all(reply.error is None for reply in replies)


def _parts(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, list) and value and all(isinstance(part, str) and part.strip() for part in value):
        return tuple(value)
    return None


def _nodes(search: Search) -> list[str]:
    return list(dict.fromkeys(passage.node_id for passage in search.passages))


def _kept(selection: Selection, search: Search) -> dict[str, Any]:
    """A selection by places in the search, which has other ids in another run."""
    nodes, ids = _nodes(search), {passage.id for passage in selection.passages}
    return {
        "passages": [i for i, passage in enumerate(search.passages) if passage.id in ids],
        "summaries": [[nodes.index(id_), said] for id_, said in selection.summaries.items() if id_ in nodes],
    }


def _selection(value: Any, search: Search) -> Selection | None:
    """Reads a kept selection back; None if it is none, or does not fit the search."""
    try:
        passages = [_at(search.passages, place) for place in value["passages"]]
        nodes = _nodes(search)
        summaries: Mapping[str, str] = {_at(nodes, place): said for place, said in value["summaries"]}
    except (KeyError, TypeError, ValueError):
        return None
    if not all(isinstance(said, str) for said in summaries.values()):
        return None
    return Selection(passages=tuple(passages), summaries=summaries)


def _at(items: Sequence[Any], place: Any) -> Any:
    if not isinstance(place, int) or not 0 <= place < len(items):
        raise ValueError(f"there is no item {place!r}")
    return items[place]
