"""Evidence: passages of the leaves that support or contradict a claim, how they are found, and which are cited.

`spans` splits a source into sentences, rows of tables and fields of JSON, `ranking` scores them by the words that
they share with a claim, `candidates` combines both. `marks` finds the citations of an answer, `library` the sources
that they name and the claims that they belong to. Whether a passage supports a claim is decided in `judges`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Literal, NamedTuple, TypeAlias

from trail_callbacks.claims import Claim
from trail_callbacks.errors import InputError
from trail_callbacks.evidence.spans import Index, Ranked, Span, Surroundings, clip, labelled, outside, spans
from trail_callbacks.graph import Node
from trail_callbacks.slices import current

__all__ = ["CANDIDATES", "Evidence", "Passage", "Relation", "candidates", "indexed", "quoted", "whole", "wording"]

Relation: TypeAlias = Literal["supports", "contradicts", "nearest"]

CANDIDATES = 8
"""Sentences that a judge is given for each claim, unless it reads whole."""
_OPENING = 120  # characters of the beginning of a text that are shown with its passages
_SELF_CONTAINED = 60  # characters; a sentence this long means the same in any context


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A verbatim passage of a node that supports or contradicts a claim.

    Attributes:
        node_id: The node it is from.
        start: Offset of its first character in the node's text.
        end: Offset after its last character.
        quote: `node.text[start:end]`, verbatim.
        relation: `supports`, `contradicts`, or `nearest` where nothing was decided and this is only what comes closest.
    """

    node_id: str
    start: int
    end: int
    quote: str
    relation: Relation

    @property
    def decides(self) -> bool:
        """Whether it speaks for or against the claim; `nearest` passages do neither."""
        return self.relation != "nearest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A candidate sentence that a judge may cite.

    Attributes:
        id: Unique within one verification, e.g. `s12`; judges answer with these ids, code checks them.
        node_id: The node it is from.
        start: Offset of its first character in the node's text.
        end: Offset after its last character.
        text: `node.text[start:end]`, verbatim.
        before: Context ahead of it, not citable, a line each: the beginning of its text; the previous sentence, the
            header of its table or the first fields of the enclosing records.
        after: Context after it, likewise. Sentences are cut to 200 characters.
        address: Its place in a table or JSON, e.g. `row 3` or `$.data[0].price`; empty for prose.
    """

    id: str
    node_id: str
    start: int
    end: int
    text: str
    before: str = ""
    after: str = ""
    address: str = ""


def quoted(passage: Passage, relation: Relation) -> Evidence:
    """Returns a passage as evidence."""
    return Evidence(
        node_id=passage.node_id, start=passage.start, end=passage.end, quote=passage.text, relation=relation
    )


def wording(passage: Passage) -> str:
    """What a passage says; the cells of a row under the names of their columns."""
    if passage.address.startswith("row ") and passage.before:
        return labelled(passage.before.splitlines()[-1], passage.text) or passage.text
    return passage.text


def candidates(
    claims: Sequence[Claim], nodes: Sequence[Node], limit: int = CANDIDATES, *, per_node: int = 0
) -> dict[str, tuple[Passage, ...]]:
    """Finds, for each claim, the sentences of the nodes that are most likely to support or contradict it.

    Passages are ranked by the words, numbers and names that they or their immediate context share with the claim (see
    `trail_callbacks.evidence.spans`) and picked so that together they cover it. If fewer than `limit` share
    anything, the first passages of each node fill the rest: a judge that reads several languages may still find
    evidence there. Copies of a passage in other nodes come last, so that they do not crowd out different ones.

    Args:
        claims: The claims to be judged.
        nodes: The nodes to search.
        limit: Passages for each claim, 1 or more.
        per_node: Minimum number of passages from every node, 0 or more, even beyond `limit`, so that no node goes
            unread because others say the same or more. Where too few were picked, the node's next best are added.

    Returns:
        Passages by claim id, most relevant first, then those added for `per_node`. A passage has the same id for all
        claims.

    Raises:
        InputError: If `limit` is below 1 or `per_node` below 0.
    """
    if limit < 1:
        raise InputError(f"limit is {limit}, expected 1 or more passages a claim")
    if per_node < 0:
        raise InputError(f"per_node is {per_node}, expected 0 or more passages a node")
    found = [here for node in nodes for here in _of(node)]
    index = Index([claim.text for claim in claims], _surroundings(found))
    openings = _openings(found, limit)
    chosen = {}
    for claim, ranked in zip(claims, index.rank(limit), strict=True):
        picked = _pick(ranked, openings, found, limit)
        chosen[claim.id] = [*picked, *_missing(ranked, found, picked, per_node)] if per_node else picked
    used = sorted({i for picked in chosen.values() for i in picked})
    starts = [i for i, here in enumerate(found) if here.is_opening]
    passages = {i: _passage(found, i, starts[bisect_right(starts, i) - 1], f"s{n}") for n, i in enumerate(used, 1)}
    return {claim_id: tuple(passages[i] for i in picked) for claim_id, picked in chosen.items()}


def indexed(texts: Sequence[str], nodes: Sequence[Node]) -> Index:
    """Indexes all passages of some nodes, as `whole` returns them, for texts to be found in them."""
    return Index(texts, _surroundings([here for node in nodes for here in _of(node)]))


def whole(nodes: Sequence[Node], *, context: bool = False) -> tuple[Passage, ...]:
    """Returns all passages of some nodes in their order; a sentence that a node repeats is returned once."""
    found = [here for node in nodes for here in _of(node)]
    starts = accumulate((i if here.is_opening else 0 for i, here in enumerate(found)), max)
    return tuple(_passage(found, i, opening if context else None, f"s{i + 1}") for i, opening in enumerate(starts))


class _Candidate(NamedTuple):
    node: Node
    span: Span
    is_opening: bool

    @property
    def text(self) -> str:
        return self.node.text[self.span.start : self.span.end]

    def continues(self, other: _Candidate) -> bool:
        """Whether both belong to the same running text, or to the same field."""
        return self.node is other.node and self.span.place is other.span.place


def _of(node: Node) -> Iterator[_Candidate]:
    """The passages of a node; a repeated sentence is yielded once."""
    seen: set[tuple[str, str]] = set()
    previous = ""
    slices = current.get()
    for n, span in enumerate(outside(node.model_spans, spans(node.text), node.text)):
        if slices is not None:
            slices.pause()
        text = node.text[span.start : span.end]
        wording = ("" if len(text) >= _SELF_CONTAINED else previous, text)
        if span.place is not None or (wording not in seen and text != previous):
            seen.add(wording)
            yield _Candidate(node, span, n == 0)
        previous = text


def _surroundings(found: Sequence[_Candidate]) -> Iterator[Surroundings]:
    opening = ""
    for i, here in enumerate(found):
        text = here.text
        before = found[i - 1].text if i and here.continues(found[i - 1]) else ""
        lead = here.span.place.lead(here.node.text) if here.span.place else ""
        heads = (lead,) if here.is_opening else (lead, opening)
        if here.is_opening:
            opening = text
        # A short sentence (`It opened in 1932.`) means something else in another context.
        wording = text if len(text) >= _SELF_CONTAINED and not lead else f"{before}\n{lead}\n{text}"
        yield Surroundings(text, wording, before, heads)


def _passage(found: Sequence[_Candidate], i: int, opening: int | None, id_: str) -> Passage:
    """A candidate as a passage, with its context unless the opening of its text is None."""
    node, (start, end, place), _ = here = found[i]
    before = after = ""
    if opening is not None:
        if i > opening and here.continues(found[i - 1]):
            before = clip(found[i - 1].text, tail=True)
        elif place is not None:
            before = place.lead(node.text)
        title = clip(found[opening].text, size=_OPENING)
        if i > opening + 1 and title not in before:
            before = f"{title}\n{before}" if before else title
        if i + 1 < len(found) and here.continues(found[i + 1]):
            after = clip(found[i + 1].text)
    address = place.address if place else ""
    return Passage(
        id=id_, node_id=node.id, start=start, end=end, text=here.text, before=before, after=after, address=address
    )


def _openings(found: Sequence[_Candidate], limit: int) -> list[int]:
    """The first passage of each node, then the second of each, and so on."""
    seen: dict[str, int] = {}
    places = []
    for i, here in enumerate(found):
        place = seen[here.node.id] = seen.get(here.node.id, -1) + 1
        if place < limit:
            places.append((place, i))
    return [i for _, i in sorted(places)]


def _pick(ranked: Ranked, openings: Sequence[int], found: Sequence[_Candidate], limit: int) -> list[int]:
    """The passages that share something with the claim, each wording once; then openings; then copies."""
    picked = dict.fromkeys(ranked.picks.tolist())
    wordings = {found[i].text for i in picked}
    copies: dict[int, None] = {}
    for i in chain(ranked.order.tolist(), openings):
        if len(picked) >= limit:
            break
        if (text := found[i].text) in wordings:
            copies[i] = None
        else:
            wordings.add(text)
            picked[i] = None
    return list(picked | copies)[:limit]


def _missing(ranked: Ranked, found: Sequence[_Candidate], picked: Sequence[int], per_node: int) -> list[int]:
    """The best passages of nodes from which fewer than `per_node` were picked."""
    lacking = {here.node.id: per_node for here in found}
    for i in picked:
        lacking[found[i].node.id] -= 1
    have = set(picked)
    added = []
    for i in [*ranked.order.tolist(), *range(len(found))]:
        node_id = found[i].node.id
        if lacking[node_id] > 0 and i not in have:
            have.add(i)
            added.append(i)
            lacking[node_id] -= 1
    return added
