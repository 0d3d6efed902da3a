import pytest

from trail_callbacks.observations import Observation


@pytest.fixture
def answer():
    """Makes a judged run of which some claims are unsupported, and some of those contradicted."""

    def make(n, bad=0, *, claims=5, against=0, state="assessed", left=0, judge="judge", key="", **more):
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
