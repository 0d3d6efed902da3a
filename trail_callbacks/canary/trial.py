"""A trial: one probe under one arm and one strategy, and what became of it; and a run: all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from trail_callbacks.canary.arm import Arm, Strategy
from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.probe import Probe
from trail_callbacks.models.call import Usage

Outcome = Literal[
    "follows_context",
    "leaks_prior",
    "blends",
    "abstains",
    "other_wrong",
    "retrieval_miss",
    "unscorable",
]
"""What an answer did.

- `follows_context`: gives the value of the context that was served, and no other (of two that disagree, one or both).
- `leaks_prior`: gives the real value where the context served says otherwise, says nothing of it, or is absent.
- `blends`: gives two of the values as its answer, of which its context holds at most one.
- `abstains`: declines, or says that the documents do not tell.
- `other_wrong`: gives something else.
- `retrieval_miss`: no passage served holds the fact, though the twin or corpus does; whatever the answer is.
- `unscorable`: no answer, an error, or neither comparison nor judge could decide.
"""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

How = Literal["value", "words", "polarity", "refusal", "judge", "retrieval", "error", "undecided"]
"""What decided an outcome: typed values, the words themselves, whether a sentence affirms or denies, a refusal, the
judge, the passages served, a failure of the app, or nothing."""

_BY_CODE: tuple[How, ...] = ("value", "words", "polarity", "refusal", "undecided")

Stated = Literal["real", "fictive", "also"]

Policy = Literal["context_is_authoritative", "verify_the_context"]
"""What is right when the context contradicts what is known: following it, or rejecting it. Never mixed in a figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What an answer was found to do.

    Attributes:
        outcome: See `Outcome`.
        how: What decided.
        states: Which of the probe's values the answer gives as its answer.
        rejects: The answer says that the documents are wrong or contradict each other.
        reason: In a few words, for a person: which words were compared.
    """

    outcome: Outcome
    how: How
    states: Sequence[Stated] = ()
    rejects: bool = False
    reason: str = ""

    @property
    def is_doubtful(self) -> bool:
        """True if code alone decided, or could not, and found no one value that is given.

        That an answer declines, gives another value, or two, is what code gets wrong most, since it may not know the
        notation of a value; and whether a sentence amounts to yes or no. A model, if there is one, reads these too.
        """
        if self.how not in _BY_CODE:
            return False
        return self.how == "polarity" or self.outcome not in ("follows_context", "leaks_prior")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One probe under one arm and one strategy.

    Attributes:
        probe: Id of the probe.
        arm: The arm.
        strategy: Name of the strategy.
        answer: The answer; None if there is none.
        finding: What it did.
        served: Whether a passage that holds the fact was served; None if the app does not say what it served.
        dropped: Passages that were found and not served, and why; see `Answered.dropped`.
        error: Why there is no answer; None if there is one.
        report: File of the run's report, relative to the folder of the run; None without one.
    """

    probe: str
    arm: Arm
    strategy: str
    answer: str | None
    finding: Finding
    served: bool | None = None
    dropped: Sequence[Skipped] = ()
    error: str | None = None
    report: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Run:
    """A canary run, finished or not.

    Attributes:
        probes: The probes asked, by id.
        strategies: The strategies, by name.
        arms: The arms asked, in the order of `ARMS`.
        trials: What is known, ordered by strategy, probe and arm; at most one of each.
        skipped: Probes that were not asked, and why; arms that could not be.
        settings: What the run was made with: seed, embedding, judge, release, JSON-like.
        stopped: Why it ended before all was asked; None if it did not.
        folder: Where it lies; None in memory.
        repeated: How many questions may have been asked once more than recorded, because the process ended meanwhile.
        spent: What all commands on the folder cost, those calls included.
    """

    probes: Mapping[str, Probe]
    strategies: Mapping[str, Strategy]
    arms: Sequence[Arm]
    trials: Sequence[Trial]
    skipped: Sequence[Skipped] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    stopped: str | None = None
    folder: Path | None = None
    repeated: int = 0
    spent: Usage = field(default_factory=Usage)

    def __repr__(self) -> str:
        counts = f"probes={len(self.probes)} strategies={len(self.strategies)} trials={len(self.trials)}"
        return f"<Run {counts}{f' stopped={self.stopped!r}' if self.stopped else ''}>"
