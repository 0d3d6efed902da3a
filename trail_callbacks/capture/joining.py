"""Root runs of one block of code as one run tree: `retriever.invoke()` and then `model.invoke()`, no chain around."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from trail_callbacks.capture.events import Event, Piece, RunEnded, RunStarted, with_pieces
from trail_callbacks.capture.match import Text, TextIndex, overlap, values
from trail_callbacks.capture.runs import CapturedRun, question_first, tree

_REF = 1 << 64  # object identities are smaller


def joined(roots: Sequence[Sequence[Event]]) -> tuple[Event, ...]:
    """Joins a root run with the earlier ones whose outputs it read."""
    trees = [tree(events) for events in roots]
    used = _used(trees)
    if len(used) < 2:  # noqa: PLR2004 - the last one alone
        return tuple(roots[-1])
    last = trees[-1][0]
    name, around = last.name, f"{last.id}/block"
    inputs = next((given for place in reversed(used) if (given := _asked(trees, place, used))), ())
    start = RunStarted(seq=1, run_id=around, parent_id=None, kind="chain", name=name, inputs=inputs)
    asked = next(event for event in roots[-1] if isinstance(event, RunStarted))
    began = roots[used[0]][0].at
    events: list[Event] = [replace(start, at=began, tags=asked.tags, metadata=asked.metadata)]
    for place in used:
        for event in roots[place]:
            there = moved(event, len(events) + 1, len(roots) - 1 - place)
            if isinstance(there, RunStarted) and there.run_id == trees[place][0].id:
                there = replace(there, parent_id=around)
            events.append(there)
    events += _end(roots[-1], last.id, around, len(events) + 1)
    return tuple(events)


def _end(events: Sequence[Event], root: str, around: str, seq: int) -> Iterator[Event]:
    for event in events:
        if event.run_id == root and not isinstance(event, RunStarted):
            ended = replace(event, seq=seq, run_id=around, inputs=None)
            yield replace(ended, more_inputs=()) if isinstance(ended, RunEnded) else ended


def _used(trees: Sequence[Sequence[CapturedRun]]) -> list[int]:
    """The places of the last tree and of those before it whose outputs it read, itself or by way of another."""
    index = TextIndex()
    producers: dict[Text, set[int]] = defaultdict(set)
    short: dict[Text, set[str]] = defaultdict(set)
    for place, runs in enumerate(trees[:-1]):
        for slot in runs[0].outputs if runs and not runs[0].failed else ():
            text = index.text(slot.piece.text)
            index.add(text)
            producers[text].add(place)
            if not text.distinctive:
                short[text] |= {each.piece.text for run in runs for each in run.inputs}
    used, todo = {len(trees) - 1}, [len(trees) - 1]
    while todo:
        here = todo.pop()
        read = {slot.piece.text for run in trees[here] for slot in run.inputs if slot.piece.text.strip()}
        for target in map(index.text, read):
            said = (source for source, before in short.items() if values(source, target, before))
            for source in (target, *index.find(target), *said):
                more = {place for place in producers.get(source, ()) if place < here} - used
                used |= more
                todo += more
    return sorted(used)


def _asked(trees: Sequence[Sequence[CapturedRun]], place: int, used: Sequence[int]) -> tuple[Piece, ...]:
    """The inputs of a root that were not made from another's outputs, if the user's request is among them."""
    root = trees[place][0]
    before = [slot for each in used if each < place for slot in trees[each][0].outputs]
    texts = TextIndex()
    made = {slot.piece.text.strip() for slot in before}
    own = [
        slot
        for slot in root.inputs
        if slot.piece.text.strip() not in made
        and not any(overlap(texts.text(each.piece.text), texts.text(slot.piece.text)) for each in before)
    ]
    asked = question_first(own)
    is_request = asked is not None and asked.piece.role in {None, "user"}  # a prompt may have only orders left
    return tuple(replace(slot.piece, ref=None) for slot in own) if is_request else ()


def moved(event: Event, seq: int, before: int) -> Event:
    """Returns an event at another place, with identities of objects that no later root has: `before` how many of them.

    An earlier root's objects are gone, and others may have theirs.
    """
    shift = before * _REF

    def pieces(given: tuple[Piece, ...]) -> tuple[Piece, ...]:
        return tuple(piece if piece.ref is None else replace(piece, ref=piece.ref + shift) for piece in given)

    return with_pieces(event, pieces, seq=seq)
