"""A few probes again and again, in production: whether the app has begun to answer from memory.

Each turn asks the next few probes of a shuffled round, so that every probe comes round, and appends a line to a history
file, which is all the state there is. The leak rate of the last trials is compared with a limit by its interval: it is
over the limit only if its lower end is, so that one leak of a few is no alarm.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from trail_callbacks.canary.arm import ARMS, App, Arm, Strategy
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.runs.run import run
from trail_callbacks.canary.trial import OUTCOMES, Outcome
from trail_callbacks.errors import InputError
from trail_callbacks.report.scoring import wilson

__all__ = ["History", "Leak", "Watch", "exposition"]

_UNSCORED: frozenset[Outcome] = frozenset({"unscorable", "retrieval_miss"})

Seen: TypeAlias = tuple[str, Arm, Outcome]
"""A trial of the history: id of the probe, arm, outcome."""


@dataclass(frozen=True, slots=True)
class Leak:
    """The leak rate of the last trials.

    Attributes:
        share: Share of answers with the real value where the fictive one was served, 0.0 to 1.0; the mean over probes.
        low: Lower end of its interval, 95 %.
        high: Upper end.
        probes: How many probes it is of. The interval counts these: a probe that is asked again tells little new.
        trials: How many trials.
    """

    share: float
    low: float
    high: float
    probes: int
    trials: int


@dataclass(slots=True)
class History:
    """What earlier turns found, as far as it matters.

    Attributes:
        last: The last scored trials under the fictive context, the newest at the end.
        totals: Trials of all turns, by arm and outcome.
        turns: How many turns there were.
        position: Where the next turn begins in the rounds of the probes.
        probes: Digest of the probes of the last turn.
        at: When the last turn ended, ISO 8601; None if there was none.
        broken: Lines that could not be read, and were left out.
    """

    last: deque[Seen]
    totals: Counter[tuple[str, str]] = field(default_factory=Counter)
    turns: int = 0
    position: int = 0
    probes: str = ""
    at: str | None = None
    broken: int = 0

    @classmethod
    def read(cls, path: str | Path, window: int) -> History:
        """Reads a history file; one that is not there is empty.

        Args:
            path: The file.
            window: How many trials to keep of it, 1 or more.

        Raises:
            InputError: If it cannot be read.
        """
        history = cls(deque(maxlen=window))
        try:
            with Path(path).open(encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    history._take(line)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
        return history

    def _take(self, line: str) -> None:
        if not line.strip():
            return
        try:
            found = json.loads(line)
            trials: list[Seen] = [(str(probe), arm, outcome) for probe, arm, outcome in found["trials"]]
            position, probes, at = int(found["next"]), str(found["probes"]), str(found["at"])
            datetime.fromisoformat(at)
            counted = set(found["counted"])
            whole = all(arm in ARMS and outcome in OUTCOMES for _, arm, outcome in trials)
        except (ValueError, KeyError, TypeError):
            whole = False
        if not whole:
            self.broken += 1
            return
        self.position, self.probes, self.at = position, probes, at
        self.turns += 1
        for each in trials:
            self.totals[each[1], each[2]] += 1
            if each[1] == "fictive" and each[0] in counted and each[2] not in _UNSCORED:
                self.last.append(each)

    def leak(self) -> Leak | None:
        """The leak rate of the last trials; None if there are none."""
        by_probe: dict[str, list[bool]] = {}
        for probe, _, outcome in self.last:
            by_probe.setdefault(probe, []).append(outcome == "leaks_prior")
        if not by_probe:
            return None
        share = sum(sum(leaks) / len(leaks) for leaks in by_probe.values()) / len(by_probe)
        return Leak(share, *wilson(share, len(by_probe)), len(by_probe), len(self.last))


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Recurring probes of one app.

    Attributes:
        probes: The probes; ids are unique.
        app: The app.
        history: The history file; made by the first turn. One process writes to it.
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
        """Asks the next probes, and appends what came of it to the history.

        Other probes than those of the last turn begin a new round; what was found before stays in the window.

        Returns:
            The history with this turn.

        Raises:
            InputError: If the history cannot be read or written.
            JudgeError: If the model is unknown.
        """
        before = History.read(self.history, self.window)
        digest = sha256(json.dumps([asdict(each) for each in self.probes], sort_keys=True).encode()).hexdigest()[:16]
        begin = before.position if before.probes == digest else 0
        chosen, position = self._next(begin)
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
        line = {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "probes": digest,
            "next": position,
            "trials": [[trial.probe, trial.arm, trial.finding.outcome] for trial in found.trials],
            "counted": [each.id for each in chosen if each.fictive is not None and each.also is None],
            "errors": sorted({trial.error for trial in found.trials if trial.error})[:3],
            "stopped": found.stopped,
            "calls": found.spent.calls,
        }
        _append(Path(self.history), json.dumps(line))
        return History.read(self.history, self.window)

    def _next(self, position: int) -> tuple[list[Probe], int]:
        chosen: dict[str, Probe] = {}
        n = len(self.probes)
        while len(chosen) < min(self.size, n):
            probe = self.probes[self._round(position // n)[position % n]]
            chosen.setdefault(probe.id, probe)  # at the turn of a round one may come twice
            position += 1
        return list(chosen.values()), position

    def _round(self, number: int) -> list[int]:
        order = list(range(len(self.probes)))
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


def _append(path: Path, line: str) -> None:
    """Appends a line, whole or not at all, also behind one that a killed process has left half."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)  # it holds ids and errors of the app
        try:
            end = os.lseek(handle, 0, os.SEEK_END)
            half = end > 0 and os.lseek(handle, end - 1, os.SEEK_SET) >= 0 and os.read(handle, 1) != b"\n"
            data = (b"\n" if half else b"") + line.encode() + b"\n"
            if os.write(handle, data) != len(data):
                os.ftruncate(handle, end)
                raise InputError(f"{path} cannot be written: there is no more room")
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error
