"""Pointing at evidence with a language model: parts of claims, sentences that address them, what a question asks for.

Each text is read once for all claims that need it, and every id is checked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast, get_args

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Question, Search, SearchResult, Survey
from trail_callbacks.judges.llm.asking import Heard, ask, watched
from trail_callbacks.judges.llm.layout import NOBODY, bare, candidates, letters, line, passage_lines
from trail_callbacks.judges.llm.schema import (
    FacetItem,
    FoundItem,
    FoundReply,
    PartsItem,
    PartsReply,
    QueriesReply,
    SurveyReply,
    own,
    salvage,
)
from trail_callbacks.judges.prompts import Fence, load
from trail_callbacks.models.call import Call, Failure, Pipeline, Reply
from trail_callbacks.report.diagnosis import Facet, FacetKind

_LONGEST = 24_000  # characters of text in one call
_ROOM = 1400  # tokens of a survey
_NONE = Failure("invalid", "the model gave no survey")
Item = TypeVar("Item")
_Numbered = tuple[int, Search]
"""A search and its place among those that were asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """What a reply says, by the numbers of searches: passages of one node with what they say, or why one failed."""

    passages: tuple[tuple[int, tuple[Passage, ...], str], ...] = ()
    failures: dict[int, Failure] = field(default_factory=dict)


def select(searches: Sequence[Search], claims_per_call: int) -> Pipeline[tuple[SearchResult, ...]]:
    """Points at evidence, reading each text once for all claims that need it. See `Tracer.select`."""
    chosen: list[set[str]] = [set() for _ in searches]
    summaries: list[dict[str, list[str]]] = [defaultdict(list) for _ in searches]
    failures: dict[int, Failure] = {}
    for result in (yield from ask(_calls(searches, claims_per_call))):
        failures |= result.failures
        for n, passages, summary in result.passages:
            chosen[n].update(passage.id for passage in passages)
            summaries[n][passages[0].node_id].append(summary)
    return tuple(
        SearchResult(error=str(failures[n]))
        if n in failures
        else SearchResult(
            passages=tuple(passage for passage in search.passages if passage.id in chosen[n]),
            summaries={id_: " ".join(filter(None, parts)) for id_, parts in summaries[n].items()},
        )
        for n, search in enumerate(searches)
    )


def _calls(searches: Sequence[Search], claims_per_call: int) -> Iterator[_Search]:
    for i in range(0, len(searches), claims_per_call):
        batch = list(enumerate(searches))[i : i + claims_per_call]
        by_node: dict[str, dict[str, Passage]] = defaultdict(dict)
        for _, search in batch:
            for passage in search.passages:
                by_node[passage.node_id][passage.id] = passage
        for texts in _packed([tuple(passages.values()) for passages in by_node.values()]):
            shown = {passage.node_id for text in texts for passage in text}
            concerned = ((n, one) for n, one in batch if any(passage.node_id in shown for passage in one.passages))
            yield _Search(tuple(concerned), texts)


def _packed(texts: Sequence[tuple[Passage, ...]]) -> Iterator[tuple[tuple[Passage, ...], ...]]:
    """Fills calls with texts; one that is too long for a call is read in parts."""
    pack: list[list[Passage]] = []
    room = _LONGEST
    for text in texts:
        if pack and sum(len(passage.text) for passage in text) > room:
            yield tuple(map(tuple, pack))
            pack, room = [], _LONGEST
        pack.append([])
        for passage in text:
            if len(passage.text) > room and pack[-1]:
                yield tuple(map(tuple, pack))
                pack, room = [[]], _LONGEST
            pack[-1].append(passage)
            room -= len(passage.text)
    if pack:
        yield tuple(map(tuple, pack))


