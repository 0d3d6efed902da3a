"""The steps that ordered passages anew, dropped some, or changed their texts: rerankers, compressors, filters, fusion.

A retriever around others is such a step: what goes in is what those brought. Any other is a step of code with documents
on both sides, the same ones. Code that only passes documents on is none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trail_callbacks.capture.events import FILTER
from trail_callbacks.capture.runs import CapturedRun, Slot, document_key, is_original
from trail_callbacks.graph import Node
from trail_callbacks.trace.retrievals import Reading, bringers, score_of
from trail_callbacks.trace.steps import Reranked, Reranking

_PAIRS = 100_000  # of documents without an id that are compared by their metadata


@dataclass(slots=True)
class RankedPassage:
    """One passage that went into a step."""

    slot: Slot
    node: Node
    rank: int
    after: Slot | None = None
    rank_after: int | None = None


@dataclass(slots=True)
class Selection:
    """A step that selects and orders passages."""

    run: CapturedRun
    passages: list[RankedPassage]


def rerankings(reading: Reading) -> tuple[Reranking, ...]:
    """Returns every reranking or filtering, in the order of the starts."""
    return tuple(
        Reranking(run_id=each.run.id, step=each.run.step, ranked=tuple(_ranked(passage) for passage in each.passages))
        for each in reading.once(selections)
    )


def _ranked(passage: RankedPassage) -> Reranked:
    before, after = passage.slot.piece.attributes, passage.after and passage.after.piece.attributes
    return Reranked(
        node_id=passage.node.id,
        rank_in=passage.rank,
        rank_out=passage.rank_after,
        score=score if (score := score_of(after or {})) != score_of(before) else None,
        reason=_reason(passage),
        kept=_kept(passage),
    )


def _kept(passage: RankedPassage) -> float:
    before = len(passage.slot.piece.text.strip())
    return min(1.0, len(passage.after.piece.text.strip()) / max(1, before)) if passage.after else 0.0


def _reason(passage: RankedPassage) -> str | None:
    note = passage.slot.piece.attributes.get(FILTER)
    reasons = note.get("reasons") if isinstance(note, Mapping) else None
    kinds = [str(each.get("kind") or each.get("check") or "") for each in reasons or () if isinstance(each, Mapping)]
    return ", ".join(dict.fromkeys(filter(None, kinds))) or None


def selections(reading: Reading) -> list[Selection]:
    """Returns the steps that selected passages, in the order of the starts."""
    brought = {run: [slot for slot, _ in found] for run, found in reading.once(bringers)}
    above: dict[CapturedRun, list[CapturedRun]] = defaultdict(list)  # a retriever, and the nearest retrievers inside it
    fetching: set[CapturedRun] = set()
    for run in reading.runs:
        if run.kind == "retriever":
            fetching.update(run.ancestors)
            outer = next((each for each in run.ancestors if each.kind == "retriever"), None)
            if outer is not None:
                above[outer].append(run)
    found: dict[CapturedRun, Selection] = {}
    selecting: set[CapturedRun] = set()  # runs with a selection inside them
    for run in reversed(reading.runs):  # those inside a run come before it
        if run.kind == "retriever" and run in above:
            selection = _outer(reading, run, above[run], found, brought)
        elif run.kind == "chain" and run not in fetching and run not in selecting:
            selection = _code(reading, run)
        else:
            continue
        if selection is not None:
            found[run] = selection
            selecting.update(run.ancestors)
    return [found[run] for run in reading.runs if run in found]


def _outer(
    reading: Reading,
    run: CapturedRun,
    inner: Sequence[CapturedRun],
    found: Mapping[CapturedRun, Selection],
    brought: Mapping[CapturedRun, Sequence[Slot]],
) -> Selection | None:
    """A retriever around others: fusion, compression, reranking."""
    if run.failed or run.end == float("inf"):
        return None
    stages = [each for each in found if each.kind == "chain" and each.within(run)]
    pools = [inner_run.outputs for inner_run in sorted(inner, key=lambda each: each.start)]
    if stages:  # our filter as a compressor reports itself
        pools = [max(stages, key=lambda each: each.end).outputs]
    passages: dict[str, RankedPassage] = {}
    for pool in pools:
        for rank, slot in enumerate(reading.documents(pool), 1):
            node = reading.node(slot)
            if node is not None:
                known = passages.setdefault(node.id, RankedPassage(slot, node, rank))
                known.rank = min(known.rank, rank)
    own = {id(slot) for slot in brought.get(run, ())}
    after = reading.documents(run.outputs)
    if not passages:
        return None
    found_by = list(passages.values())
    _match(found_by, after, own)
    return None if len(pools) == 1 and not own and _unchanged(found_by) else Selection(run, found_by)


def _unchanged(passages: Sequence[RankedPassage]) -> bool:
    """Whether all of them came out as they went in."""
    return all(
        passage.rank_after == place
        and passage.after is not None
        and passage.after.piece.text == passage.slot.piece.text
        and score_of(passage.after.piece.attributes) == score_of(passage.slot.piece.attributes)
        for place, passage in enumerate(passages, 1)
    )


def _code(reading: Reading, run: CapturedRun) -> Selection | None:
    """A step of code with the same documents on both sides, if it changed anything."""
    if run.failed or run.end == float("inf"):
        return None
    before = reading.documents(run.inputs)
    passages: list[RankedPassage] = []
    for slot in before:
        node = reading.node(slot)
        if node is not None:
            passages.append(RankedPassage(slot, node, len(passages) + 1))
    if not passages:
        return None
    filtered = any(FILTER in passage.slot.piece.attributes for passage in passages)
    after = reading.documents(run.outputs)
    if not after and not filtered and (run.outputs or run.children or run.hints.channels):
        return None  # it made something else of them
    _match(passages, after, frozenset())
    kept = [passage for passage in passages if passage.after is not None]
    if after and not kept and not filtered:
        return None
    return None if _unchanged(passages) and not filtered else Selection(run, passages)


def _match(passages: Sequence[RankedPassage], after: Sequence[Slot], own: frozenset[int] | set[int]) -> None:
    """Finds what became of each passage: by text and id, by object, by id, or by metadata if its text was changed."""
    by_key: dict[object, RankedPassage] = {}
    by_ref: dict[int, RankedPassage] = {}
    by_id: dict[str, RankedPassage] = {}
    for passage in passages:
        piece = passage.slot.piece
        by_key.setdefault(document_key(piece), passage)
        by_key.setdefault(piece.text.strip(), passage)
        if piece.ref is not None:
            by_ref.setdefault(piece.ref, passage)
        if piece.id is not None:
            by_id.setdefault(piece.id, passage)
    rest: list[tuple[int, Slot]] = []
    for rank, slot in enumerate(after, 1):
        piece = slot.piece
        known = (
            by_key.get(document_key(piece))
            or (by_ref.get(piece.ref) if piece.ref is not None else None)
            or (by_id.get(piece.id) if piece.id is not None else None)
            or (by_key.get(piece.text.strip()) if piece.text.strip() else None)
        )
        if known is None and id(slot) not in own:
            rest.append((rank, slot))
        elif known is not None and known.after is None:
            known.after, known.rank_after = slot, rank
    if len(rest) * len(passages) <= _PAIRS:
        for rank, slot in rest:
            _by_metadata(passages, rank, slot)


def _by_metadata(passages: Sequence[RankedPassage], rank: int, slot: Slot) -> None:
    for passage in passages:
        if passage.after is None and passage.slot.piece.id is None and is_original(passage.slot.piece, slot.piece):
            passage.after, passage.rank_after = slot, rank
            return
