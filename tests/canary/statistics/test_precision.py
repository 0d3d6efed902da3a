from canary_runs import probe, run

from trail_callbacks.canary.report.results import assess
from trail_callbacks.canary.statistics.rates import planned, precision
from trail_callbacks.statistics.rates import rate


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
    assert alone == of(80)  # of so few documents nothing is said about others
