import random

import pytest

from trail_callbacks.observations import Observation
from trail_callbacks.report.diagnosis import Figure

NOW = 1_800_000_000.0


@pytest.fixture
def now():
    return NOW


@pytest.fixture
def runs():
    """Makes runs at even distances: bad retrieval makes a bad answer, and so does generation by itself."""
    numbers = iter(range(10**9))

    def make(n, since, until, *, retrieval=0.0, generation=0.0, judged=True, rate=1.0, **fields):
        """`since` and `until` are hours before NOW."""
        draw = random.Random(7)  # noqa: S311 - simulated runs keep no secret
        made = []
        for i in range(n):
            lost = draw.random() < retrieval
            wrong = lost or draw.random() < generation
            figures = {
                "query_coverage": Figure(value=0.2 if lost else 1.0, n=5),
                "answer_coverage": Figure(value=0.4 if wrong else 1.0, n=5),
            }
            made.append(
                Observation(
                    id=str(next(numbers)),
                    at=NOW - 3600 * (since + (until - since) * (i + 0.5) / n),
                    state="assessed" if judged else "error",
                    claims=5,
                    outcomes={"supported": 2 if wrong else 5, "absent": 3 if wrong else 0} if judged else {},
                    figures=figures if judged else {},
                    diagnosed=judged,
                    fields=fields,
                    rate=rate,
                )
            )
        return made

    return make
