"""What a probe is asked under: an arm, a strategy, and the app that answers."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, get_args

from trail_callbacks.canary.corpus import Skipped
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

    The arm is left out of the run, with this reason. Of `closed_book` `NotImplementedError` says the same.
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
