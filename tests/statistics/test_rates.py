import pytest

from trail_callbacks.statistics.intervals import wilson
from trail_callbacks.statistics.rates import FEW, design, rate


def test_one_trial_a_document_is_a_plain_wilson_interval():
    found = rate([(f"d{n}", n < 3) for n in range(20)], prior=4.0)
    assert (found.k, found.n, found.value, found.effective, found.documents) == (3, 20, 0.15, 20, 20)
    assert (found.low, found.high) == wilson(0.15, 20)


def test_no_trial_is_no_share_and_a_reason():
    found = rate([], why="the empty arm was not asked")
    assert (found.value, found.low, found.high) == (None, None, None)
    assert found.as_data() == {
        "k": 0, "n": 0, "value": None, "low": None, "high": None, "why": "the empty arm was not asked",
    }  # fmt: skip


def test_trials_that_go_wrong_by_document_count_as_fewer():
    hits = [(f"d{n // 10}", n // 10 % 2 == 0) for n in range(200)]
    found = rate(hits, design([hits]))
    assert found.effective < 30
    assert found.documents == 20
    plain = wilson(0.5, 200)
    assert found.low < plain[0] - 0.05
    assert found.high > plain[1] + 0.05


@pytest.mark.parametrize("documents", [1, FEW - 1])
def test_few_documents_are_about_their_own_questions(documents):
    found = rate([(f"d{n % documents}", n % documents == 0) for n in range(60)])
    assert (found.effective, found.documents) == (60, documents)
    assert (found.low, found.high) == wilson(found.value, 60)


def test_the_fewer_documents_the_wider():
    def width(documents):
        found = rate([(f"d{n % documents}", n // documents % 2 == 0) for n in range(360)])
        return found.high - found.low

    assert width(5) > width(10) > width(36) > width(180)
