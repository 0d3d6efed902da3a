"""What calls may cost together."""

import pytest
from echoes import Echo, echo, pipeline

from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Budget, Failure, Reply, Usage
from trail_callbacks.testing import ScriptedModel


def test_calls_over_the_call_budget_are_not_made_and_say_so(run):
    model = ScriptedModel(echo)
    result, usage = run(pipeline("ab", "cd"), model, Budget(calls=3))
    assert [reply.failure for reply in result[0]] == [None, None]
    assert [reply.failure for reply in result[1]] == [None, Failure("budget", "the budget of 3 calls is used up")]
    assert usage.calls == len(model.calls) == 3


def test_retries_count_against_the_call_budget(run):
    model = ScriptedModel(echo, usage=Usage(calls=2))
    result, _ = run(pipeline("a", "b"), model, Budget(calls=2))
    assert result[1][0].failure.kind == "budget"


def test_cached_replies_do_not_use_up_the_call_budget(run):
    model = ScriptedModel(lambda call: Reply(value=Echo(text="x"), usage=Usage(cache_hits=1)))
    result, usage = run(pipeline("a", "b", "c"), model, Budget(calls=1))
    assert [batch[0].failure for batch in result] == [None, None, None]
    assert (usage.calls, usage.cache_hits) == (0, 3)


@pytest.mark.parametrize("budget", [Budget(calls=0), Budget(tokens=0), Budget(seconds=0)])
def test_a_budget_of_nothing_makes_no_call(run, budget):
    model = ScriptedModel(echo)
    result, usage = run(pipeline("ab"), model, budget)
    assert all(reply.failure.kind == "budget" for reply in result[0])
    assert model.calls == []
    assert usage.calls == 0


def test_the_token_budget_stops_later_calls(run):
    model = ScriptedModel(echo, usage=Usage(calls=1, prompt_tokens=60, completion_tokens=40))
    result, usage = run(pipeline("a", "b", "c"), model, Budget(tokens=150))
    assert [batch[0].failure for batch in result] == [
        None,
        None,
        Failure("budget", "the budget of 150 tokens is used up"),
    ]
    assert usage.calls == 2


def test_no_call_starts_after_the_time_is_over(run):
    result, _ = run(pipeline("a", "b"), ScriptedModel(echo, delay=1.1), Budget(seconds=1))
    assert [batch[0].failure for batch in result] == [None, Failure("budget", "1 seconds are over")]


@pytest.mark.parametrize("bad", [{"calls": -1}, {"tokens": -5}, {"seconds": -0.1}])
def test_limits_out_of_range_are_refused(bad):
    with pytest.raises(InputError, match=next(iter(bad))):
        Budget(**bad)


def test_a_call_is_told_how_much_time_is_left(run):
    model = ScriptedModel(echo, delay=0.1)
    run(pipeline("a", "b"), model, Budget(seconds=20))
    left = [call.seconds for call in model.calls]
    assert 19 < left[1] < left[0] - 0.09 < 20
    model = ScriptedModel(echo)
    run(pipeline("a"), model)
    assert model.calls[0].seconds is None
