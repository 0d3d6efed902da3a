"""From a corpus to its fictive twin: proposals of all kinds, taken in turn, refused where they collide, applied."""

from __future__ import annotations

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from trail_callbacks.canary.corpus import Corpus, Document, Skipped
from trail_callbacks.canary.edit import SIZES, Edit, EditKind, Replacement, Size
from trail_callbacks.canary.facts.protected import uneditable
from trail_callbacks.canary.facts.spans import Spans
from trail_callbacks.canary.perturbers import PERTURBERS, Proposal
from trail_callbacks.canary.perturbers.collisions import Present, collision
from trail_callbacks.canary.twin import TAG, Twin
from trail_callbacks.errors import InputError

__all__ = ["perturb"]

_EXAMPLES = 5  # refused edits that are listed one by one, for each reason
_ID = 16  # hexadecimal digits


def perturb(
    corpus: Corpus,
    *,
    seed: int = 0,
    kinds: Sequence[EditKind] = tuple(PERTURBERS),
    sizes: Sequence[Size] = SIZES,
    most: int | None = None,
    accept: Callable[[Edit], bool] | None = None,
    proposed: Iterable[Proposal] = (),
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
        accept: Asked of each edit that would be made, its id still empty; False leaves it out.
        proposed: Further proposals, such as edits that a model wrote; refused for the same reasons.

    Returns:
        The twin. `skipped` says which documents have no edit and which edits were refused, with reasons; of many
        refused for the same reason a few are named and the others counted.

    Raises:
        InputError: No document has any text, two have the same id, or an argument is out of range.
    """
    _check(corpus, kinds, sizes, most)
    copies = _copies(corpus)
    single = Corpus([document for document in corpus if document.id in copies])
    assembly = _Assembly(single, most, accept)
    rules = [PERTURBERS[kind](single, random.Random(f"{seed}:{kind}"), sizes) for kind in kinds]  # noqa: S311 - no secret
    assembly.take([*rules, iter(proposed)])
    order = {document.id: i for i, document in enumerate(corpus)}
    edits = tuple(_copied(edit, copies, order) for edit in _numbered(assembly.edits))
    texts = _applied(corpus, edits)
    id_ = _digest(seed, corpus, texts)
    fictive = tuple(
        Document(document.id, text, {**document.metadata, TAG: id_})
        for document, text in zip(corpus, texts, strict=True)
    )
    skipped = (*_untouched(corpus, copies, edits, assembly.refused), *_summed(assembly.refused))
    return Twin(id=id_, seed=seed, real=corpus, fictive=Corpus(fictive, corpus.skipped), edits=edits, skipped=skipped)


def _check(corpus: Corpus, kinds: Sequence[str], sizes: Sequence[str], most: int | None) -> None:
    if not any(document.text.strip() for document in corpus):
        found = f"all {len(corpus)} documents are blank" if len(corpus) else "it has no documents"
        message = f"The corpus cannot be perturbed: {found}. Give documents with text."
        raise InputError(message)
    repeated = [id_ for id_, n in Counter(document.id for document in corpus).items() if n > 1]
    if repeated:
        message = f"Several documents have the id {repeated[0]!r}: give each an id of its own."
        raise InputError(message)
    for name, given, known in (("kinds", kinds, tuple(PERTURBERS)), ("sizes", sizes, SIZES)):
        unknown = [each for each in given if each not in known]
        if unknown or not given:
            message = f"{name}={list(given)!r}: give one or more of {', '.join(known)}."
            raise InputError(message)
    if most is not None and most < 1:
        message = f"most={most}: give a number of edits from 1, or None."
        raise InputError(message)


def _copies(corpus: Corpus) -> dict[str, list[str]]:
    """Documents with the same text, by the first of them."""
    first: dict[str, str] = {}
    copies: dict[str, list[str]] = {}
    for document in corpus:
        copies.setdefault(first.setdefault(document.text, document.id), []).append(document.id)
    return copies


class _Assembly:
    """Takes proposals as long as they fit."""

    def __init__(self, corpus: Corpus, most: int | None, accept: Callable[[Edit], bool] | None) -> None:
        self.corpus = corpus
        self.most = most
        self.accept = accept
        self.present = Present(corpus)
        self.taken: dict[str, Spans] = defaultdict(Spans)
        self.edits: list[Edit] = []
        self.refused: list[tuple[str, Skipped]] = []  # with the document

    def take(self, perturbers: Sequence[Iterator[Proposal]]) -> None:
        """Asks each in turn for what fits next, until all are exhausted or enough was taken."""
        waiting = list(perturbers)
        while waiting and not self._full():
            waiting = [each for each in waiting if not self._full() and self._next(each)]

    def _full(self) -> bool:
        return self.most is not None and len(self.edits) >= self.most

    def _next(self, perturber: Iterator[Proposal]) -> bool:
        """Takes the next proposal that fits; False if there is none."""
        for proposal in perturber:
            if isinstance(proposal, Skipped):
                self.refused.append((proposal.place.partition(": ")[0], proposal))
                continue
            batch = (proposal,) if isinstance(proposal, Edit) else proposal
            if self.most is not None and len(batch) > self.most - len(self.edits):
                batch = _joined(batch, self.most - len(self.edits))
            why = self._problem(batch)
            if not why:
                self._take(batch)
                return True
            for edit in batch:
                at = edit.replacements[0].document if edit.replacements else ""
                self.refused.append((at, Skipped(f"{at}: {edit.kind} {edit.real!r}", why)))
        return False

    def _take(self, batch: Sequence[Edit]) -> None:
        for edit in batch:
            self.edits.append(edit)
            self.present.add(edit)
            for each in edit.replacements:
                self.taken[each.document].add(each.start, each.end)

    def _problem(self, batch: Sequence[Edit]) -> str:
        own: dict[str, Spans] = defaultdict(Spans)
        for edit in batch:
            if not edit.replacements:
                return "the edit changes nothing"
            for each in edit.replacements:
                if self.corpus[each.document].text[each.start : each.end] != each.old or each.old == each.new:
                    return f"it would replace {each.old!r} where that does not stand, or by itself"
                if self.taken[each.document].overlap(each.start, each.end):
                    return "another edit changes the same words"
                if own[each.document].overlap(each.start, each.end):
                    return "its own places overlap"
                own[each.document].add(each.start, each.end)
            if why := collision(edit, self.present):
                return why
        return "" if self.accept is None or all(map(self.accept, batch)) else "left out by the caller"


def _joined(batch: Sequence[Edit], n: int) -> tuple[Edit, ...]:
    """At most `n` edits that do the same: what is beyond them are consequences of the last."""
    last, *others = batch[n - 1 :]
    places = [*last.replacements, *(each for edit in others for each in edit.replacements)]
    own = [i for i in range(len(last.replacements)) if i not in set(last.repairs)]
    repairs = [i for i in range(len(places)) if i not in own]
    return (*batch[: n - 1], replace(last, replacements=places, repairs=repairs))


def _numbered(edits: Sequence[Edit]) -> Iterator[Edit]:
    n: Counter[str] = Counter()
    for edit in edits:
        n[edit.kind] += 1
        yield replace(edit, id=f"{edit.kind}-{n[edit.kind]}")


def _copied(edit: Edit, copies: Mapping[str, Sequence[str]], order: Mapping[str, int]) -> Edit:
    """The edit at its places in all documents with the same text, in order."""
    repairs = set(edit.repairs)
    places = [
        (order[id_], each.start, i in repairs, replace(each, document=id_))
        for i, each in enumerate(edit.replacements)
        for id_ in copies[each.document]
    ]
    places.sort(key=lambda place: place[:2])
    return replace(
        edit,
        replacements=tuple(place[-1] for place in places),
        repairs=tuple(i for i, (_, _, repair, _) in enumerate(places) if repair),
    )


def _applied(corpus: Corpus, edits: Sequence[Edit]) -> list[str]:
    places: dict[str, list[Replacement]] = defaultdict(list)
    for edit in edits:
        for each in edit.replacements:
            places[each.document].append(each)
    texts = []
    for document in corpus:
        parts, at = [], 0
        for each in sorted(places[document.id], key=lambda place: (place.start, place.end)):
            parts += [document.text[at : each.start], each.new]
            at = each.end
        texts.append("".join((*parts, document.text[at:])))
    return texts


def _digest(seed: int, corpus: Corpus, texts: Sequence[str]) -> str:
    made = hashlib.sha256(str(seed).encode())
    for document, text in zip(corpus, texts, strict=True):
        for part in (document.id, document.text, text):
            encoded = part.encode("utf-8", "surrogatepass")
            made.update(len(encoded).to_bytes(8, "big") + encoded)
    return made.hexdigest()[:_ID]


def _untouched(
    corpus: Corpus,
    copies: Mapping[str, Sequence[str]],
    edits: Sequence[Edit],
    refused: Sequence[tuple[str, Skipped]],
) -> Iterator[Skipped]:
    touched = {each.document for edit in edits for each in edit.replacements}
    first = {id_: group[0] for group in copies.values() for id_ in group}
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for id_, skipped in refused:
        reasons[id_][skipped.why] += 1
    for document in corpus:
        if first[document.id] != document.id:
            yield Skipped(document.id, f"repeats {first[document.id]!r}: has the same edits")
        elif document.id not in touched:
            why = uneditable(document.text)
            if not why and (known := reasons[document.id]):
                why = f"no edit of it was possible: {known.most_common(1)[0][0]}"
            yield Skipped(document.id, why or "no edit: no fact of the kinds asked for was found")


def _summed(refused: Sequence[tuple[str, Skipped]]) -> Iterator[Skipped]:
    """A few of each reason, and how many more there are."""
    by_reason: dict[str, list[Skipped]] = defaultdict(list)
    for _, skipped in refused:
        by_reason[skipped.why].append(skipped)
    for why, all_ in by_reason.items():
        yield from all_[:_EXAMPLES]
        if len(all_) > _EXAMPLES:
            yield Skipped(f"{len(all_) - _EXAMPLES} more", why)
