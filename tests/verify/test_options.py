"""Settings that make no sense are refused by name."""

import pytest

from trail_callbacks import ProvenanceGraph, VerifyOptions, veritrail
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Budget


def test_counts_below_their_least_are_refused():
    with pytest.raises(InputError, match=r"VerifyOptions\.read_tokens"):
        VerifyOptions(read_tokens=0)
    with pytest.raises(InputError, match="q is 0, expected 1 or more"):
        veritrail(ProvenanceGraph.from_texts("It is red.", ["It is blue."]), q=0)
    with pytest.raises(InputError, match=r"Budget\.calls"):
        VerifyOptions(budget=Budget(calls=-1))


@pytest.mark.parametrize("limit", [-1.0, float("nan")])
def test_a_limit_that_limits_nothing_is_refused(limit):
    with pytest.raises(InputError, match=r"Budget\.seconds"):
        Budget(seconds=limit)


def test_a_rate_is_for_runs_of_many():
    with pytest.raises(InputError, match=r"VerifyOptions\.budget has a rate"):
        VerifyOptions(budget=Budget(requests_per_minute=60))
