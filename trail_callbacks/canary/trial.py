"""What a probe is asked under, and what becomes of it: arms, strategies and apps; trials, findings and runs."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.probe import Probe
from trail_callbacks.errors import TrailError
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report

Arm = Literal["closed_book", "real", "fictive", "empty"]
"""What the app may see.

- `closed_book`: the model alone, without the app's prompt and retriever: what it knows.
- `empty`: the app, with a retriever that finds nothing: who is right here was right by luck or from memory.
- `real`, `fictive`: the app, over the corpus or its twin.
"""

ARMS: tuple[Arm, ...] = get_args(Arm)


class ArmUnavailableError(TrailError):
    """Raised by an app that cannot be asked under an arm, such as `closed_book` without a model to ask alone.

    The arm is left out of the run, with this reason.
    """


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to build the app: a point of the matrix.

    Attributes:
        name: Unique in the run: `chunker=500/100, html=false`.
        parameters: Values of the matrix, such as `chunker`, `prompt`, `model`, `retriever`; JSON-like.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question to the app.

    Attributes:
        probe: Id of the probe; for logs, an app must not decide by it.
        question: The question.
        arm: What the app may see.
        strategy: How the app is to be built.
    """

    probe: str
    question: str
    arm: Arm
    strategy: Strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What an app answered.

    Attributes:
        text: The answer.
        passages: Texts that the retriever served, in order; None if the app cannot tell (then a retrieval miss cannot
            be told from a wrong answer).
        dropped: Passages that were found and not served, and why: the twin cannot say what stands in their place.
        report: The judged run, if the app records and verifies its runs.
        usage: What the app's own model calls cost, where known.
    """

    text: str
    passages: Sequence[str] | None = None
    dropped: Sequence[Skipped] = ()
    report: Report | None = None
    usage: Usage = field(default_factory=Usage)


class App(Protocol):
    """An app under test. A string stands for an `Answered` with that text; raising makes the trial unscorable.

    An app that cannot do an arm raises `ArmUnavailableError`.
    """

    def __call__(self, ask: Ask, /) -> Answered | str | Awaitable[Answered | str]:
        """Answers a question under an arm; works from several threads or tasks at once."""


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
