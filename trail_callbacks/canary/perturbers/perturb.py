"""From a corpus to its fictive twin: proposals of all kinds, taken in turn, applied, and read again.

For each kind `propose` finds what states one fact and proposes edits with an empty id. All choices come from `rng`,
never from the order of a set or from a hash. What it sees and has to leave alone it yields as `Skipped`, with the
reason; edits that are true together only it yields as a tuple, which is taken as a whole or not at all. `accept` says
why an edit does not hold in the twin, or nothing. A new kind is a name in `EditKind`, and a line in `KINDS`.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from trail_callbacks.canary.corpus import Corpus, Document, Skipped
from trail_callbacks.canary.facts.pages import Page
from trail_callbacks.canary.facts.protected import Spans
from trail_callbacks.canary.facts.reading import FactReading
from trail_callbacks.canary.perturbers import dates, names, numbers, removal, wording
from trail_callbacks.canary.perturbers.rereading import Rereading, dates_stand, names_are_gone, values_hold
from trail_callbacks.canary.twin import SIZES, TAG, Edit, EditKind, Replacement, Size, Twin, applied
from trail_callbacks.errors import InputError

_ID = 16  # hexadecimal digits

_Batch = tuple[Edit, ...]
"""Edits that are true together only."""

Proposal = Edit | _Batch | Skipped
"""An edit, edits that belong together, or what was left alone and why."""


class Kind(NamedTuple):
    """A kind of edits."""

    propose: Callable[[FactReading, random.Random, Sequence[Size]], Iterator[Proposal]]
    accept: Callable[[Edit, Rereading], str] = lambda _edit, _twin: ""  # what was said is not said any more


KINDS: Mapping[EditKind, Kind] = {
    "number": Kind(numbers.propose, values_hold),
    "date": Kind(dates.propose, dates_stand),
    "name": Kind(names.propose, names_are_gone),
    "unit": Kind(numbers.propose_units, values_hold),
    "order": Kind(wording.turning("order")),
    "negation": Kind(wording.turning("negation")),
    "modality": Kind(wording.turning("modality")),
    "unanswerable": Kind(removal.propose),
    "inconsistent": Kind(numbers.propose_inconsistent, values_hold),
    "nonce": Kind(names.propose_nonce, names_are_gone),
}
"""By name, in the order in which `perturb` asks them."""


def perturb(
    corpus: Corpus,
    *,
    seed: int = 0,
    kinds: Sequence[EditKind] = tuple(KINDS),
    sizes: Sequence[Size] = SIZES,
    most: int | None = None,
) -> Twin:
    """Makes the fictive twin of a corpus.

    The same corpus, seed and arguments give the same twin, byte for byte, in any process. The kinds take turns, so that
    the commonest one does not fill the twin. Documents with the same text get the same edits.

    Args:
        corpus: The real documents.
        seed: Of all choices.
        kinds: What may be changed.
        sizes: How far, where the kind has a scale; each size is drawn about equally often.
        most: Most edits to make; None for as many as there are.

    Returns:
        The twin. `skipped` says which documents have no edit and which edits were refused, with reasons.

    Raises:
        InputError: No document has any text, two have the same id, or an argument is out of range.
    """
    _check(corpus, kinds, sizes, most)
    first: dict[str, str] = {}
    copies: dict[str, list[str]] = defaultdict(list)  # documents with the same text, by the first of them
    for document in corpus:
        copies[first.setdefault(document.text, document.id)].append(document.id)
    single = Corpus([document for document in corpus if document.id in copies])
    assembly = _Assembly(FactReading(single), most)
    assembly.take({kind: random.Random(f"{seed}:{kind}") for kind in kinds}, sizes)  # noqa: S311 - no secret
    assembly.read_again()
    order = {document.id: i for i, document in enumerate(corpus)}
    n: dict[str, Iterator[int]] = defaultdict(lambda: count(1))
    edits = tuple(_copied(edit, next(n[edit.kind]), copies, order) for edit in assembly.edits)
    places: dict[str, list[Replacement]] = defaultdict(list)
    for edit in edits:
        for each in edit.replacements:
            places[each.document].append(each)
    texts = {document.id: applied(document.text, places[document.id])[0] for document in corpus}
    id_ = _digest(seed, corpus, texts)
    fictive = tuple(Document(each.id, texts[each.id], {**each.metadata, TAG: id_}) for each in corpus)
    skipped = (*_untouched(corpus, first, edits, assembly.refused), *(each for _, each in assembly.refused))
    return Twin(id=id_, seed=seed, real=corpus, fictive=Corpus(fictive, corpus.skipped), edits=edits, skipped=skipped)


def _check(corpus: Corpus, kinds: Sequence[str], sizes: Sequence[str], most: int | None) -> None:
    if not any(document.text.strip() for document in corpus):
        found = f"all {len(corpus)} documents are blank" if len(corpus) else "it has no documents"
        raise InputError(f"The corpus cannot be perturbed: {found}. Give documents with text.")
    repeated = [id_ for id_, n in Counter(document.id for document in corpus).items() if n > 1]
    if repeated:
        raise InputError(f"Several documents have the id {repeated[0]!r}: give each an id of its own.")
    for name, given, known in (("kinds", kinds, tuple(KINDS)), ("sizes", sizes, SIZES)):
        if not given or not set(given) <= set(known):
            raise InputError(f"{name}={list(given)!r}: give one or more of {', '.join(known)}.")
    if most is not None and most < 1:
        raise InputError(f"most={most}: give a number of edits from 1, or None.")


class _Assembly:
    """Takes proposals as long as they fit, and gives up those that do not hold in the twin."""

    def __init__(self, reading: FactReading, most: int | None) -> None:
        self._reading = reading
        self._most = sys.maxsize if most is None else most
        self._taken: dict[str, Spans] = defaultdict(Spans)
        self._batches: list[_Batch] = []
        self.refused: list[tuple[str, Skipped]] = []  # with the document

    @property
    def edits(self) -> list[Edit]:
        """All that were taken, in order."""
        return [edit for batch in self._batches for edit in batch]

    def take(self, kinds: Mapping[EditKind, random.Random], sizes: Sequence[Size]) -> None:
        """Asks each kind in turn for what fits next, until all are exhausted or enough was taken."""
        waiting = [KINDS[kind].propose(self._reading, rng, sizes) for kind, rng in kinds.items()]
        room = self._most
        while waiting and room:
            for proposals in list(waiting):
                batch = self._next(proposals, room) if room else ()
                room -= len(batch)
                if room and not batch:
                    waiting.remove(proposals)

    def read_again(self) -> None:
        """Gives up what does not hold in the twin, until all does."""
        known: dict[str, Page] = {}
        while True:
            twin = Rereading(self._reading, self.edits, known)
            batches, self._batches = self._batches, []
            for batch in batches:
                if why := next((why for edit in batch if (why := KINDS[edit.kind].accept(edit, twin))), ""):
                    self._refuse(batch, why)
                else:
                    self._batches.append(batch)
            if len(self._batches) == len(batches):
                return

    def _next(self, proposals: Iterator[Proposal], room: int) -> _Batch:
        """Takes the next proposal that fits; nothing if there is none."""
        for proposal in proposals:
            if isinstance(proposal, Skipped):
                self.refused.append((proposal.place.partition(": ")[0], proposal))
                continue
            batch = (proposal,) if isinstance(proposal, Edit) else proposal
            places = [(each.document, each.start, each.end) for edit in batch for each in edit.replacements]
            if any(self._taken[document].overlap(*span) for document, *span in places):
                self._refuse(batch, "another edit changes the same words")
            elif len(batch) > room:
                self._refuse(batch, "more dates change with it than edits were asked for")
            else:
                self._batches.append(batch)
                for edit in batch if batch[0].kind in {"number", "unit", "inconsistent"} else ():
                    pages = [self._reading.by_id[each.document] for each in edit.replacements]
                    for words in (edit.fictive, edit.also):
                        self._reading.stated.add(words or "", pages)
                for document, *span in places:
                    self._taken[document].add(*span)
                return batch
        return ()

    def _refuse(self, batch: _Batch, why: str) -> None:
        for edit in batch:
            at = edit.replacements[0].document
            self.refused.append((at, Skipped(f"{at}: {edit.kind} {edit.real!r}", why)))


def _copied(edit: Edit, n: int, copies: Mapping[str, Sequence[str]], order: Mapping[str, int]) -> Edit:
    """The edit with its id, at its places in all documents with the same text, in order."""
    places = [
        (order[id_], each.start, i in edit.repairs, replace(each, document=id_))
        for i, each in enumerate(edit.replacements)
        for id_ in copies[each.document]
    ]
    places.sort(key=lambda place: place[:2])
    repairs = tuple(i for i, (_, _, repair, _) in enumerate(places) if repair)
    id_ = f"{edit.kind}-{n}"
    return replace(edit, id=id_, replacements=tuple(place[-1] for place in places), repairs=repairs)


def _digest(seed: int, corpus: Corpus, texts: Mapping[str, str]) -> str:
    parts = json.dumps([seed, *([each.id, each.text, texts[each.id]] for each in corpus)])
    return hashlib.sha256(parts.encode()).hexdigest()[:_ID]


def _untouched(
    corpus: Corpus, first: Mapping[str, str], edits: Sequence[Edit], refused: Sequence[tuple[str, Skipped]]
) -> Iterator[Skipped]:
    touched = {each.document for edit in edits for each in edit.replacements}
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for id_, skipped in refused:
        reasons[id_][skipped.why] += 1
    for document in corpus:
        if (same := first[document.text]) != document.id:
            yield Skipped(document.id, f"repeats {same!r}: has the same edits")
        elif document.id not in touched:
            known = [f"no edit of it was possible: {why}" for why, _ in reasons[document.id].most_common(1)]
            yield Skipped(document.id, *known or ["no edit: no fact of the kinds asked for was found"])
