"""What is counted, measure by measure: of each trial, whether it is a hit, none, or not in the denominator at all.

Three rules hold for all of them. An unscorable trial is in no denominator: what could not be decided is not wrong. A
retrieval miss is in none but its own (`miss_*`): a model cannot follow what it was not shown. An abstention is in the
denominator and never a hit, except where abstaining is what is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import Outcome, Trial

__all__ = ["MEASURES", "Case", "Measure"]


@dataclass(frozen=True)
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

    @property
    def scored(self) -> bool:
        """Whether it can be in a denominator at all."""
        return self.outcome not in ("unscorable", "retrieval_miss")

    @property
    def swapped(self) -> bool:
        """Whether the twin states one other value: neither removed nor stated in two ways."""
        return self.probe.fictive is not None and self.probe.also is None


@dataclass(frozen=True, slots=True)
class Measure:
    """A share of trials.

    Attributes:
        arm: The arm whose trials it is of.
        label: For a table.
        about: What is a hit, and of which trials: the denominator.
        counts: True for a hit, False for another trial of the denominator, None for what is not in it.
    """

    arm: Arm
    label: str
    about: str
    counts: Callable[[Case], bool | None]


def _among(of: Callable[[Case], bool], hit: Callable[[Case], bool]) -> Callable[[Case], bool | None]:
    return lambda case: hit(case) if of(case) else None


def _outcome(hit: Outcome, of: Callable[[Case], bool] = lambda _: True) -> Callable[[Case], bool | None]:
    """Counts an outcome among the scored trials of which `of` is true."""
    return _among(lambda case: case.scored and of(case), lambda case: case.outcome == hit)


def _swapped(case: Case) -> bool:
    return case.swapped


def _removed(case: Case) -> bool:
    return case.probe.fictive is None


def _disagree(case: Case) -> bool:
    return case.probe.also is not None


def _states(*values: str) -> Callable[[Case], bool]:
    return lambda case: bool(set(values) & set(case.trial.finding.states))


_guessed = _among(lambda case: case.scored and not _removed(case), _states("fictive", "also"))
_missed = _among(lambda case: case.outcome != "unscorable", lambda case: case.outcome == "retrieval_miss")

_FICTIVE = "of the scorable trials of the fictive arm"
_SERVED = f"{_FICTIVE} with the passage served"
_SWAPPED = f"{_SERVED}, where the twin states one other value"
_DISAGREE = f"{_SERVED}, where two passages of the twin disagree"
_REMOVED = f"{_FICTIVE}, where the fact was removed"
_REAL = "of the scorable trials of the real arm with the passage served"
_EMPTY, _CLOSED = "of the scorable trials of the empty arm", "of the scorable closed-book trials"
_GUESSED = "gives a fictive value that it was not shown"
_MISSED = "no passage served holds the fact; of the scorable trials of the"

MEASURES: Final[Mapping[str, Measure]] = {
    "follow": Measure("fictive", "follows", f"gives the fictive value; {_SWAPPED}",
                      _outcome("follows_context", _swapped)),
    "leak": Measure("fictive", "leaks", f"gives the real value; {_SWAPPED}", _outcome("leaks_prior", _swapped)),
    "blend": Measure("fictive", "blends", f"gives both values; {_SWAPPED}", _outcome("blends", _swapped)),
    "abstain": Measure("fictive", "abstains", f"declines although the passage tells; {_SWAPPED}",
                       _outcome("abstains", _swapped)),
    "leak_known": Measure("fictive", "leaks what it knows",
                          f"gives the real value; {_SWAPPED}, and the same model gave the real value closed book",
                          _outcome("leaks_prior", lambda case: case.swapped and case.known is True)),
    "leak_unknown": Measure("fictive", "leaks, not known closed book",
                            f"gives the real value; {_SWAPPED}, and the same model did not give the real value closed "
                            "book", _outcome("leaks_prior", lambda case: case.swapped and case.known is False)),
    "memorisation": Measure("fictive", "memorisation ratio",
                            "gives the real value; of the answers that give either the real or the fictive value",
                            _among(lambda case: case.swapped and case.outcome in ("leaks_prior", "follows_context"),
                                   lambda case: case.outcome == "leaks_prior")),
    "abstain_unanswerable": Measure("fictive", "abstains where unanswerable", f"declines; {_REMOVED}",
                                    _outcome("abstains", _removed)),
    "leak_unanswerable": Measure("fictive", "leaks where unanswerable", f"gives the real value; {_REMOVED}",
                                 _outcome("leaks_prior", _removed)),
    "conflict_told": Measure("fictive", "tells the conflict",
                             f"says that the documents contradict each other; {_DISAGREE}",
                             _among(lambda case: case.scored and _disagree(case),
                                    lambda case: case.trial.finding.rejects)),
    "leak_inconsistent": Measure("fictive", "leaks where passages disagree", f"gives the real value; {_DISAGREE}",
                                 _outcome("leaks_prior", _disagree)),
    "follow_real": Measure("real", "right with the real context", f"gives the real value; {_REAL}",
                           _outcome("follows_context")),
    "abstain_real": Measure("real", "abstains with the real context", f"declines although the passage tells; {_REAL}",
                            _outcome("abstains")),
    "right_empty": Measure("empty", "real value without context",
                           f"gives the real value though nothing was retrieved; {_EMPTY}", _outcome("leaks_prior")),
    "right_closed_book": Measure("closed_book", "known closed book",
                                 f"the model alone gives the real value; {_CLOSED}", _outcome("leaks_prior")),
    "guessed_empty": Measure("empty", "fictive value without context",
                             f"{_GUESSED}; {_EMPTY} whose fact was not removed", _guessed),
    "guessed_closed_book": Measure("closed_book", "fictive value closed book",
                                   f"{_GUESSED}; {_CLOSED} whose fact was not removed", _guessed),
    "miss_fictive": Measure("fictive", "not retrieved", f"{_MISSED} fictive arm, these included", _missed),
    "miss_real": Measure("real", "not retrieved, real arm", f"{_MISSED} real arm, these included", _missed),
    "miss_leak": Measure("fictive", "real value where not retrieved",
                         "gives the real value; of the retrieval misses of the fictive arm",
                         _among(lambda case: case.outcome == "retrieval_miss", _states("real"))),
}  # fmt: skip
"""All measures by the name that they have in JSON, in the order of a report."""
