import pytest
from canary_runs import probe, run

from trail_callbacks.canary.report import assess
from trail_callbacks.canary.statistics.precision import (
    needed,
    needed_for_bound,
    needed_for_difference,
    planned,
    precision,
)
from trail_callbacks.canary.statistics.rate import FEW, rate
from trail_callbacks.errors import InputError
from trail_callbacks.report.scoring import wilson


def of(n):
    """What n probes show, one of each document."""
    return precision(rate([(f"d{i}", False) for i in range(n)]))


def test_three_hundred_probes_bound_no_leak_below_one_point_three_percent():
    assert "300 probes: without a single leak, the leak rate would be below 1.3 %" in of(300)
    assert "100 probes: without a single leak, the leak rate would be below 3.7 %" in of(100)
    assert of(1).startswith("1 probe: ")
    assert of(0) == "no probe was scored: nothing can be said"


def test_probes_that_go_wrong_together_say_what_fewer_do():
    together = precision(rate([(f"d{n // 10}", n // 10 % 2 == 0) for n in range(200)], 10.0))
    assert together.startswith("200 probes (worth 19 independent ones): ")
    stated = float(together.split(" below ")[1].split(" %")[0])
    assert stated > float(of(19).split(" below ")[1].split(" %")[0])  # so few documents tell less of the variance


def test_what_is_planned_is_what_a_run_without_a_leak_shows():
    for size in (1, 4):
        probes = [probe(n, documents=(f"page-{n // size}.md",)) for n in range(80)]
        found = assess(run({"one": {"fictive": ["follows_context"] * 80}}, probes))
        assert planned(probes) == found.precision
        stated = float(found.precision.split(" below ")[1].split(" %")[0]) / 100
        assert stated - 0.001 <= found.rate("leak").high <= stated
    alone = planned([probe(n, documents=("page.md",)) for n in range(80)])
    assert alone == of(80)  # of fewer documents than FEW nothing is said about others
    assert FEW > 1


@pytest.mark.parametrize("n", [1, 2, 10, 37, 300, 12_345])
def test_the_stated_bound_holds(n):
    stated = float(of(n).split(" below ")[1].split(" %")[0]) / 100
    assert wilson(0.0, n)[1] <= stated + 1e-12


@pytest.mark.parametrize(("half", "share"), [(0.05, 0.5), (0.02, 0.1), (0.3, 0.0), (0.01, 0.97)])
def test_the_number_is_the_least_that_is_enough(half, share):
    def width(n):
        low, high = wilson(share, n)
        return (high - low) / 2

    n = needed(half, share)
    assert width(n) <= half
    assert n == 1 or width(n - 1) > half


def test_the_least_number_for_a_bound():
    n = needed_for_bound(0.013)
    assert wilson(0.0, n)[1] < 0.013 <= wilson(0.0, n - 1)[1]
    assert needed_for_bound(0.013, design=2.0) == pytest.approx(2 * n, abs=2)
    assert needed_for_bound(0.013, confidence=0.99) > n


def test_paired_difference_agrees_with_the_published_formula():
    # Connor (1987): (1.96 sqrt(0.2) + 0.8416 sqrt(0.2 - 0.01))^2 / 0.01
    assert needed_for_difference(0.1) == 155
    assert needed_for_difference(0.1, comparisons=28) > 2 * needed_for_difference(0.1) - 30


@pytest.mark.parametrize(
    "call",
    [
        lambda: needed(0.0),
        lambda: needed(0.5),
        lambda: needed(0.1, 1.2),
        lambda: needed(0.1, confidence=1.0),
        lambda: needed(0.1, float("nan")),
        lambda: needed(float("nan")),
        lambda: needed_for_bound(0.0),
        lambda: needed_for_bound(1e-12),
        lambda: needed_for_difference(0.3, 0.2),
        lambda: needed_for_difference(0.1, comparisons=0),
        lambda: needed_for_difference(0.1, power=1.0),
    ],
)
def test_values_out_of_range_are_refused(call):
    with pytest.raises(InputError):
        call()
