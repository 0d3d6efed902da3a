"""Is what a run lacked in the index? The app's own retriever is asked, which no trace can stand in for.

What a retriever did not bring may have been missed, or may not be there: both look the same in a run.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

from trail_callbacks.diagnosis.reach import Reach
from trail_callbacks.diagnosis.survey import Request, surveyed
from trail_callbacks.errors import InputError
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Judge, Seeker, Survey, Surveyor
from trail_callbacks.models.call import Call, Message, Pipeline, Reply
from trail_callbacks.report.diagnosis import Certainty, IndexSearch
from trail_callbacks.trace.retrievals import content_hash, document_of
from trail_callbacks.verify.options import VerifyOptions

Retriever: TypeAlias = Any
"""A retriever of LangChain (`invoke`) or LlamaIndex (`retrieve`), or a function of a query that returns texts or
documents, and may be async where it is awaited."""

MOST_QUERIES = 4
_WIDE = 50  # passages asked for, where the retriever has a number to set
_NUMBERS = ("similarity_top_k", "_similarity_top_k", "k", "top_k")


_Found: TypeAlias = tuple[Sequence[str], str, tuple[str, ...]]


class _Brought(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    nodes: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Index:
    """A `Model` that answers a query with what a retriever brings, so that the drivers carry out its calls.

    Args:
        retriever: See `Retriever`; what can be set of it is set on a copy.
        calls: Queries at most, 1 or more.

    Raises:
        InputError: If it is no retriever, or the number is out of range.
    """

    retriever: Retriever
    calls: int
    name: str = "retriever"

    def __post_init__(self) -> None:
        if self.calls < 1:
            raise InputError(f"retriever_calls is {self.calls}, expected 1 or more")
        if inspect.isclass(self.retriever) or self._method("invoke", "retrieve") is None:
            kind = getattr(self.retriever, "__name__", type(self.retriever).__name__)
            raise InputError(f"retriever is {kind}, expected an object with `invoke` or `retrieve`, or a function")
        object.__setattr__(self, "retriever", _widened(self.retriever))

    def _method(self, *names: str) -> Any:
        mine = (getattr(self.retriever, name, None) for name in names)
        return next(filter(callable, mine), self.retriever if callable(self.retriever) else None)

    def call(self, query: str) -> Call:
        """The call that sends a query; no cache keeps its answer, as an index changes."""
        prompt = (Message("user", query),)
        return Call(messages=prompt, schema=_Brought, purpose="retrieve", worth_keeping=lambda _: False, model=self)

    def ask(self, call: Call) -> Reply:
        """Sends the query of a call."""
        found = self._method("invoke", "retrieve")(call.messages[0].content)
        return _reply(asyncio.run(found) if inspect.iscoroutine(found) else found)

    async def aask(self, call: Call) -> Reply:
        """As `ask`; what is not async runs on a thread."""
        ask = self._method("ainvoke", "aretrieve")
        if ask is self.retriever and not inspect.iscoroutinefunction(ask):
            found = await asyncio.to_thread(self._method("invoke", "retrieve"), call.messages[0].content)
        else:
            found = ask(call.messages[0].content)
        return _reply(await found if inspect.isawaitable(found) else found)


def _widened(retriever: Retriever) -> Retriever:
    """A copy that brings more; the retriever itself where nothing can be set."""
    try:
        wide, settings = copy(retriever), getattr(retriever, "search_kwargs", None)
        if isinstance(settings, Mapping):
            wide.search_kwargs = {**settings, "k": max(_WIDE, settings.get("k") or 0)}
            return wide
        name = next(name for name in _NUMBERS if isinstance(getattr(retriever, name, None), int))
        setattr(wide, name, max(_WIDE, getattr(retriever, name)))
    except Exception:  # noqa: BLE001 - objects of others: what cannot be copied or set is asked as it is
        return retriever
    return wide


def _reply(found: Any) -> Reply:
    nodes = ProvenanceGraph.from_texts("", found or ()).nodes
    return Reply(value=_Brought(nodes=tuple(node for node in nodes if node.kind != "answer" and node.text.strip())))


@dataclass(frozen=True)
class IndexWork:
    """Asks the app's retriever for what a run lacked: by the question, by a judge's words, by what is missing.

    A judge that can words the queries and reads what they bring; `gold` are names of passages that ought to be there.
    """

    index: Index
    request: Request
    reach: Reach
    survey: Survey
    judge: Judge
    options: VerifyOptions
    gold: Collection[str] | None

    def run(self) -> Pipeline[tuple[IndexSearch, tuple[str, ...]]]:
        """What came of it, and warnings."""
        queries = yield from self._queries()
        replies = yield [self.index.call(query) for query in queries]
        failures = tuple(dict.fromkeys(str(reply.failure) for reply in replies if reply.failure is not None))
        places: dict[str, tuple[int, str]] = {}
        new: dict[str, Node] = {}
        known = {each.hash for each in self.reach.candidates.values()}
        for query, reply in zip(queries, replies, strict=True):
            brought = reply.value.nodes if isinstance(reply.value, _Brought) else ()
            for rank, node in enumerate(brought, 1):
                key = content_hash(node.text)
                places[key] = min(places.get(key, (rank, query)), (rank, query))
                if key not in known:
                    new.setdefault(key, node)
        found = IndexSearch(queries=queries, passages=len(places), new=len(new))
        there, text, why = yield from self._read(queries, new)
        if there:
            rank, query = max(places[key] for key in there)  # lines that answer only together are as far as the last
            certainty: Certainty = "high" if self._gold(there[0], new[there[0]]) else "medium"
            found = replace(found, found=True, rank=rank, query=query, text=text, certainty=certainty)
        else:
            open_ = (*failures, *why)
            found = replace(found, found=None if open_ else False, why="; ".join(open_))
        return found, tuple(f"the retriever failed when it was asked: {each}" for each in failures)

    def _queries(self) -> Pipeline[tuple[str, ...]]:
        words: tuple[str, ...] = ()
        asked, missing = self.request, self.survey.missing
        if isinstance(self.judge, Seeker):
            words = yield from self.judge.seek(asked.question, missing, asked.queries, asked.conversation)
        named = " ".join(facet.text for facet in self.survey.facets)  # what is missing alone may name no subject
        wanted = (query for query in (asked.question, *words, named, missing) if query.strip())
        return tuple(dict.fromkeys(wanted))[: self.index.calls]

    def _read(self, queries: Sequence[str], new: Mapping[str, Node]) -> Pipeline[_Found]:
        """Which new passages answer, in which words; or else why that cannot be told."""
        hit = [key for key, node in new.items() if self._gold(key, node)]
        if hit or not isinstance(self.judge, Surveyor):
            return hit[:1], new[hit[0]].text if hit else "", ("no judge read what it brought",)
        if not new:
            return (), "", ()
        nodes = [*self.reach.nodes, *(Node(id=key, kind="document", text=new[key].text) for key in new)]
        request = replace(self.request, queries=queries, facets=self.survey.facets)
        survey = yield from surveyed(self.judge, request, nodes, self.options)
        for lines in survey.answers or ():
            if own := [line for line in lines if line.node_id in new]:
                return [line.node_id for line in own], " ".join(line.text for line in own), ()
        return (), "", survey.warnings

    def _gold(self, key: str, node: Node) -> bool:
        return bool(self.gold) and not {key, node.id, document_of(node.attributes)}.isdisjoint(self.gold or ())