@dataclass(frozen=True, slots=True)
class _Search:
    """What one call reads: texts, as the passages of each, for some searches; an `Inquiry`."""

    searches: tuple[_Numbered, ...]
    texts: tuple[tuple[Passage, ...], ...]

    def call(self, _: str) -> Call:
        passages = passage_lines({passage.id: passage for text in self.texts for passage in text})
        shown = {passage.node_id: letters(i) for i, text in enumerate(self.texts) for passage in text}
        claims = "\n".join(_claim(n, search, shown) for n, search in self.searches)
        fence = Fence(passages, claims)
        return Call(
            messages=load("select").messages(
                passages=fence.block("TEXTS", passages), claims=fence.block("CLAIMS", claims)
            ),
            schema=FoundReply,
            purpose="select",
            max_tokens=256 + 96 * len(self.searches) * min(len(self.texts), 4),
        )

    def read(self, reply: Reply) -> Heard[_Result]:
        if isinstance(reply.value, FoundReply) and reply.failure is None:
            return Heard(_Result(passages=tuple(self._known(reply.value.found))))
        failure = reply.failure or Failure("invalid", "the model gave no answer")
        return Heard(_Result(), self, failure, _Result(failures={n: failure for n, _ in self.searches}))

    def smaller(self, failure: Failure) -> Sequence[_Search]:
        """Divides the claims, else the texts, else the sentences of a text, whose number the answer does not follow."""
        if len(self.searches) > 1:
            return [replace(self, searches=part) for part in _halves(self.searches)]
        if len(self.texts) > 1:
            return [replace(self, texts=part) for part in _halves(self.texts)]
        if len(self.texts[0]) > 1 and failure.kind != "length":
            return [replace(self, texts=(part,)) for part in _halves(self.texts[0])]
        return []

    def _known(self, items: Sequence[FoundItem]) -> Iterator[tuple[int, tuple[Passage, ...], str]]:
        """Keeps what holds: known claims, and sentences of texts that they were to be looked for in."""
        asked = {f"c{n + 1}": (n, search) for n, search in self.searches}
        shown = {passage.id: passage for text in self.texts for passage in text}
        for item in items:
            if bare(item.claim) not in asked:
                continue
            n, search = asked[bare(item.claim)]
            nodes = {passage.node_id for passage in search.passages}
            known = [shown[id_] for id_ in map(bare, item.sentences) if id_ in shown and shown[id_].node_id in nodes]
            for node_id in dict.fromkeys(passage.node_id for passage in known):
                mine = tuple(passage for passage in known if passage.node_id == node_id)
                # A summary over several texts would let one stand for the other.
                yield n, mine, item.summary if len(mine) == len(known) else ""


def _claim(n: int, search: Search, shown: dict[str, str]) -> str:
    mine = dict.fromkeys(shown[p.node_id] for p in search.passages if p.node_id in shown)
    texts = "" if len(mine) == len(shown) else f" (only texts {', '.join(mine)})"
    parts = [f"    - {line(part)}" for part in search.parts]
    return "\n".join([f"[c{n + 1}]{texts} {line(search.claim.text)}", *parts])


def _halves(items: tuple[Item, ...]) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    half = (len(items) + 1) // 2
    return items[:half], items[half:]


def decompose(claims: Sequence[Claim], claims_per_call: int) -> Pipeline[tuple[tuple[str, ...], ...]]:
    """Splits claims into simpler statements. See `Tracer.decompose`.

    Nothing is asked again: a claim that stays whole is only searched for less well.
    """
    keyed = [(f"c{n}", claim.text) for n, claim in enumerate(claims, 1)]
    batches = [keyed[i : i + claims_per_call] for i in range(0, len(keyed), claims_per_call)]
    parts: dict[str, tuple[str, ...]] = {}
    for batch, reply in zip(batches, (yield [_decomposing(batch) for batch in batches]), strict=True):
        asked = {key for key, _ in batch}
        items = reply.value.claims if isinstance(reply.value, PartsReply) else salvage(reply.text, PartsItem)
        for item in items:
            statements = tuple(filter(None, (" ".join(part.split()) for part in item.parts)))
            if bare(item.claim) in asked and statements:
                parts.setdefault(bare(item.claim), statements)
    return tuple(parts.get(key, (text,)) for key, text in keyed)


def _decomposing(batch: Sequence[tuple[str, str]]) -> Call:
    claims = "\n".join(f"[{key}] {line(text)}" for key, text in batch)
    return Call(
        messages=load("decompose").messages(claims=Fence(claims).block("STATEMENTS", claims)),
        schema=PartsReply,
        purpose="decompose",
        max_tokens=128 + sum(2 * len(text.encode()) for _, text in batch),
    )


def survey(
    question: str, queries: Sequence[str], passages: Sequence[Passage], facets: Sequence[Facet], conversation: str = ""
) -> Pipeline[Survey]:
    """Surveys what some passages have of what a question asks for. See `Surveyor.survey`."""
    cut: list[str] = []
    labelled = candidates([("", Question(claim=NOBODY, passages=tuple(passages)))])[""]
    task = _Survey(question, tuple(queries), labelled, tuple(facets), conversation)
    (*_, found) = yield from watched(ask([task]), cut)
    return replace(found, warnings=tuple(cut))


