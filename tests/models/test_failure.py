import pickle

from trail_callbacks.models import Failure


def test_a_failure_is_printed_with_its_kind_and_compared_by_value():
    failure = Failure("busy", "slow down: 3 calls")
    assert str(failure) == "busy: slow down: 3 calls"
    assert pickle.loads(pickle.dumps(failure)) == failure  # noqa: S301 - our own
    assert len({failure, Failure("busy", "slow down: 3 calls"), Failure("failed", "slow down: 3 calls")}) == 2
