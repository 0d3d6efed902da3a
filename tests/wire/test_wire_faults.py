"""What goes wrong on the wire, over real HTTP on loopback: a tiny server that answers as told."""

import asyncio

import pytest
from endpoint import answer, error
from pydantic import BaseModel

from trail_callbacks.models.call import Call, Message
from trail_callbacks.models.instructor import InstructorModel

pytest.importorskip("instructor")
pytestmark = pytest.mark.loopback

KEY = "sk-proj-abcdef0123456789SECRET"


class City(BaseModel):
    name: str


CALL = Call(messages=(Message("user", "Name a city."),), schema=City, purpose="claims", max_tokens=50)


GOOD = answer('{"name": "Oslo"}')


@pytest.fixture(params=["ask", "aask"])
def ask(request):
    def run(model, call=CALL):
        return model.ask(call) if request.param == "ask" else asyncio.run(model.aask(call))

    return run


@pytest.fixture
def serve(endpoints):
    def start(*answers, **options):
        endpoint = endpoints(*answers)
        options = {"http_retries": 0} | options
        return endpoint, InstructorModel("openai/m", base_url=endpoint.url, api_key=KEY, **options)

    return start


def test_a_good_answer(serve, ask):
    endpoint, model = serve(GOOD)
    reply = ask(model)
    assert (reply.value.name, reply.failure) == ("Oslo", None)
    assert (reply.usage.calls, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (1, 10, 5)
    sent = endpoint.requests[0]
    assert sent["max_tokens"] == 50
    assert not {"temperature", "top_p", "seed", "stream"} & sent.keys()
    assert sent["response_format"]["type"] == "json_schema"
    assert endpoint.authorizations[0] == f"Bearer {KEY}"


def test_a_key_of_the_environment_is_not_sent_to_another_endpoint(serve, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    endpoint, _ = serve(GOOD)
    assert InstructorModel("openai/m", base_url=endpoint.url).ask(CALL).failure is None
    assert KEY not in endpoint.authorizations[0]


@pytest.mark.parametrize(("settings", "retries"), [({}, None), ({"http_retries": 1}, 1)])
def test_a_busy_endpoint_is_asked_again_by_the_driver_alone(serve, ask, settings, retries):
    endpoint, model = serve(error(429, "slow down", Retry_After="0.3"), GOOD, **{"http_retries": None} | settings)
    reply = ask(model)
    assert (reply.failure.kind, reply.retry_after, reply.retries) == ("busy", 0.3, retries)
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize(
    "content",
    [
        '<think>I quote {"name": "Bergen"} first</think>{"name": "Oslo"}',
        'the opening tag was eaten</think>\n\n{"name": "Oslo"}',
        '```json\n{"name": "Oslo"}\n```',
    ],
)
def test_reasoning_and_fences_are_removed_without_asking_again(serve, ask, content):
    endpoint, model = serve(answer(content))
    assert ask(model).value.name == "Oslo"
    assert len(endpoint.requests) == 1


def test_an_answer_in_the_reasoning_field_is_found(serve, ask):
    _, model = serve(answer(None, reasoning_content='{"name": "Oslo"}'))
    assert ask(model).value.name == "Oslo"


def test_max_tokens_is_renamed_once_and_leaves_room_to_think(serve, ask):
    endpoint, model = serve(
        error(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            "unsupported_parameter",
            "max_tokens",
        ),
        GOOD,
    )
    assert ask(model).value.name == "Oslo"
    assert ask(model).value.name == "Oslo"
    assert [("max_tokens" in sent, sent.get("max_completion_tokens", 0) > 4000) for sent in endpoint.requests] == [
        (True, False),
        (False, True),
        (False, True),
    ]


def test_a_limit_that_is_too_large_is_left_out(serve, ask):
    endpoint, model = serve(
        error(
            400, "'max_tokens' is too large: 50. This model's maximum context length is 60 tokens.", None, "max_tokens"
        ),
        GOOD,
    )
    assert ask(model).value.name == "Oslo"
    assert [sorted({"max_tokens", "max_completion_tokens"} & sent.keys()) for sent in endpoint.requests] == [
        ["max_tokens"],
        [],
    ]


def test_openai_itself_gets_the_limit_under_its_newer_name():
    model = InstructorModel("openai/gpt-5-mini", api_key="none")
    assert model._optional(CALL) == {"max_completion_tokens": 50 + 8192}


def test_a_rejection_that_dropping_cannot_cure_ends(serve, ask):
    endpoint, model = serve(error(400, "Unsupported parameter: 'max_tokens' and 'max_completion_tokens'"))
    assert ask(model).failure.kind == "rejected"
    assert len(endpoint.requests) == 3


def test_a_model_that_answers_in_text_instead_of_a_tool_is_understood_if_it_is_json(serve, ask):
    _, model = serve(answer('{"name": "Oslo"}'), mode="tools")
    assert ask(model).value.name == "Oslo"
