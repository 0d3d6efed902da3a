"""What a run found: its probes, its strategies and all trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trail_callbacks.canary.arm import Arm, Strategy
from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import Trial
from trail_callbacks.models.call import Usage

__all__ = ["Run"]


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
