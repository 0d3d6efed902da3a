"""Rules of a gate."""

from __future__ import annotations

import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.monitor import Policy


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"margin": 0.0}, "margin is 0.0, expected above 0.0 and below 1.0"),
        ({"margin": float("nan")}, "margin is nan"),
        ({"contradiction_margin": 1.0}, "contradiction_margin is 1.0"),
        ({"alpha": 0.5}, "alpha is 0.5, expected above 0.0 to 0.2"),
        ({"power": 1.0}, "power is 1.0"),
        ({"minimum": 3}, "minimum is 3, expected 10 or more"),
        ({"max_undecided": 1.5}, "max_undecided is 1.5"),
        ({"on_undecided": "ignore"}, "on_undecided is 'ignore', expected 'pass' or 'fail'"),
        ({"critical": frozenset({"x"})}, "say of which one"),
    ],
)
def test_values_out_of_range_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        Policy(**given)
