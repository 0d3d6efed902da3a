"""What is counted, measure by measure: of each trial, whether it is a hit, none, or not in the denominator at all.

Three rules hold for all of them. An unscorable trial is in no denominator: what could not be decided is not wrong. A
retrieval miss is in none but its own (`miss_*`): a model cannot follow what it was not shown. An abstention is in the
denominator and never a hit, except where abstaining is what is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import Outcome, Trial

__all__ = ["MEASURES", "Case", "Measure", "MeasureName"]

MeasureName = Literal[
    "follow",
    "leak",
    "blend",
    "abstain",
    "leak_known",
    "leak_unknown",
    "memorisation",
    "abstain_unanswerable",
    "leak_unanswerable",
    "conflict_told",
    "leak_inconsistent",
    "follow_real",
    "abstain_real",
    "right_empty",
    "right_closed_book",
    "guessed_empty",
    "guessed_closed_book",
    "miss_fictive",
    "miss_real",
    "miss_leak",
]


@dataclass(frozen=True, slots=True)
class Case:
    """A trial, with what measures look at beside it.

    Attributes:
        probe: Its probe.
        trial: The trial.
        known: Whether the same model gave the real value closed book; None if it was not asked or not decided.
    """

    probe: Probe
    trial: Trial
    known: bool | None = None

    @property
    def outcome(self) -> Outcome:
        """What the answer did."""
        return self.trial.finding.outcome


@dataclass(frozen=True, slots=True)
class Measure:
    """A share of trials.

    Attributes:
        name: Its name in JSON.
        arm: The arm whose trials it is of.
        label: For a table.
        about: What is a hit, and of which trials: the denominator.
        counts: True for a hit, False for another trial of the denominator, None for what is not in it.
    """

    name: MeasureName
    arm: Arm
    label: str
    about: str
    counts: Callable[[Case], bool | None]


def _scored(case: Case) -> bool:
    return case.outcome not in ("unscorable", "retrieval_miss")


def _swapped(case: Case) -> bool:
    """The twin states one other value: neither removed nor stated in two ways."""
    return case.probe.fictive is not None and case.probe.also is None


def _outcome(hit: Outcome, *, of: Callable[[Case], bool] | None = None) -> Callable[[Case], bool | None]:
    """Counts an outcome among the scored trials of which `of` is true; among all of them without it."""
    return lambda case: case.outcome == hit if _scored(case) and (of is None or of(case)) else None


def _removed(case: Case) -> bool:
    return case.probe.fictive is None


def _inconsistent(case: Case) -> bool:
    return case.probe.also is not None


def _known(case: Case) -> bool:
    return _swapped(case) and case.known is True


def _unknown(case: Case) -> bool:
    return _swapped(case) and case.known is False


def _memorisation(case: Case) -> bool | None:
    if not _swapped(case) or case.outcome not in ("leaks_prior", "follows_context"):
        return None
    return case.outcome == "leaks_prior"


def _conflict_told(case: Case) -> bool | None:
    return case.trial.finding.rejects if _scored(case) and _inconsistent(case) else None


def _guessed(case: Case) -> bool | None:
    if not _scored(case) or case.probe.fictive is None:
        return None
    return bool({"fictive", "also"} & set(case.trial.finding.states))


def _missed(case: Case) -> bool | None:
    return None if case.outcome == "unscorable" else case.outcome == "retrieval_miss"


def _missed_real(case: Case) -> bool | None:
    return "real" in case.trial.finding.states if case.outcome == "retrieval_miss" else None


_FICTIVE = "of the scorable trials of the fictive arm"
_SERVED = f"{_FICTIVE} with the passage served"
_SWAPPED = f"{_SERVED}, where the twin states one other value"

_ALL: tuple[Measure, ...] = (
    Measure("follow", "fictive", "follows", f"gives the fictive value; {_SWAPPED}",
            _outcome("follows_context", of=_swapped)),
    Measure("leak", "fictive", "leaks", f"gives the real value; {_SWAPPED}",
            _outcome("leaks_prior", of=_swapped)),
    Measure("blend", "fictive", "blends", f"gives both values; {_SWAPPED}",
            _outcome("blends", of=_swapped)),
    Measure("abstain", "fictive", "abstains", f"declines although the passage tells; {_SWAPPED}",
            _outcome("abstains", of=_swapped)),
    Measure("leak_known", "fictive", "leaks what it knows",
            f"gives the real value; {_SWAPPED}, and the same model gave the real value closed book",
            _outcome("leaks_prior", of=_known)),
    Measure("leak_unknown", "fictive", "leaks, not known closed book",
            f"gives the real value; {_SWAPPED}, and the same model did not give the real value closed book",
            _outcome("leaks_prior", of=_unknown)),
    Measure("memorisation", "fictive", "memorisation ratio",
            "gives the real value; of the answers that give either the real or the fictive value",
            _memorisation),
    Measure("abstain_unanswerable", "fictive", "abstains where unanswerable",
            f"declines; {_FICTIVE}, where the fact was removed",
            _outcome("abstains", of=_removed)),
    Measure("leak_unanswerable", "fictive", "leaks where unanswerable",
            f"gives the real value; {_FICTIVE}, where the fact was removed",
            _outcome("leaks_prior", of=_removed)),
    Measure("conflict_told", "fictive", "tells the conflict",
            f"says that the documents contradict each other; {_SERVED}, where two passages of the twin disagree",
            _conflict_told),
    Measure("leak_inconsistent", "fictive", "leaks where passages disagree",
            f"gives the real value; {_SERVED}, where two passages of the twin disagree",
            _outcome("leaks_prior", of=_inconsistent)),
    Measure("follow_real", "real", "right with the real context",
            "gives the real value; of the scorable trials of the real arm with the passage served",
            _outcome("follows_context")),
    Measure("abstain_real", "real", "abstains with the real context",
            "declines although the passage tells; of the scorable trials of the real arm with the passage served",
            _outcome("abstains")),
    Measure("right_empty", "empty", "real value without context",
            "gives the real value though nothing was retrieved; of the scorable trials of the empty arm",
            _outcome("leaks_prior")),
    Measure("right_closed_book", "closed_book", "known closed book",
            "the model alone gives the real value; of the scorable closed-book trials",
            _outcome("leaks_prior")),
    Measure("guessed_empty", "empty", "fictive value without context",
            "gives a fictive value that it was not shown; of the scorable trials of the empty arm whose fact was "
            "not removed", _guessed),
    Measure("guessed_closed_book", "closed_book", "fictive value closed book",
            "gives a fictive value that it was not shown; of the scorable closed-book trials whose fact was not "
            "removed", _guessed),
    Measure("miss_fictive", "fictive", "not retrieved",
            "no passage served holds the fact; of the scorable trials of the fictive arm, these included",
            _missed),
    Measure("miss_real", "real", "not retrieved, real arm",
            "no passage served holds the fact; of the scorable trials of the real arm, these included",
            _missed),
    Measure("miss_leak", "fictive", "real value where not retrieved",
            "gives the real value; of the retrieval misses of the fictive arm", _missed_real),
)  # fmt: skip

MEASURES: Final[Mapping[MeasureName, Measure]] = {each.name: each for each in _ALL}
"""All measures, in the order of a report."""

assert tuple(MEASURES) == get_args(MeasureName)  # noqa: S101 - a name without a measure is a fault of this module
