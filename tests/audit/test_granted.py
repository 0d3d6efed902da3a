"""A model that is asked only what is granted."""

import asyncio
import time

import pytest
from pydantic import BaseModel

from trail_callbacks.audit.budget import Budget, Ledger
from trail_callbacks.audit.granted import Granted, granted
from trail_callbacks.models.call import Call, Message, Usage
from trail_callbacks.models.drive import drive
from trail_callbacks.testing import ScriptedModel


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


@pytest.mark.parametrize("how", ["sync", "async"])
def test_it_waits_as_long_as_it_is_told(how):
    class Later(Ledger):
        def admit(self, tokens):
            super().admit(tokens)
            return 0.2

    began = time.monotonic()
    assert asked(Granted(scripted(), Later(Budget(), Usage())), how).value.text == "40 m"
    assert time.monotonic() - began >= 0.2


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
