"""What makes edits: one module for each kind, each with a `propose`.

    propose(corpus, rng, sizes) -> Iterator[Proposal]

A perturber reads the whole corpus, finds what states one fact, and proposes edits with an empty id, best first. All
choices come from `rng`, never from the order of a set or from a hash. What it sees and has to leave alone it yields as
`Skipped`, with the reason; edits that are true together only it yields as a tuple, which is taken as a whole or not at
all. `perturb` refuses collisions and overlaps, gives ids and applies.

To add a kind: a name in `canary.edit.EditKind`, a module here, a line in `PERTURBERS`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, EditKind, Size
from trail_callbacks.canary.perturbers import (
    dates,
    inconsistency,
    modality,
    names,
    negation,
    nonce,
    numbers,
    order,
    removal,
    units,
)

__all__ = ["PERTURBERS", "Perturber", "Proposal"]

Proposal = Edit | tuple[Edit, ...] | Skipped
"""An edit, edits that belong together, or what was left alone and why."""

Perturber = Callable[[Corpus, random.Random, Sequence[Size]], Iterator[Proposal]]

PERTURBERS: Mapping[EditKind, Perturber] = {
    "number": numbers.propose,
    "date": dates.propose,
    "name": names.propose,
    "unit": units.propose,
    "order": order.propose,
    "negation": negation.propose,
    "modality": modality.propose,
    "unanswerable": removal.propose,
    "inconsistent": inconsistency.propose,
    "nonce": nonce.propose,
}
"""By kind, in the order in which `perturb` asks them."""
