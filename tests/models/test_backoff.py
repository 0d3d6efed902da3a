"""When a call is made again, and how long that waits."""

import time
from dataclasses import replace

import pytest
from echoes import Echo, busy, echo, pipeline

from trail_callbacks.models.call import Budget, Failure, Reply, Usage
from trail_callbacks.testing import ScriptedModel


def test_a_busy_model_is_asked_again_when_it_said(run):
    model = ScriptedModel([busy(0.2), busy(0.2), {"text": "fine"}])
    result, usage = run(pipeline("a"), model)
    assert result[0][0].value.text == "fine"
    assert usage.calls == len(model.calls) == 3
    assert 0.4 <= usage.seconds < 5


def test_a_busy_model_that_names_no_time_is_asked_after_growing_pauses(run, monkeypatch):
    monkeypatch.setattr("trail_callbacks.models.provider_error._FIRST", 0.1)
    times = []
    model = ScriptedModel(lambda call: times.append(time.monotonic()) or (busy(0) if len(times) < 3 else {"text": "x"}))
    result, _ = run(pipeline("a"), model)
    assert result[0][0].failure is None
    assert times[1] - times[0] > 0.07
    assert times[2] - times[1] > 0.14  # on a busy machine both may be longer


@pytest.mark.parametrize(
    ("reply", "calls"),
    [
        (busy(None), 1),  # its client has asked again already
        (busy(3600), 1),  # nobody waits an hour
        (busy(float("inf")), 1),
        (Reply(failure=Failure("invalid", "x"), usage=Usage(calls=1)), 1),
        (Reply(value=Echo(text="x"), retry_after=0.1, usage=Usage(calls=1)), 1),
        (replace(busy(0.001), retries=4), 5),
        (busy(0.001), 9),
        (replace(busy(0.001), failure=Failure("failed", "x")), 3),
    ],
)
def test_asking_again_has_bounds(run, reply, calls, monkeypatch):
    monkeypatch.setattr("trail_callbacks.models.provider_error._FIRST", 0.01)
    model = ScriptedModel(lambda call: reply)
    result, usage = run(pipeline("a"), model)
    assert result[0][0] is reply
    assert len(model.calls) == usage.calls == calls
    assert usage.seconds < 10


def test_asking_again_keeps_to_the_budget(run):
    model = ScriptedModel(lambda call: busy(30))
    result, usage = run(pipeline("a"), model, Budget(seconds=5))
    assert str(result[0][0].failure) == "busy: slow down"
    assert (usage.calls, usage.seconds < 4) == (1, True)
    model = ScriptedModel(lambda call: busy(0.001))
    result, usage = run(pipeline("a"), model, Budget(calls=2))
    assert str(result[0][0].failure) == "busy: slow down"
    assert usage.calls == 2


def test_one_busy_call_does_not_hold_up_the_others(run):
    def answer(call):
        first = call.messages[-1].content == "a" and sum(c.messages[-1].content == "a" for c in model.calls) == 1
        return busy(0.5) if first else echo(call)

    model = ScriptedModel(answer)
    result, usage = run(pipeline("abc"), model)
    assert [reply.value.text for reply in result[0]] == list("abc")
    assert usage.calls == 4
    assert [c.messages[-1].content for c in model.calls][-1] == "a"
