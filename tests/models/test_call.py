from trail_callbacks.models.call import Call, Message, Usage


def test_costs_add_up():
    one = Usage(calls=1, prompt_tokens=10, cached_tokens=8, completion_tokens=2, seconds=0.5, cache_hits=3)
    other = Usage(calls=2, prompt_tokens=5, cached_tokens=4, completion_tokens=1, seconds=1.5, cache_hits=4)
    assert one + other == Usage(
        calls=3, prompt_tokens=15, cached_tokens=12, completion_tokens=3, seconds=2.0, cache_hits=7
    )
    assert one + Usage() == one


def test_calls_with_the_same_question_are_equal_whatever_a_cache_keeps_of_them():
    message = Message("user", "Is it?")
    kept = Call(messages=(message,), schema=None, purpose="claims", worth_keeping=lambda _: True)
    assert kept == Call(messages=(message,), schema=None, purpose="claims")
    assert kept != Call(messages=(message,), schema=None, purpose="verdicts")
