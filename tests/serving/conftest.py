"""A store with runs of two releases, one of which is worse for one kind of question."""

import random

import pytest

from trail_callbacks import check
from trail_callbacks.monitor import DocumentUse, Observation
from trail_callbacks.report.diagnosis import Figure

NOW = 1_790_000_000.0
HOSTILE = "<script>alert(1)</script> \u202egnorw\u202c \"'{{7*7}} https://sink.example/x"


def played(n):
    rng = random.Random(7)  # noqa: S311 - plays traffic
    for i in range(n):
        release, kind = ("v1" if i < n // 2 else "v2"), rng.choice(["billing", "legal"])
        bad = rng.random() < (0.5 if (release, kind) == ("v2", "legal") else 0.05)
        coverage = Figure(value=rng.choice([1.0, 0.5]), n=4, decided_by="judge")
        yield Observation(
            id=f"run {i}/{HOSTILE if i == 3 else ''}",
            at=NOW - 6 * 86_400 * (1 - i / n),
            key=str(i),
            judge="local/4",
            state="assessed",
            score=0.5 if bad else 0.0,
            claims=2,
            outcomes={"supported": 1, "contradicted": 1} if bad else {"supported": 2},
            figures={
                "query_coverage": coverage,
                "answer_coverage": Figure(value=0.5 if bad else 1.0, n=2, decided_by="judge"),
            },
            broken="generation" if bad else None,
            diagnosed=True,
            release=release,
            versions={"app": release},
            fields={"query_class": kind, "team": HOSTILE},
            documents=(
                DocumentUse(
                    name=HOSTILE if i == 3 else "a.md", passages=2, selected=1, updated=NOW - 9e5, ingested=NOW - 8e5
                ),
            ),
        )


@pytest.fixture
def store(tmp_path):
    from trail_callbacks.store import Store

    opened = Store(str(tmp_path / "trail.db"))
    opened.put_observations(played(120))
    said = f"The ferry takes 40 minutes. A ticket costs 12 euros. {HOSTILE}"
    opened.put(
        [(check(said, ["The ferry takes 40 minutes.", "A ticket costs 9 euros."], f"How long? {HOSTILE}"), None)]
    )
    yield opened
    opened.close(5)
