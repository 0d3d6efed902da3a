"""New versions, and whether runs are worse with them."""

from __future__ import annotations

import pytest

from trail_callbacks.monitor import SIGNALS
from trail_callbacks.monitor.triage import rollouts


@pytest.fixture
def found(answer):
    """Rollouts of runs, one a second, that are bad in a time."""

    def find(versions, bad):
        runs = [answer(t, int(t in bad and t % 2), at=float(t), versions=versions(t)) for t in range(1_000)]
        return {each.version: each for each in rollouts(runs, SIGNALS["unsupported"])}

    return find


def test_what_is_rolled_out_before_or_after_the_cause_is_not_blamed(found):
    rows = found(lambda t: {"app": f"a{t // 300}", "index": "new" if t >= 450 else "old"}, range(450, 1_000))
    assert {name for name, each in rows.items() if each.contrast.worse} == {"new"}
    assert (rows["new"].part, rows["new"].replaced, rows["new"].at) == ("index", "old", 450.0)
    assert set(rows) == {"a1", "a2", "a3", "new"}


def test_what_is_rolled_out_together_is_blamed_together(found):
    rows = found(lambda t: {"app": str(t >= 500), "index": f"i{t >= 503}"}, range(500, 1_000))
    assert {name for name, each in rows.items() if each.contrast.worse} == {"True", "iTrue"}
