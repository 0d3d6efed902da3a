"""Settings that make no sense are refused by name."""

import pytest

from trail_callbacks import VerifyOptions
from trail_callbacks.errors import InputError
from trail_callbacks.models.drive import Limits


def test_counts_below_their_least_are_refused():
    with pytest.raises(InputError, match=r"VerifyOptions\.q"):
        VerifyOptions(q=0)
    with pytest.raises(InputError, match="max_calls"):
        VerifyOptions(max_calls=-1)


@pytest.mark.parametrize("limit", [-1.0, float("nan")])
def test_a_limit_that_limits_nothing_is_refused(limit):
    with pytest.raises(InputError, match="max_seconds"):
        VerifyOptions(max_seconds=limit)
    with pytest.raises(InputError, match="max_seconds"):
        Limits(max_seconds=limit)
