"""How the time that a reader takes grows with the length of a hostile text: an exponent at the end of the sizes tried.

A text is made longer until reading it takes long enough to be measured; then its exponent is settled, and no longer one
is tried. What seems steep is measured again with smaller steps. Run as a script, it prints the steepest of all readers
and units: `python tests/attack/growth.py [processes]`, for an hour of one core; nobody else should use the machine.
"""

from __future__ import annotations

import gc
import math
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from readers import READERS
from units import SHORT, UNITS, hostile

WARMING = "Words that load what is loaded at first use: 5 km on 1 May 1937."
_SMALLEST = 1_000  # characters
_AGAIN = 4  # times as long as the text before, where something seems steep
_ENDLESS = 1.0  # seconds from which what seems steep is measured again with shorter texts, not with longer ones


@dataclass(frozen=True)
class Plan:
    """Which texts are tried, and what is too much.

    Attributes:
        step: Times as long as the text before.
        largest: Characters.
        long: Seconds after which no longer text is tried.
        brief: Seconds that say nothing: noise is as large.
        steepest: Exponent above which time grows too fast.
        slowest: Seconds a character.
    """

    step: int
    largest: int
    long: float
    brief: float
    steepest: float
    slowest: float = 2e-3


QUICK = Plan(step=4, largest=16_000, long=0.008, brief=0.002, steepest=1.5)
"""With an exponent of 1.5, four times the text takes 8 times as long: a square takes 16 times, what is linear 4 and the noise."""

FULL = Plan(step=16, largest=4_096_000, long=0.03, brief=0.01, steepest=1.25)
"""1 KB, 16 KB, 256 KB, 4 MB; with an exponent of 1.25, sixteen times the text takes 32 times as long."""


@dataclass(frozen=True)
class Growth:
    """What was found for one reader and unit.

    Attributes:
        exponent: 1.0 for what is linear; 0.0 for what takes no time that can be measured.
        size: Characters of the longest text tried.
        seconds: For that text.
    """

    exponent: float
    size: int
    seconds: float


def _seconds(read: Callable[[str], Any], unit: str, size: int, times: int = 1) -> float:
    text = hostile(unit, size)
    taken = []
    for _ in range(times):
        began = time.process_time()
        read(text)
        taken.append(time.process_time() - began)
    return min(taken)  # what else the machine does only ever adds


def _exponent(before: float, after: float, step: int, brief: float) -> float:
    return math.log(after / max(before, brief / step), step)


def growth(read: Callable[[str], Any], unit: str, plan: Plan) -> Growth:
    """Measures how time grows with hostile texts of one unit."""
    size, before, after = _SMALLEST, 0.0, _seconds(read, unit, _SMALLEST)
    while after < plan.long and size < plan.largest:
        size, before, after = size * plan.step, after, _seconds(read, unit, size * plan.step)
    if after > plan.slowest * size and (after := _seconds(read, unit, size)) > plan.slowest * size:
        return Growth(math.inf, size, after)
    if after < plan.brief or not before:
        return Growth(0.0, size, after)
    steep = _exponent(before, after, plan.step, plan.brief)
    low = size if after < _ENDLESS else size // _AGAIN
    for times in (2, 4, 6):
        if steep <= plan.steepest:
            break  # else noise, or a reader that takes another way with texts from some length on
        first, last = _seconds(read, unit, low, times + 1), _seconds(read, unit, low * _AGAIN, times)
        steep = _exponent(first, last, _AGAIN, plan.brief)
        if low == size:
            size, after = low * _AGAIN, last
    return Growth(steep, size, after)


def _all_units(name: str) -> tuple[str, dict[str, Growth]]:
    READERS[name](WARMING)
    gc.collect()
    gc.disable()
    found = {}
    for unit in sorted(UNITS, key=lambda unit: unit not in SHORT):
        found[unit] = growth(READERS[name], unit, FULL)
        gc.collect()
    gc.enable()
    return name, found


def main() -> None:
    rows = []
    with ProcessPoolExecutor(int(sys.argv[1]) if len(sys.argv) > 1 else 1) as pool:
        for name, found in pool.map(_all_units, READERS):
            rows += [(each.exponent, name, unit, each.size, each.seconds) for unit, each in found.items()]
            steep, _, unit, size, seconds = max(row for row in rows if row[1] == name)
            print(f"{name:28} {unit:24} {steep:5.2f} {size:9,} {seconds:7.2f} s", flush=True)
    for title, key in (("Steepest", lambda row: row[0]), ("Slowest a character", lambda row: row[4] / row[3])):
        print(f"\n{title}")
        for steep, name, unit, size, seconds in sorted(rows, key=key, reverse=True)[:10]:
            print(f"{name:28} {unit:24} {steep:5.2f} {size:9,} {seconds:7.2f} s")


if __name__ == "__main__":
    main()
