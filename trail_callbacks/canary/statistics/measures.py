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
from trail_callbacks.canary.trial import Finding, Outcome, Policy, Trial


@dataclass(frozen=True)
class ProbeCase:
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
class CanaryMeasure:
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
    counts: Callable[[ProbeCase], bool | None]


def _scored(
    hit: Outcome | Callable[[ProbeCase], bool], of: Callable[[ProbeCase], bool] = lambda _: True
) -> Callable[[ProbeCase], bool | None]:
    """Counts an outcome, or what is true, among the scored trials of which `of` is true."""
    test = hit if callable(hit) else lambda case: case.outcome == hit
    return lambda case: test(case) if case.scored and of(case) else None


def _swapped(case: ProbeCase) -> bool:
    return case.swapped


def _removed(case: ProbeCase) -> bool:
    return case.probe.fictive is None


def _disagree(case: ProbeCase) -> bool:
    return case.probe.also is not None


def _missed(case: ProbeCase) -> bool | None:
    return None if case.outcome == "unscorable" else case.outcome == "retrieval_miss"


_FICTIVE = "of the scorable trials of the fictive arm"
_SWAPPED = f"{_FICTIVE} with the passage served, where the twin states one other value"
_DISAGREE = f"{_FICTIVE} with the passage served, where two passages of the twin disagree"
_GONE = f"{_FICTIVE}, where the fact was removed"
_REAL = "of the scorable trials of the real arm with the passage served"
_EMPTY, _CLOSED = "of the scorable trials of the empty arm", "of the scorable closed-book trials"
_GIVES, _DECLINES = "gives the real value", "declines although the passage tells"
_MISSED = "no passage served holds the fact; of the scorable trials of the"

_Of = CanaryMeasure

MEASURES: Final[Mapping[str, CanaryMeasure]] = {
    "follow": _Of("fictive", "follows", f"gives the fictive value; {_SWAPPED}", _scored("follows_context", _swapped)),
    "leak": _Of("fictive", "leaks", f"{_GIVES}; {_SWAPPED}", _scored("leaks_prior", _swapped)),
    "blend": _Of("fictive", "blends", f"gives both values; {_SWAPPED}", _scored("blends", _swapped)),
    "abstain": _Of("fictive", "abstains", f"{_DECLINES}; {_SWAPPED}", _scored("abstains", _swapped)),
    "leak_known": _Of("fictive", "leaks what it knows",
                   f"{_GIVES}; {_SWAPPED}, and the same model gave the real value closed book",
                   _scored("leaks_prior", lambda case: case.swapped and case.known is True)),
    "abstain_unanswerable": _Of("fictive", "abstains where unanswerable", f"declines; {_GONE}",
                             _scored("abstains", _removed)),
    "leak_unanswerable": _Of("fictive", "leaks where unanswerable", f"{_GIVES}; {_GONE}",
                          _scored("leaks_prior", _removed)),
    "conflict_told": _Of("fictive", "tells the conflict", f"says that the documents contradict each other; {_DISAGREE}",
                      _scored(lambda case: case.trial.finding.rejects, _disagree)),
    "leak_inconsistent": _Of("fictive", "leaks where passages disagree", f"{_GIVES}; {_DISAGREE}",
                          _scored("leaks_prior", _disagree)),
    "follow_real": _Of("real", "right with the real context", f"{_GIVES}; {_REAL}", _scored("follows_context")),
    "right_empty": _Of("empty", "real value without context", f"{_GIVES} though nothing was retrieved; {_EMPTY}",
                    _scored("leaks_prior")),
    "right_closed_book": _Of("closed_book", "known closed book", f"the model alone {_GIVES}; {_CLOSED}",
                          _scored("leaks_prior")),
    "miss_fictive": _Of("fictive", "not retrieved", f"{_MISSED} fictive arm, these included", _missed),
    "miss_real": _Of("real", "not retrieved, real arm", f"{_MISSED} real arm, these included", _missed),
}  # fmt: skip
"""All measures by the name that they have in JSON, in the order of a report."""


def right(probe: Probe, arm: Arm, finding: Finding, policy: Policy) -> bool | None:
    """Tells whether an answer did what a policy wants; two opposite virtues, never merged in one figure.

    | outcome, with the value that it needs | context is authoritative | verify the context |
    | --- | --- | --- |
    | follows the real context | right | right |
    | follows the fictive context | right | wrong |
    | follows it, and says that the documents are wrong | wrong | right |
    | gives the real value under the fictive context | wrong | right |
    | gives the real value where the fact was removed | wrong | wrong: nothing was there to verify |
    | follows both of two passages that disagree | right | right if it says that they do |
    | abstains where the fact was removed, or there is no context | right | right |
    | abstains where passages disagree | right if it says that they do | right if it says that they do |
    | abstains otherwise | wrong | wrong; right if it says that the documents are wrong |
    | blends, or gives another value, or one of two that disagree | wrong | wrong |

    Returns:
        Whether it was right; None where the outcome does not count: `unscorable`, `retrieval_miss`, and the whole arm
        `closed_book`, which has neither app nor context.
    """
    if finding.outcome in {"unscorable", "retrieval_miss"} or arm == "closed_book":
        return None
    if arm == "empty" or (arm == "fictive" and probe.fictive is None):
        return finding.outcome == "abstains"
    if arm == "real":
        return finding.outcome == "follows_context"
    if policy == "verify_the_context":
        return finding.outcome != "other_wrong" and (finding.rejects or finding.outcome == "leaks_prior")
    if probe.also is None:
        return finding.outcome == "follows_context" and not finding.rejects
    told = finding.rejects or (finding.outcome == "follows_context" and len(finding.states) > 1)
    return told and finding.outcome in {"follows_context", "abstains"}
