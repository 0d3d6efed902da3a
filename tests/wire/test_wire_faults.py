"""What goes wrong on the wire, over real HTTP on loopback: a tiny server that answers as told."""

import asyncio
import json
import socket
import threading
import time
from contextlib import closing

import pytest
from endpoint import Answer, answer, error, tool_answer
from pydantic import BaseModel

from trail_callbacks.errors import JudgeError
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


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_is_unauthorised_and_never_shown(serve, ask, status):
    _, model = serve(
        error(status, f"Incorrect API key provided: {KEY}. Also sk-other-0123456789abc.", "invalid_api_key")
    )
    reply = ask(model)
    assert str(reply.failure).startswith("unauthorised: Incorrect API key provided: [key]")
    assert "SECRET" not in reply.failure.detail
    assert "sk-" not in reply.failure.detail
    assert reply.usage.calls == 1


@pytest.mark.parametrize(("settings", "retries"), [({}, None), ({"http_retries": 1}, 1)])
def test_a_busy_endpoint_is_asked_again_by_the_driver_alone(serve, ask, settings, retries):
    endpoint, model = serve(error(429, "slow down", Retry_After="0.3"), GOOD, **{"http_retries": None} | settings)
    reply = ask(model)
    assert (reply.failure.kind, reply.retry_after, reply.retries) == ("busy", 0.3, retries)
    assert len(endpoint.asked) == 1


def test_what_instructor_logs_for_others_stays(serve, ask, caplog):
    import logging

    _, model = serve(error(500, "oops"))
    ask(model)
    assert not caplog.records
    logging.getLogger("instructor.v2.retry").error("the app's own request")
    assert [record.getMessage() for record in caplog.records] == ["the app's own request"]


def test_an_endpoint_that_is_down_is_unreachable(ask):
    with closing(socket.socket()) as deaf:  # bound, so that nobody else takes the port, and not listening
        deaf.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/v1"
        reply = ask(InstructorModel("openai/m", base_url=url, http_retries=0))
    assert reply.failure.kind == "unreachable"
    assert reply.usage.prompt_tokens == 0


def test_broken_json_is_cured_by_asking_again(serve, ask):
    endpoint, model = serve(answer('{"name": "Os'), GOOD, max_retries=1)
    reply = ask(model)
    assert reply.value.name == "Oslo"
    assert (reply.usage.calls, reply.usage.prompt_tokens) == (2, 20)
    assert len(endpoint.requests[1]["messages"]) == 3


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


def test_a_cut_answer_is_a_length_failure_with_its_text(serve, ask):
    endpoint, model = serve(answer('{"name": "Os', finish="length"))
    reply = ask(model)
    assert reply.failure.kind == "length"
    assert reply.text == '{"name": "Os'
    assert (len(endpoint.requests), reply.usage.calls, reply.usage.completion_tokens) == (1, 1, 5)


@pytest.mark.parametrize(
    "refusing",
    [
        answer("", finish="content_filter"),
        answer(None, refusal="I cannot help with that."),
        error(
            400,
            "The response was filtered due to the prompt triggering the content management policy.",
            "content_filter",
        ),
    ],
)
def test_a_refusal_is_not_an_error_of_shape(serve, ask, refusing):
    _, model = serve(refusing)
    reply = ask(model)
    assert reply.failure.kind == "refused"
    assert reply.value is None


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


def test_a_provider_that_ignores_the_endpoint_is_refused():
    with pytest.raises(JudgeError, match=r"ignores base_url for 'perplexity'.*openai/sonar"):
        InstructorModel("perplexity/sonar", base_url="http://127.0.0.1:9/v1")


def test_a_rejected_sampling_parameter_is_dropped_and_remembered(serve, ask):
    endpoint, model = serve(
        error(
            400,
            "Unsupported value: 'temperature' does not support 0 with this model.",
            "unsupported_value",
            "temperature",
        ),
        GOOD,
        temperature=0,
        seed=7,
    )
    reply = ask(model)
    assert reply.value.name == "Oslo"
    assert reply.usage.calls == 2
    ask(model)
    assert ["temperature" in sent for sent in endpoint.requests] == [True, False, False]
    assert all(sent["seed"] == 7 for sent in endpoint.requests)


