"""A few probes again and again, in production: whether the app has begun to answer from memory.

Each turn asks the next few probes of a shuffled round, so that every probe comes round, and adds what it found to a
history. The leak rate of the last trials is over a limit only if the lower end of its interval is, so that one leak of
a few is no alarm.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.questions.checking import usable
from trail_callbacks.canary.runs.run import run
from trail_callbacks.canary.saved import of_data, to_data
from trail_callbacks.canary.statistics.rates import MEASURES, cases
from trail_callbacks.canary.trial import OUTCOMES, App
from trail_callbacks.errors import InputError
from trail_callbacks.statistics.rates import Rate, rate
from trail_callbacks.work.journal import Journal, reading

_FORM, _WHAT = "trail-canary-history-2", "watch"
_WINDOW = 300  # trials that the leak rate is of
_ERRORS = 3  # that are kept of a turn


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeHistory:
    """What all turns found."""

    # the last trials that the leak rate is of, the newest at the end: id of the probe, and whether it leaked
    last: Sequence[tuple[str, bool]] = ()
    totals: Mapping[str, int] = field(default_factory=dict)  # trials of all turns, by outcome
    turns: int = 0  # how many turns there were
    position: int = 0  # where the next turn begins in the rounds of the probes
    probes: str = ""  # digest of the probes of the last turn
    at: str | None = None  # when the last turn ended, ISO 8601; None if there was none
    errors: Sequence[str] = ()  # some of the app's in the last turn
    stopped: str | None = None  # why the last turn ended before all was asked; None if it did not

    @classmethod
    def read(cls, path: str | Path) -> ProbeHistory:
        """Reads a history file, also during a turn; one that is not there is empty.

        Raises:
            InputError: If it cannot be read, or is something else.
        """
        if not Path(path).exists():
            return cls()
        with reading(Path(path), _FORM, _WHAT) as (_, about):
            return of_data(cls, about.get("history", {}))

    def leak(self) -> Rate | None:
        """The leak rate of the last trials, clustered by probe: one asked again tells little new; None without any."""
        return rate(self.last) if self.last else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Recurring probes of one app, under the fictive context.

    Attributes:
        probes: The probes; ids are unique. Those that can tell nothing are left out, as by `run`.
        app: The app.
        history: The history file; made by the first turn. While one process is at a turn, another is refused.
        size: Probes of a turn, 1 or more.
        options: Further arguments of `run`: model, budget of a turn, concurrency, timeout.

    Raises:
        InputError: If no probe can be asked, or the size is out of range.
    """

    probes: Sequence[Probe]
    app: App
    history: str | Path
    size: int = 10
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Checks what can be checked."""
        if self.size < 1:
            raise InputError(f"Watch.size is {self.size}, expected 1 or more")
        if not usable(self.probes)[0]:
            raise InputError("there are no probes that can be asked")

    def turn(self) -> ProbeHistory:
        """Asks the next probes, and adds what came of it to the history: whole, or if it is killed not at all.

        Other probes than those of the last turn begin a new round; what was found before stays.

        Returns:
            The history with this turn.

        Raises:
            InputError: If the history cannot be read or written, or another process is at a turn of it.
            JudgeError: If the model is unknown.
        """
        digest = sha256(json.dumps([asdict(each) for each in self.probes], sort_keys=True).encode()).hexdigest()[:16]
        with closing(Journal(Path(self.history), _FORM, _WHAT, readers=True)) as journal:
            with journal.told():
                before = of_data(ProbeHistory, journal.about.get("history", {}))
            chosen, position = self._next(before.position if before.probes == digest else 0)
            with TemporaryDirectory(prefix="trail-canary-") as folder:
                found = run(chosen, self.app, out=Path(folder) / "turn", arms=["fictive"], **self.options)
            leaks = ((each.probe.id, MEASURES["leak"].counts(each)) for each in cases(found))
            after = ProbeHistory(
                last=(*before.last, *((id_, hit) for id_, hit in leaks if hit is not None))[-_WINDOW:],
                totals=Counter(before.totals) + Counter(each.finding.outcome for each in found.trials),
                turns=before.turns + 1,
                position=position,
                probes=digest,
                at=datetime.now(UTC).isoformat(timespec="seconds"),
                errors=tuple(sorted({each.error for each in found.trials if each.error})[:_ERRORS]),
                stopped=found.stopped,
            )
            journal.tell(history=to_data(after))
            journal.commit(found.spent)
            return after

    def _next(self, position: int) -> tuple[list[Probe], int]:
        """The next probes of the rounds, and the position after them."""
        probes, _ = usable(self.probes)
        chosen: dict[str, Probe] = {}
        while len(chosen) < min(self.size, len(probes)):
            number, place = divmod(position, len(probes))
            order = random.Random(f"watch:{number}").sample(probes, len(probes))  # noqa: S311 - an order, no secret
            chosen.setdefault(order[place].id, order[place])  # at the turn of a round one may come twice
            position += 1
        return list(chosen.values()), position


def exposition(history: ProbeHistory, max_leak: float | None = None) -> str:
    """Writes what a history holds in Prometheus' text format: counters by outcome, and the leak rate.

    Args:
        history: The history.
        max_leak: The limit, to be shown beside the rate.
    """
    name, leak = "trail_canary_trials_total", history.leak()
    ended = None if history.at is None else datetime.fromisoformat(history.at).timestamp()
    lines = [f"# HELP {name} Trials of recurring probes.", f"# TYPE {name} counter"]
    lines += [f'{name}{{arm="fictive",outcome="{each}"}} {history.totals.get(each, 0)}' for each in OUTCOMES]
    for name, about, value in (
        ("trail_canary_leak_share", "Leak rate of the last trials.", leak and leak.value),
        ("trail_canary_leak_share_low", "Lower end of its interval, 95 %.", leak and leak.low),
        ("trail_canary_leak_share_high", "Upper end of its interval, 95 %.", leak and leak.high),
        ("trail_canary_leak_probes", "Probes that it is of.", leak and float(leak.documents)),
        ("trail_canary_leak_limit", "The limit of the leak rate.", max_leak),
        ("trail_canary_last_turn_timestamp_seconds", "When probes were asked last.", ended),
    ):
        if value is not None:
            lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge", f"{name} {value!r}"]
    return "".join(f"{line}\n" for line in lines)
