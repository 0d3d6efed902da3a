"""What makes edits: for each kind, how a corpus is searched for facts of it and how they are changed.

    propose(corpus, rng, sizes) -> Iterator[Proposal]

A perturber reads the whole corpus, finds what states one fact, and proposes edits with an empty id, best first. All
choices come from `rng`, never from the order of a set or from a hash. What it sees and has to leave alone it yields as
`Skipped`, with the reason; edits that are true together only it yields as a tuple, which is taken as a whole or not at
all. `perturb` refuses collisions and overlaps, gives ids, applies, reads the twin again (`rereading`) and refuses what
does not hold there.

To add a kind: a name in `canary.edit.EditKind`, a function here, a line in `PERTURBERS`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, EditKind, Size
from trail_callbacks.canary.perturbers import dates, inconsistency, names, numbers, removal, units, wording

__all__ = ["PERTURBERS", "Perturber", "Proposal"]

Proposal = Edit | tuple[Edit, ...] | Skipped
"""An edit, edits that belong together, or what was left alone and why."""

Perturber = Callable[[Corpus, random.Random, Sequence[Size]], Iterator[Proposal]]

PERTURBERS: Mapping[EditKind, Perturber] = {
    "number": numbers.propose,
    "date": dates.propose,
    "name": names.propose,
    "unit": units.propose,
    "order": wording.propose_order,
    "negation": wording.propose_negation,
    "modality": wording.propose_modality,
    "unanswerable": removal.propose,
    "inconsistent": inconsistency.propose,
    "nonce": names.propose_nonce,
}
"""By kind, in the order in which `perturb` asks them."""
