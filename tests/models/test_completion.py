from types import SimpleNamespace as Fields

import pytest

from trail_callbacks.models.call import Usage
from trail_callbacks.models.salvage import raw_text, refusal, usage


def completion(finish_reason="stop", **message):
    return Fields(choices=[Fields(finish_reason=finish_reason, message=Fields(**message))])


def tool_call(arguments):
    return Fields(function=Fields(arguments=arguments))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (completion(content='<think>{"a": 0}</think>{"a": 1}'), '{"a": 1}'),
        (completion(content=[{"type": "text", "text": '{"a"'}, {"type": "text", "text": ": 1}"}]), '{"a": 1}'),
        (completion(content=None, tool_calls=[tool_call('{"a": 1}')]), '{"a": 1}'),
        (completion(content="prose", tool_calls=[tool_call(None)]), "prose"),
        (completion(content=None), None),
        (Fields(choices="none"), None),
        ("<html>", None),
    ],
)
def test_what_a_model_wrote_is_its_text_or_the_arguments_of_its_call(given, text):
    assert raw_text(given) == text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (completion(content="x", refusal="I cannot."), "I cannot."),
        (completion(content="x", finish_reason="content_filter"), "the provider's content filter stopped the answer"),
        (completion(content="I cannot."), None),
        (None, None),
    ],
)
def test_a_refusal_is_told_from_an_answer(given, words):
    assert refusal(given) == words


@pytest.mark.parametrize(
    ("counted", "tokens"),
    [
        (Fields(input_tokens=10, output_tokens=3), (10, 3)),
        (Fields(prompt_tokens=0, input_tokens=10, completion_tokens=None, output_tokens=3), (10, 3)),
        (Fields(prompt_tokens="many", completion_tokens=-1), (0, 0)),
        (Fields(prompt_tokens=10, prompt_tokens_details=Fields(cached_tokens=8)), (10, 0, 8)),
        (Fields(input_tokens=10, input_tokens_details=Fields(cached_tokens=8)), (10, 0, 8)),
        (Fields(input_tokens=10, cache_read_input_tokens=8), (10, 0, 8)),
        (None, (0, 0)),
    ],
)
def test_tokens_are_counted_under_either_name(counted, tokens):
    read, written, *cached = tokens
    expected = Usage(calls=2, prompt_tokens=read, completion_tokens=written, cached_tokens=sum(cached))
    assert usage(counted, 2) == expected
