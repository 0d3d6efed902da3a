"""A few probes again and again, in production: whether the app has begun to answer from memory.

Each turn asks the next few probes of a shuffled round, so that every probe comes round, and adds what it found to a
history. The leak rate of the last trials is compared with a limit by its interval: it is over the limit only if its
lower end is, so that one leak of a few is no alarm.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trail_callbacks.canary.arm import ARMS, App, Arm, Strategy
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.questions.checking import usable
from trail_callbacks.canary.runs.history import History, new_turn
from trail_callbacks.canary.runs.run import run
from trail_callbacks.canary.trial import OUTCOMES, Outcome
from trail_callbacks.errors import InputError

__all__ = ["Watch", "exposition"]

_UNSCORED: frozenset[Outcome] = frozenset({"unscorable", "retrieval_miss"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Recurring probes of one app.

    Attributes:
        probes: The probes; ids are unique. Those that can tell nothing are left out, as by `run`.
        app: The app.
        history: The history file; made by the first turn. While one process is at a turn, another is refused.
        size: Probes of a turn, 1 or more.
        arms: What is asked under; the leak rate is that of `fictive`.
        strategy: How the app is built.
        window: Trials that the leak rate is of, 1 or more.
        seed: Decides the order of the rounds.
        options: Further arguments of `run`: model, budget of a turn, concurrency, timeout, holds.

    Raises:
        InputError: If there is nothing to ask, or a number is out of range.
    """

    probes: Sequence[Probe]
    app: App
    history: str | Path
    size: int = 10
    arms: Sequence[Arm] = ("fictive",)
    strategy: Strategy = field(default_factory=lambda: Strategy("default"))
    window: int = 300
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Checks ranges."""
        for name in ("size", "window"):
            if getattr(self, name) < 1:
                raise InputError(f"Watch.{name} is {getattr(self, name)}, expected 1 or more")
        if not self.probes:
            raise InputError("there are no probes: nothing to ask")
        if "fictive" not in self.arms:
            raise InputError("the leak rate is of the arm fictive, which is not among the arms")

    def turn(self) -> History:
        """Asks the next probes, and adds what came of it to the history.

        Other probes than those of the last turn begin a new round; what was found before stays in the window.

        Returns:
            The history with this turn.

        Raises:
            InputError: If the history cannot be read or written, or another process is at a turn of it; nothing is
                asked then, unless what was found has no room.
            JudgeError: If the model is unknown.
        """
        digest = sha256(json.dumps([asdict(each) for each in self.probes], sort_keys=True).encode()).hexdigest()[:16]
        probes, unusable = usable(self.probes)
        if not probes:
            raise InputError(f"no probe can be asked: {unusable[0].place}: {unusable[0].why}")
        with new_turn(Path(self.history), self.window) as turn:
            begin = turn.before.position if turn.before.probes == digest else 0
            chosen, position = self._next(begin, probes)
            with TemporaryDirectory(prefix="trail-canary-") as folder:
                found = run(
                    chosen,
                    self.app,
                    out=Path(folder) / "turn",
                    strategies=[self.strategy],
                    arms=self.arms,
                    keep_reports=0,
                    **self.options,
                )
            rated = {each.id for each in chosen if each.fictive is not None and each.also is None}
            counted = [
                each
                for each in found.trials
                if each.arm == "fictive" and each.probe in rated and each.finding.outcome not in _UNSCORED
            ]
            return turn.end(digest, position, found, counted)

    def _next(self, position: int, probes: Sequence[Probe]) -> tuple[list[Probe], int]:
        chosen: dict[str, Probe] = {}
        n = len(probes)
        while len(chosen) < min(self.size, n):
            probe = probes[self._round(position // n, n)[position % n]]
            chosen.setdefault(probe.id, probe)  # at the turn of a round one may come twice
            position += 1
        return list(chosen.values()), position

    def _round(self, number: int, size: int) -> list[int]:
        order = list(range(size))
        random.Random(f"watch:{self.seed}:{number}").shuffle(order)  # noqa: S311 - an order, no secret
        return order


def exposition(history: History, arms: Sequence[Arm] = ("fictive",), max_leak: float | None = None) -> str:
    """Writes what a history holds in Prometheus' text format: counters by arm and outcome, and the leak rate.

    Args:
        history: The history.
        arms: Arms whose counters are there from the start, at 0.
        max_leak: The limit, to be shown beside the rate.
    """
    lines = ["# HELP trail_canary_trials_total Trials of recurring probes.", "# TYPE trail_canary_trials_total counter"]
    for arm in ARMS:
        counts = {outcome: history.totals[arm, outcome] for outcome in OUTCOMES}
        if arm in arms or any(counts.values()):
            lines += [f'trail_canary_trials_total{{arm="{arm}",outcome="{o}"}} {n}' for o, n in counts.items()]
    for name, about, value in _gauges(history, max_leak):
        lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge", f"{name} {value!r}"]
    return "".join(f"{line}\n" for line in lines)


def _gauges(history: History, max_leak: float | None) -> Iterator[tuple[str, str, float]]:
    leak = history.leak()
    if leak is not None:
        yield "trail_canary_leak_share", "Leak rate of the last trials.", leak.share
        yield "trail_canary_leak_share_low", "Lower end of its interval, 95 %.", leak.low
        yield "trail_canary_leak_share_high", "Upper end of its interval, 95 %.", leak.high
        yield "trail_canary_leak_probes", "Probes that it is of.", float(leak.probes)
    if max_leak is not None:
        yield "trail_canary_leak_limit", "The limit of the leak rate.", max_leak
    if history.at is not None:
        ended = datetime.fromisoformat(history.at).timestamp()
        yield "trail_canary_last_turn_timestamp_seconds", "When probes were asked last.", ended