def seek(question: str, missing: str, queries: Sequence[str], conversation: str = "") -> Pipeline[tuple[str, ...]]:
    """Words queries for what a search did not bring. See `Seeker.seek`."""
    sent = "\n".join(f"- {line(query)}" for query in queries)
    shown = {"CONVERSATION": conversation, "QUESTION": line(question), "QUERIES SENT": sent, "MISSING": line(missing)}
    fence = Fence(*shown.values())
    blocks = {name: fence.block(name, text) if text.strip() else "" for name, text in shown.items()}
    messages = load("seek").messages(
        conversation=blocks["CONVERSATION"],
        question=blocks["QUESTION"],
        queries=blocks["QUERIES SENT"],
        missing=blocks["MISSING"],
    )
    (reply,) = yield [Call(messages=messages, schema=QueriesReply, purpose="seek", max_tokens=300)]
    return tuple(filter(None, map(line, reply.value.queries))) if isinstance(reply.value, QueriesReply) else ()


@dataclass(frozen=True, slots=True)
class _Survey:
    """One call, with the lines by label; an `Inquiry`. Without facets the model is to find them."""

    question: str
    queries: tuple[str, ...]
    passages: Mapping[str, Passage]
    facets: tuple[Facet, ...]
    conversation: str

    def call(self, note: str) -> Call:
        shown = passage_lines(self.passages)
        queries = "\n".join(f"- {line(query)}" for query in self.queries)
        wanted = "\n".join(f"[{each.id}] {line(each.text)}" for each in self.facets)
        before = (self.conversation,) if self.conversation.strip() else ()
        sources, fence = Fence(shown), Fence(shown, self.question, queries, wanted, *before)
        return Call(
            messages=load("survey").messages(
                passages=sources.block("PASSAGES", shown),
                conversation=fence.block("CONVERSATION", self.conversation) if before else "",
                question=fence.block("QUESTION", line(self.question)),
                queries=fence.block("QUERIES SENT", queries) if queries else "",
                facets=fence.block("FACETS", wanted) if wanted else "",
                note=note,
            ),
            schema=SurveyReply,
            purpose="survey",
            max_tokens=_ROOM,
        )

    def read(self, reply: Reply) -> Heard[Survey]:
        value = reply.value
        if isinstance(value, SurveyReply) and reply.failure is None:
            texts = [self.question, *self.queries, *(passage.text for passage in self.passages.values())]
            items = own(value.facets, texts, FacetItem)
            if items or self.facets:
                return Heard(self._survey(value, items))
        failure = reply.failure or _NONE
        note = f"An earlier answer could not be used: {failure.detail}"
        return Heard(Survey(error=str(failure)), self, failure, Survey(error=str(failure)), note)

    def smaller(self, _: Failure) -> Sequence[_Survey]:
        return ()

    def _survey(self, value: SurveyReply, items: Sequence[FacetItem]) -> Survey:
        given = {each.id: each for each in self.facets}
        found: dict[str, Facet] = dict(given)
        met: dict[str, tuple[Passage, ...]] = {}
        named: dict[str, bool] = {}
        for n, item in enumerate(items, 1):
            id_ = bare(item.id) if given else f"f{n}"
            if (given and id_ not in given) or not (given or item.text.strip()):
                continue
            kind = cast("FacetKind", item.kind) if item.kind in get_args(FacetKind) else "topic"
            weight = min(max(item.weight, 1), 3)
            found.setdefault(id_, Facet(id=id_, text=line(item.text), kind=kind, weight=float(weight)))
            met[id_] = self._known(item.passages)
            if item.in_query is not None and self.queries:
                named[id_] = item.in_query
        return Survey(
            facets=tuple(found.values()),
            met=met,
            in_query=named,
            answers=tuple(lines for ids in value.answers if (lines := self._all(ids))),
            missing=line(value.missing),
            conflicts=tuple((each[0], each[1]) for ids in value.conflicts if len(each := self._all(ids)) > 1),
        )

    def _known(self, ids: Iterable[str]) -> tuple[Passage, ...]:
        return tuple(self.passages[label] for label in dict.fromkeys(map(bare, ids)) if label in self.passages)

    def _all(self, ids: Sequence[str]) -> tuple[Passage, ...]:
        """The passages of some ids; nothing if one of them does not exist, since they only count together."""
        lines = self._known(ids)
        return lines if len(lines) == len({bare(each) for each in ids}) else ()
