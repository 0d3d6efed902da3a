import random

import pytest

from trail_callbacks.monitor import Observation
from trail_callbacks.report.diagnosis import Figure

NOW = 1_800_000_000.0


@pytest.fixture
def now():
    return NOW


@pytest.fixture
def runs():
    """Makes runs at even distances: bad retrieval makes a bad answer, and so does generation by itself."""
    numbers = iter(range(10**9))

    def make(
        n, since, until, *, retrieval=0.0, generation=0.0, judged=True, rate=1.0, by="judge", declines=0.0, **fields
    ):
        """`since` and `until` are hours before NOW."""
        draw = random.Random(7)  # noqa: S311 - simulated runs keep no secret
        made = []
        for i in range(n):
            lost = draw.random() < retrieval
            wrong = lost or draw.random() < generation
            state = "abstained" if draw.random() < declines else "assessed"
            figures = {
                "query_coverage": Figure(value=0.2 if lost else 1.0, n=5, decided_by=by),
                "answer_coverage": Figure(value=0.4 if wrong else 1.0, n=5, decided_by="judge"),
            }
            made.append(
                Observation(
                    id=str(next(numbers)),
                    at=NOW - 3600 * (since + (until - since) * (i + 0.5) / n),
                    state=state if judged else "error",
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


@pytest.fixture
def answer():
    """Makes a judged run of which some claims are unsupported, and some of those contradicted."""

    def make(n, bad=0, *, claims=5, against=0, state="assessed", left=0, judge="judge", key="", **more):
        bad = min(bad, claims)
        outcomes = {"supported": claims - bad, "absent": bad - against, "contradicted": against, "not_judged": left}
        return Observation(
            id=f"run {n}", at=more.pop("at", 0.0), key=key, judge=judge, state=state, claims=claims + left,
            outcomes={name: count for name, count in outcomes.items() if count}, score=bad / claims if claims else None,
            **more,
        )  # fmt: skip

    return make


@pytest.fixture
def release(answer):
    """Makes a release: of its answers one in `every` has an unsupported claim, and one in `worst` a contradiction."""

    def make(size, every=10, *, worst=0, keyed=False, offset=0, kind=None, **more):
        fields = {} if kind is None else {"kind": kind}
        return [
            answer(
                f"{kind} {offset + n}", int(n % every == 0) if every else 0,
                against=int(bool(worst) and n % (every * worst) == 0),
                key=f"{kind} question {offset + n}" if keyed else "", fields=fields, **more,
            )
            for n in range(size)
        ]  # fmt: skip

    return make


@pytest.fixture
def incident(answer):
    """Makes 2,000 runs before the time 1,000,000 and 1,000 from then on; a rollout at 1,400,000 breaks one kind."""

    def make(*, broken=True, always=None, failing=0.0, judge="judge"):
        runs = []
        for n in range(3_000):
            at = n * 500.0 if n < 2_000 else 1_000_000 + (n - 2_000) * 1_000.0
            kind, new = ("faq", "policy", "how")[n % 3], at >= 1_400_000
            lost = n % 20 == 0 or (broken and new and kind == "policy" and n % 2 == 0)
            wrong = (lost and n % 40 != 0) or n % 25 == 0 or (kind == always and n % 5 == 0)
            state = "error" if n >= 2_000 and n % 10 < 10 * failing else "assessed"
            figures = {
                "query_coverage": Figure(value=0.5 if n % 30 == 1 else 1.0, n=4, decided_by="judge"),
                "selection": Figure(value=0.5 if lost else 1.0, n=4, decided_by="judge"),
                "answer_coverage": Figure(value=0.6 if wrong else 1.0, n=5, decided_by="judge"),
            }
            runs.append(
                answer(
                    n, 2 * wrong, claims=0 if state == "error" else 5, state=state, at=at + 1,
                    judge=judge if n >= 2_000 else "judge", figures=figures if state == "assessed" else {},
                    broken="reranking" if lost else None, diagnosed=True, user="someone",
                    versions={"app": "a2" if at >= 1_700_000 else "a1", "reranker": "r2" if new else "r1"},
                    fields={"kind": kind, "request": str(n)},
                )
            )  # fmt: skip
        return runs

    return make