def test_a_rejection_that_dropping_cannot_cure_ends(serve, ask):
    endpoint, model = serve(error(400, "Unsupported parameter: 'max_tokens' and 'max_completion_tokens'"))
    assert ask(model).failure.kind == "rejected"
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(
    ("given", "category"),
    [
        (error(500, "oops"), "failed: oops"),
        (error(404, "The model m does not exist", "model_not_found"), "rejected: The model m does not exist"),
        (Answer(200, b"<html>a proxy's page</html>", {"Content-Type": "text/html"}), ""),
        (Answer(200, {"unexpected": True}), ""),
        (Answer(200, b"{not json"), ""),
        (answer(None), ""),
    ],
)
def test_everything_else_is_a_reply_too(serve, ask, given, category):
    _, model = serve(given)
    reply = ask(model)
    assert reply.value is None
    assert str(reply.failure).startswith(category)
    assert reply.failure.kind in {"failed", "invalid", "rejected"}


def test_a_model_that_is_forgotten_stops_its_thread(serve):
    import gc

    _, model = serve(GOOD)
    model.ask(CALL)
    thread = next(t for t in threading.enumerate() if t.name == "trail-models" and t.is_alive())
    before = sum(t.name == "trail-models" for t in threading.enumerate())
    assert thread.daemon
    del model
    deadline = time.monotonic() + 10
    while sum(t.name == "trail-models" for t in threading.enumerate()) >= before and time.monotonic() < deadline:
        gc.collect()
        threading.Event().wait(0.01)
    assert sum(t.name == "trail-models" for t in threading.enumerate()) < before


@pytest.mark.parametrize(
    "options",
    [
        {"model": "m"},
        {"model": None},
        {"model": "openai/m", "mode": "telepathy", "api_key": "x"},
        {"model": "openai/m", "stream": True, "api_key": "x"},
        {"model": "openai/m", "timeout": 0, "api_key": "x"},
        {"model": "m", "client": object()},
    ],
)
def test_wrong_settings_are_refused(options):
    with pytest.raises(JudgeError):
        InstructorModel(**options)


def test_tools_are_openais_default_way_and_work(serve, ask):
    endpoint, model = serve(tool_answer('{"name": "Oslo"}'), mode="tools")
    assert ask(model).value.name == "Oslo"
    assert endpoint.requests[0]["tool_choice"]["function"]["name"] == "City"
    assert InstructorModel("openai/gpt-5-mini", api_key="none")._client.mode.name == "TOOLS"


def test_a_model_that_answers_in_text_instead_of_a_tool_is_understood_if_it_is_json(serve, ask):
    _, model = serve(answer('{"name": "Oslo"}'), mode="tools")
    assert ask(model).value.name == "Oslo"


def test_a_whole_verification_over_http(serve):
    """Replies written by hand, as a good judge would give them."""
    from trail_callbacks import check
    from trail_callbacks.judges.llm.judge import LLMJudge

    claims = {
        "abstained": False,
        "claims": [{"quote": "Oslo has 9 trams", "claim": "Oslo has 9 trams.", "checkable": True}],
    }

    def verdicts(passage):
        item = {"claim": "c1", "contradicting": [passage], "comparison": "Six, not nine.", "support": "contradicted"}
        return {"verdicts": [item | {"error_type": "number", "second_type": "none", "detail": "none"}]}

    endpoint, model = serve(tool_answer(json.dumps(claims)), tool_answer(json.dumps(verdicts("s1"))), mode="tools")
    report = check("Oslo has 9 trams.", "Oslo has 6 trams.", judge=LLMJudge(model))
    assert report.summary()["class_counts"] == {"contradicted": 1}
    assert report.summary()["error_counts"] == {"number": 1}
    assert report.verdict("c1").evidence[0].quote == "Oslo has 6 trams."
    assert (report.usage.calls, report.usage.prompt_tokens, report.usage.completion_tokens) == (2, 20, 10)
    assert len(endpoint.requests) == 2
