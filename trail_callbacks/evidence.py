"""Evidence: sentences of the leaves that speak for or against a claim, and how candidates are found."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Literal, cast

from trail_callbacks.claims import Claim
from trail_callbacks.errors import InputError
from trail_callbacks.graph import Node
from trail_callbacks.quantities import quantities
from trail_callbacks.terms import keys, terms
from trail_callbacks.text import sentences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Evidence", "Passage", "candidates", "quoted"]

_LONGEST = 600  # signs; a longer "sentence" has no punctuation, and would hide what in it decides
_DEPTH = 1000  # ranked passages looked at for a claim; enough to get past copies of one sentence
_BREAK = re.compile(r"\s+")
_WORD = re.compile(r"\w")


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
        before: What stands ahead of it, for reading only: the sentence before, the head of its table.
        after: What follows it, likewise.
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

    Sentences are ranked by BM25 over stems (Robertson and Zaragoza 2009), where numbers and names of the claim count
    double. If fewer than `limit` share a word with the claim, the first sentences of the nodes fill up: a judge that
    reads several languages may still find the evidence there. A sentence that several nodes share comes once before
    others are considered, so copies do not crowd out what differs.

    Args:
        claims: What is to be judged.
        nodes: Where evidence may stand.
        limit: Passages a claim, 1 or more.
        per_node: At least so many of the best passages of every node, 0 or more, even beyond `limit`: then no node is
            left unread because others say the same or say more.

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
    spans = [(node, start, end) for node in nodes for start, end in _spans(node.text)]
    texts = [node.text[start:end] for node, start, end in spans]
    openings = _openings(spans, limit)
    chosen = {}
    for claim, order in zip(claims, _ranking(claims, texts), strict=True):
        picked = _pick(order[:_DEPTH], openings, texts, limit)
        chosen[claim.id] = [*picked, *_missing(order, spans, picked, per_node)] if per_node else picked
    used = sorted({i for picked in chosen.values() for i in picked})
    passages = {
        i: Passage(id=f"s{n}", node_id=spans[i][0].id, start=spans[i][1], end=spans[i][2], text=texts[i])
        for n, i in enumerate(used, 1)
    }
    return {claim_id: tuple(passages[i] for i in picked) for claim_id, picked in chosen.items()}


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """The passages of a text: sentences that hold a word, each wording once, cut where they are too long."""
    seen = set()
    for sentence in sentences(text):
        for start, end in _cut(sentence.text):
            part = sentence.text[start:end]
            if part not in seen and _WORD.search(part):
                seen.add(part)
                yield sentence.start + start, sentence.start + end


def _cut(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while len(text) - start > _LONGEST:
        gaps = [gap.span() for gap in _BREAK.finditer(text, start + _LONGEST // 2, start + _LONGEST)]
        end, after = gaps[-1] if gaps else (start + _LONGEST, start + _LONGEST)
        yield start, end
        start = after
    yield start, len(text)


def _openings(spans: Sequence[tuple[Node, int, int]], limit: int) -> list[int]:
    """The first sentence of each node, then the second of each, and so on."""
    seen: dict[str, int] = {}
    places = []
    for i, (node, _, _) in enumerate(spans):
        place = seen[node.id] = seen.get(node.id, -1) + 1
        if place < limit:
            places.append((place, i))
    return [i for _, i in sorted(places)]


def _pick(order: NDArray[np.int64], openings: Sequence[int], texts: Sequence[str], limit: int) -> list[int]:
    first: dict[str, int] = {}
    copies = []
    for i in [*order.tolist(), *openings]:
        if first.setdefault(texts[i], i) != i:
            copies.append(i)
        if len(first) == limit:
            break
    picked = list(first.values())
    return list(dict.fromkeys([*picked, *copies]))[:limit]


def _missing(
    order: NDArray[np.int64], spans: Sequence[tuple[Node, int, int]], picked: Sequence[int], per_node: int
) -> list[int]:
    """The best passages of the nodes of which fewer than `per_node` were picked."""
    lacking = {node.id: per_node for node, _, _ in spans}
    for i in picked:
        lacking[spans[i][0].id] -= 1
    have = set(picked)
    added = []
    for i in [*order.tolist(), *range(len(spans))]:
        node_id = spans[i][0].id
        if lacking[node_id] > 0 and i not in have:
            have.add(i)
            added.append(i)
            lacking[node_id] -= 1
    return added


def _ranking(claims: Sequence[Claim], texts: Sequence[str]) -> Iterator[NDArray[np.int64]]:
    """For each claim the indices of the passages that share a key with it, best first; ties in order of the text."""
    import numpy as np  # noqa: PLC0415 - capturing a run does not need it

    bm25s = _bm25s()
    vocabulary: dict[str, int] = {}
    corpus = [[vocabulary.setdefault(key, len(vocabulary)) for key in keys(text)] for text in texts]
    index = None
    if vocabulary:
        index = bm25s.BM25()
        index.index((corpus, vocabulary), create_empty_token=False, show_progress=False)
    for claim in claims:
        query = [vocabulary[key] for key in _query(claim.text) if key in vocabulary]
        if index is None or not query:
            yield np.empty(0, np.int64)
            continue
        scores = index.get_scores_from_ids(query)
        hits = np.flatnonzero(scores > 0)
        yield hits[np.argsort(-scores[hits], kind="stable")]


def _bm25s() -> ModuleType:
    """Imports bm25s, which sets its logger to DEBUG: its lines would appear in the host's log."""
    loaded = "bm25s" in sys.modules
    import bm25s  # noqa: PLC0415 - heavy, and needed only here

    if not loaded:  # who imported it before us decided about its logger, too
        logging.getLogger("bm25s").setLevel(logging.WARNING)
    return cast("ModuleType", bm25s)


def _query(text: str) -> list[str]:
    """The keys of a claim; names twice, and numbers in every magnitude they may be written in."""
    asked = keys(text)
    for term in terms(text):
        if term.kind == "name":
            asked += keys(text[term.start : term.end])
    for quantity in quantities(text):
        asked += [f"{quantity.raw / scale:.10g}" for scale in (1, 1e3, 1e6, 1e9)]
    return asked
