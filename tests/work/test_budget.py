"""A budget kept for many who ask at once, and a model that is asked only what is granted."""

import asyncio
import threading

import pytest
from pydantic import BaseModel

from trail_callbacks.audit import audit
from trail_callbacks.canary.runs.run import run
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Budget, Call, Failure, Message, Usage
from trail_callbacks.models.drive import drive
from trail_callbacks.testing import ScriptedModel
from trail_callbacks.work import budget
from trail_callbacks.work.budget import Granted, Ledger, granted


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"calls": -1}, r"Budget\.calls is -1"),
        ({"money": float("nan"), "price_in": 1, "price_out": 1}, r"Budget\.money is nan"),
        ({"requests_per_minute": 0.5}, "expected 1 or more"),
        ({"money": 3}, "needs price_in and price_out"),
    ],
)
def test_limits_out_of_range(limits, words):
    with pytest.raises(InputError, match=words):
        Budget(**limits)


def test_no_more_calls_than_allowed_whoever_asks():
    ledger, granted = Ledger(Budget(calls=50), Usage(calls=10)), []

    def ask():
        while not isinstance(ledger.admit(5), Failure):
            granted.append(1)
            ledger.settle(5, Usage(calls=1, prompt_tokens=7), None)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(granted) == 40
    assert ledger.exhausted == "the budget of 50 calls is used up"
    assert ledger.spent == Usage(calls=50, prompt_tokens=280)


def test_tokens_in_flight_count_and_money_is_of_both_prices():
    ledger = Ledger(Budget(tokens=100), Usage())
    ledger.admit(100)
    assert isinstance(ledger.admit(1), Failure)
    assert Budget(price_in=2.0, price_out=10.0).cost(Usage(prompt_tokens=500_000, completion_tokens=100_000)) == 2.0
    assert Budget(price_in=2.0).cost(Usage()) is None


def test_a_pace_makes_the_next_wait_and_a_busy_endpoint_everybody():
    ledger = Ledger(Budget(requests_per_minute=60), Usage())
    waits = [ledger.admit(1) for _ in range(8)]
    assert waits[:6] == [0.0] * 6
    assert 0.5 < waits[6] < waits[7] < 3.0
    ledger = Ledger(Budget(), Usage())
    ledger.admit(1)
    ledger.settle(1, Usage(calls=1), 1000.0)
    assert 59.0 < ledger.admit(1) <= 60.0


@pytest.mark.parametrize("limit", [1, 7, 600])
def test_no_minute_has_more_requests_than_allowed(monkeypatch, limit):
    now = 1000.0
    monkeypatch.setattr(budget, "monotonic", lambda: now)
    bucket, times = budget.Bucket(limit), []
    for _ in range(limit * 2 + 5):
        now += bucket.wait(1)
        bucket.take(1)
        times.append(now)
    assert max(sum(start <= later < start + 60 - 1e-6 for later in times) for start in times) <= limit


def test_who_stopped_it_is_said():
    ledger = Ledger(Budget(), Usage())
    ledger.stop("nobody wants it")
    assert ledger.admit(1) == Failure("budget", "nobody wants it")


class Answer(BaseModel):
    text: str


def call(model=None):
    return Call(messages=(Message("user", "How high is it?"),), schema=Answer, purpose="test", model=model)


def scripted():
    return ScriptedModel(lambda _: {"text": "40 m"}, usage=Usage(calls=1, prompt_tokens=30))


def asked(model, how):
    return model.ask(call()) if how == "sync" else asyncio.run(model.aask(call()))


@pytest.mark.parametrize("how", ["sync", "async"])
def test_over_budget_the_model_is_not_asked(how):
    model, ledger = scripted(), Ledger(Budget(calls=2), Usage())
    replies = [asked(Granted(model, ledger), how) for _ in range(3)]
    assert [None if r.value is None else r.value.text for r in replies] == ["40 m", "40 m", None]
    assert str(replies[2].failure) == "budget: the budget of 2 calls is used up"
    assert replies[2].usage == Usage()
    assert (len(model.calls), ledger.spent) == (2, Usage(calls=2, prompt_tokens=60))


def test_a_model_that_raises_costs_its_grant_no_call():
    def broken(_):
        raise OSError("no route")

    ledger = Ledger(Budget(calls=1), Usage())
    with pytest.raises(OSError, match="no route"):
        Granted(ScriptedModel(broken), ledger).ask(call())
    assert ledger.spent == Usage()
    assert ledger.admit(1) == 0.0


def test_calls_that_name_a_model_ask_for_a_grant_too():
    own, other, ledger = scripted(), scripted(), Ledger(Budget(calls=1), Usage())

    def work():
        return (yield [call(own), call(own)])

    replies, _ = drive(granted(work(), lambda model: Granted(model, ledger)), other)
    assert sorted(str(reply.failure) for reply in replies) == ["None", "budget: the budget of 1 calls is used up"]
    assert (len(own.calls), len(other.calls)) == (1, 0)


@pytest.mark.parametrize(
    "start",
    [
        lambda path, budget: audit(path / "rows.jsonl", out=path / "out", budget=budget),
        lambda path, budget: run([], str, out=path / "out", budget=budget),
    ],
    ids=["audit", "canary"],
)
def test_the_time_of_one_report_is_refused_for_a_run_of_many(tmp_path, start):
    (tmp_path / "rows.jsonl").write_text('{"answer": "It is red.", "sources": ["It is red."]}\n')
    with pytest.raises(InputError, match=r"Budget\.seconds is for one report"):
        start(tmp_path, Budget(seconds=5))
    assert not (tmp_path / "out").exists()
