"""A source of four million characters makes no guard pass what it could not check, nor wait for longer than it may."""

import random
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("langchain", minversion="1.2.9")
sys.path.insert(0, str(Path(__file__).parent))
from apps import APPS

SIZE = 4_000_000
FALSE = "The lighthouse of Genoa is 97 metres tall."
TIMEOUT = 3.0
SLACK = 1.0


def hostile(size):
    """Sentences that are all different, all about the subject, and none of which says how high it is."""
    chance = random.Random(7)  # noqa: S311 - no secret
    words = ["lighthouse", "Genoa", "metres", "tall", "keeper", "ferry", "harbour", "lantern", "1543", "stone"]
    parts, length = ["The lighthouse of Genoa is 77 metres tall."], 0
    while length < size:
        parts.append(f"The {' '.join(chance.choices(words, k=9))} of {chance.randrange(10**6)} was seen by Ada.")
        length += len(parts[-1]) + 1
    return " ".join(parts)


SOURCE = hostile(SIZE)


def timed(guard, **settings):
    """What the user gets, and how long the guard took besides what the same app takes whose answer is not judged."""
    start = time.perf_counter()
    APPS[guard]("Hello!", SOURCE, "ainvoke", {"timeout": 0.001, "on_fail": "annotate", "stream": "buffer"})
    unjudged = time.perf_counter() - start
    start = time.perf_counter()
    visible = APPS[guard](FALSE, SOURCE, "ainvoke", {"on_fail": "block", **settings})
    return visible.replace(SOURCE, "").replace(repr(SOURCE)[1:-1], ""), time.perf_counter() - start - unjudged


@pytest.mark.parametrize("on_error", ["open", "closed"])
@pytest.mark.parametrize("guard", APPS)
def test_a_huge_source_opens_no_guard(guard, on_error):
    for timeout in (TIMEOUT, 0.05):  # with time enough for the offline judge, and with far too little
        visible, seconds = timed(guard, timeout=timeout, on_error=on_error)
        assert "97 metres" not in visible
        assert seconds < timeout + SLACK
