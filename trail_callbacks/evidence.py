"""Evidence: sentences of the leaves that speak for or against a claim, and how candidates are found."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from trail_callbacks.claims import Claim
from trail_callbacks.errors import InputError
from trail_callbacks.graph import Node
from trail_callbacks.retrieval.ranking import Index, Ranked, Surroundings

if TYPE_CHECKING:
    from trail_callbacks.retrieval.passages import Span

__all__ = ["Evidence", "Passage", "candidates", "passages", "quoted"]

_TITLE = 120  # signs of the opening of a text that are shown with its passages
_TELLING = 60  # signs; a longer sentence says the same wherever it stands


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A verbatim passage of a node that supports or contradicts a claim.

    Attributes:
        node_id: The node that holds it.
        start: Offset in the node's text.
        end: Offset after it.
        quote: `node.text[start:end]`, verbatim.
        relation: `supports` or `contradicts`.
    """

    node_id: str
    start: int
    end: int
    quote: str
    relation: Literal["supports", "contradicts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A candidate sentence that a judge may point to.

    Attributes:
        id: Unique within one verification, e.g. `s12`; judges answer with these ids, code checks them.
        node_id: The node that holds it.
        start: Offset in the node's text.
        end: Offset after it.
        text: `node.text[start:end]`, verbatim.
        before: What stands ahead of it, for reading only, a line each: the opening of its text; the sentence before,
            the head of its table or the first fields of the records around it.
        after: What follows it, likewise. Sentences are cut to 200 signs.
        address: Where in a table or JSON it stands, e.g. `row 3` or `$.data[0].price`; empty for prose.
    """

    id: str
    node_id: str
    start: int
    end: int
    text: str
    before: str = ""
    after: str = ""
    address: str = ""


def quoted(passage: Passage, relation: Literal["supports", "contradicts"]) -> Evidence:
    """Makes a passage the evidence of a verdict."""
    return Evidence(
        node_id=passage.node_id, start=passage.start, end=passage.end, quote=passage.text, relation=relation
    )


def candidates(
    claims: Sequence[Claim], nodes: Sequence[Node], limit: int, *, per_node: int = 0
) -> dict[str, tuple[Passage, ...]]:
    """Finds, for each claim, the sentences of the nodes that most likely speak for or against it.

    Passages are ranked by the words, numbers and names that they share with the claim, in themselves or just around
    them (see `trail_callbacks.retrieval.ranking`), and picked so that together they cover it. If fewer than `limit`
    share anything, the first of each node fill up: a judge that reads several languages may still find the evidence
    there. What several nodes share comes once before others are considered, so copies do not crowd out what differs.

    Args:
        claims: What is to be judged.
        nodes: Where evidence may stand.
        limit: Passages a claim, 1 or more.
        per_node: At least so many passages of every node, 0 or more, even beyond `limit`: then no node is left unread
            because others say the same or say more. Where too few were picked, its best that are left are added.

    Returns:
        Passages by claim id, most relevant first, then those that `per_node` adds. A passage has the same id for all
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


def passages(node: Node, ids: Iterator[str]) -> tuple[Passage, ...]:
    """Reads a node as passages, each with the next of some ids. A sentence that it repeats comes once."""
    found = list(_of(node))
    return tuple(_passage(found, i, 0, id_) for i, id_ in zip(range(len(found)), ids, strict=False))


class _Found(NamedTuple):
    node: Node
    span: Span
    is_opening: bool

    @property
    def text(self) -> str:
        return self.node.text[self.span.start : self.span.end]

    def beside(self, other: _Found) -> bool:
        """Whether they are of one running text, or of one field."""
        return self.node is other.node and self.span.place is other.span.place


def _of(node: Node) -> Iterator[_Found]:
    """The passages of a node; a sentence that it repeats comes once."""
    from trail_callbacks.retrieval.passages import spans  # noqa: PLC0415 - capturing a run does not need it

    seen: set[tuple[str, str]] = set()
    previous = ""
    for n, span in enumerate(spans(node.text)):
        text = node.text[span.start : span.end]
        wording = ("" if len(text) >= _TELLING else previous, text)
        if span.place is not None or (wording not in seen and text != previous):
            seen.add(wording)
            yield _Found(node, span, n == 0)
        previous = text


def _surroundings(found: Sequence[_Found]) -> Iterator[Surroundings]:
    opening = ""
    for i, here in enumerate(found):
        text = here.text
        before = found[i - 1].text if i and here.beside(found[i - 1]) else ""
        lead = here.span.place.lead(here.node.text) if here.span.place else ""
        heads = (lead,) if here.is_opening else (lead, opening)
        if here.is_opening:
            opening = text
        # A short sentence (`It opened in 1932.`) says something else behind another.
        wording = text if len(text) >= _TELLING and not lead else f"{before}\n{lead}\n{text}"
        yield Surroundings(text, wording, before, heads)


def _passage(found: Sequence[_Found], i: int, opening: int, id_: str) -> Passage:
    from trail_callbacks.retrieval.passages import clip  # noqa: PLC0415 - as above

    node, (start, end, place), _ = here = found[i]
    before = after = ""
    if i > opening and here.beside(found[i - 1]):
        before = clip(found[i - 1].text, tail=True)
    elif place is not None:
        before = place.lead(node.text)
    title = clip(found[opening].text, size=_TITLE)
    if i > opening + 1 and title not in before:
        before = f"{title}\n{before}" if before else title
    if i + 1 < len(found) and here.beside(found[i + 1]):
        after = clip(found[i + 1].text)
    address = place.address if place else ""
    return Passage(
        id=id_, node_id=node.id, start=start, end=end, text=here.text, before=before, after=after, address=address
    )


def _openings(found: Sequence[_Found], limit: int) -> list[int]:
    """The first passage of each node, then the second of each, and so on."""
    seen: dict[str, int] = {}
    places = []
    for i, here in enumerate(found):
        place = seen[here.node.id] = seen.get(here.node.id, -1) + 1
        if place < limit:
            places.append((place, i))
    return [i for _, i in sorted(places)]


def _pick(ranked: Ranked, openings: Sequence[int], found: Sequence[_Found], limit: int) -> list[int]:
    """What shares something with the claim, each wording once; then openings; then copies."""
    picked = dict.fromkeys(ranked.picks.tolist())
    if len(picked) < limit:
        texts = {found[i].text for i in picked}
        copies = []
        for i in [*ranked.order.tolist(), *openings]:
            if found[i].text not in texts:
                texts.add(found[i].text)
                picked[i] = None
            elif i not in picked:
                copies.append(i)
            if len(picked) == limit:
                break
        picked |= dict.fromkeys(copies)
    return list(picked)[:limit]


def _missing(ranked: Ranked, found: Sequence[_Found], picked: Sequence[int], per_node: int) -> list[int]:
    """The best passages of the nodes of which fewer than `per_node` were picked."""
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
