import math
import random

import pytest
from canary_runs import probe

from trail_callbacks.canary.statistics.rate import FEW, cluster, design, quantile, rate
from trail_callbacks.report.scoring import wilson


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


def test_documents_that_say_nothing_together_cost_little():
    chance = random.Random(1)  # noqa: S311 - played answers
    hits = [(f"d{n // 4}", chance.random() < 0.4) for n in range(400)]
    assert rate(hits, design([hits])).effective > 300


def test_nothing_hit_on_large_documents_bounds_less_than_nothing_hit_on_small_ones():
    clustered, apart = ([(f"d{n // size}", False) for n in range(300)] for size in (10, 1))
    wide, narrow = rate(clustered, design([clustered])), rate(apart, design([apart]))
    assert wide.high > 2 * narrow.high
    assert wide.effective > 100  # and yet by far not only as many as there are documents


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


@pytest.mark.parametrize(
    ("clusters", "expected"), [(5, 2.7764), (6, 2.5706), (11, 2.2281), (31, 2.0423), (10_000, 1.9602)]
)
def test_the_quantile_is_students(clusters, expected):
    assert quantile(clusters) == pytest.approx(expected, rel=0.003)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"documents": ("a.md", "b.md"), "edit": "number-1"}, "document a.md"),
        ({"documents": (), "edit": "number-1"}, "edit number-1"),
        ({"documents": (), "edit": None}, "probe p1"),
    ],
)
def test_a_probe_is_clustered_by_document_then_edit_then_alone(fields, expected):
    assert cluster(probe(1, **fields)) == expected


@pytest.mark.parametrize("k", [0, 1, 7])
def test_limits_are_shares_and_hold_the_share(k):
    found = rate([("d1" if n < 5 else f"d{n}", n < k) for n in range(7)], 1.5)
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0
    assert not math.isnan(found.low)
