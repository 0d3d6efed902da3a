"""Time on hostile texts grows with their length and not with its square: an exponent is fitted for each reader.

A text is made longer, four times each, until reading it takes long enough to be measured. The short form stops at 32 KB;
`TRAIL_ATTACK=full` goes on to 4 MB, where squares with small factors show as well.
"""

import math
import os
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for readers.py
from readers import READERS, UNITS

FORM = os.environ.get("TRAIL_ATTACK", "")
FULL = FORM == "full"
SMALLEST, LARGEST = 2_000, 4_000_000 if FULL else 32_000  # characters
STEP = 4  # times as long as the text before
LONG = 10.0 if FULL else 0.03  # seconds after which no longer text is tried
BRIEF = 0.01  # seconds that say nothing: noise is as large
STEEPEST = 1.5  # exponent: with `STEP`, 8 times as long; a square takes 16 times, what is linear 4 and the noise


def seconds(read, unit, size, times=1):
    text = (unit * (size // len(unit) + 1))[:size]
    taken = []
    for _ in range(times):
        began = time.process_time()
        read(text)
        taken.append(time.process_time() - began)
    return min(taken)  # what else the machine does only ever adds


def exponent(before, after):
    return math.log(after / max(before, BRIEF / STEP), STEP)


def growth(read, unit):
    """The exponent at the end of the sizes that are tried; of what seems steep it is measured again, one size on."""
    size, before, after = SMALLEST, 0.0, seconds(read, unit, SMALLEST)
    while after < LONG and size < LARGEST:
        size, before, after = size * STEP, after, seconds(read, unit, size * STEP)
    if after < BRIEF or exponent(before, after) <= STEEPEST:
        return 0.0
    return exponent(seconds(read, unit, size, 3), seconds(read, unit, size * STEP, 2))


@pytest.mark.skipif(not FORM, reason="takes minutes: TRAIL_ATTACK=short, or full: make attack")
@pytest.mark.timeout(7200 if FULL else 300)
@pytest.mark.parametrize("name", READERS)
def test_time_grows_with_the_length_of_a_text(name):
    READERS[name]("Words that load what is loaded at first use: 5 km on 1 May 1937.")
    steep = {what: found for what, unit in UNITS.items() if (found := growth(READERS[name], unit)) > STEEPEST}
    assert steep == {}


def test_a_square_is_seen():
    def square(text):
        for i in range(0, len(text), 5):
            text[i:].upper()

    assert growth(square, "a") > STEEPEST
