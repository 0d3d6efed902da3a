"""What makes edits: for each kind, how a corpus is searched for facts of it, and what has to hold of them in the twin.

`propose` finds what states one fact and proposes edits with an empty id, best first. All choices come from `rng`, never
from the order of a set or from a hash. What it sees and has to leave alone it yields as `Skipped`, with the reason;
edits that are true together only it yields as a tuple, which is taken as a whole or not at all. `perturb` refuses
overlaps, applies, and reads the twin again; `accept` says why an edit does not hold there, or nothing.

To add a kind: a name in `canary.twin.EditKind`, and a line in `KINDS`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.facts.reading import FactReading
from trail_callbacks.canary.perturbers import dates, names, numbers, removal, units, wording
from trail_callbacks.canary.perturbers.rereading import Rereading, dates_stand, is_gone, names_are_gone, values_hold
from trail_callbacks.canary.twin import Edit, EditKind, Size

__all__ = ["KINDS", "Kind", "Proposal"]

Proposal = Edit | tuple[Edit, ...] | Skipped
"""An edit, edits that belong together, or what was left alone and why."""


class Kind(NamedTuple):
    """A kind of edits."""

    propose: Callable[[FactReading, random.Random, Sequence[Size]], Iterator[Proposal]]
    accept: Callable[[Edit, Rereading], str]


def _holds(edit: Edit, twin: Rereading) -> str:  # noqa: ARG001 - what was said is not said any more
    return ""


KINDS: Mapping[EditKind, Kind] = {
    "number": Kind(numbers.propose, values_hold),
    "date": Kind(dates.propose, dates_stand),
    "name": Kind(names.propose, names_are_gone),
    "unit": Kind(units.propose, values_hold),
    "order": Kind(wording.turning("order"), _holds),
    "negation": Kind(wording.turning("negation"), _holds),
    "modality": Kind(wording.turning("modality"), _holds),
    "unanswerable": Kind(removal.propose, is_gone),
    "inconsistent": Kind(numbers.propose_inconsistent, values_hold),
    "nonce": Kind(names.propose_nonce, names_are_gone),
}
"""By name, in the order in which `perturb` asks them."""
