"""`trail alerts metrics`: the counters of a store."""

import pytest

from trail_callbacks import check
from trail_callbacks.monitor import observe

SOURCES = ["The ferry takes 40 minutes.", "A ticket costs 9 euros."]


@pytest.fixture
def store(tmp_path):
    pytest.importorskip("sqlalchemy")
    from trail_callbacks.store import Store

    path = str(tmp_path / "trail.db")
    opened = Store(path)
    for n, price in enumerate((9, 12, 13)):
        report = check(f"The ferry takes 40 minutes. A ticket costs {price} euros.", SOURCES)
        opened.add(report, run=observe(report, at=float(n), rate=0.25))
    assert opened.flush(30)
    opened.close()
    return path


def test_runs_are_counted_with_what_they_stand_for(trail, store):
    status, out, err = trail("alerts", "metrics", "--store", store)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert "trail_runs_total 12" in lines
    assert 'trail_decided_runs_total{signal="contradiction"} 12' in lines
    assert 'trail_bad_runs_total{signal="contradiction"} 8' in lines
    assert 'trail_squared_weight_total{signal="contradiction"} 48' in lines
    assert 'trail_decided_runs_total{signal="query_coverage"} 0' in lines
    assert 'trail_claims_total{outcome="contradicted"} 8' in lines


def test_segments_of_objectives_are_there_from_the_start(trail, store, file, tmp_path):
    objectives = file(
        "o.toml", '[[objective]]\nsignal = "contradiction"\nobjective = 0.95\nsegment = { tenant = "acme" }'
    )
    into = tmp_path / "trail.prom"
    assert trail("alerts", "metrics", "--store", store, "--objectives", objectives, "-o", str(into)) == (0, "", "")
    assert 'trail_runs_total{segment="tenant",value="acme"} 0\n' in into.read_text()
