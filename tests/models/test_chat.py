import pytest

from trail_callbacks.models.chat import failed_reply


def http(status, headers=None, sent=None, kind="RateLimitError"):
    """As clients built on httpx raise it."""
    httpx = pytest.importorskip("httpx")
    request = httpx.Request("POST", "http://127.0.0.1:9/v1", headers=sent or {})
    error = type(kind, (Exception,), {})("slow down")
    error.response = httpx.Response(status, headers=headers or {}, request=request)
    error.status_code = status
    return error


def test_a_busy_model_of_the_app_may_be_asked_again_when_it_says():
    error = http(429, {"Retry-After": "7"})
    error.llm_output = "half an ans"
    reply = failed_reply(error)
    assert (str(reply.failure), reply.retry_after, reply.text) == (
        "busy: RateLimitError: slow down",
        7.0,
        "half an ans",
    )


@pytest.mark.parametrize("headers", [{}, {"Retry-After": "soon"}, {"Retry-After": "-3"}])
def test_one_that_does_not_say_is_asked_after_a_pause_of_ours(headers):
    assert failed_reply(http(429, headers)).retry_after == 0.0


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("ResourceExhausted", "quota"),
        ("RuntimeError", "Too Many Requests for url"),
        ("ValueError", "Error code: 529 - the model is currently Overloaded"),
        ("ClientError", "rate-limit reached, try later"),
    ],
)
def test_clients_that_keep_no_status_are_told_by_name_or_text(kind, text):
    reply = failed_reply(type(kind, (Exception,), {})(text))
    assert (str(reply.failure), reply.retry_after) == (f"busy: {kind}: {text}", 0.0)


def test_what_the_client_has_repeated_already_is_not_repeated_again():
    openai, httpx = pytest.importorskip("openai"), pytest.importorskip("httpx")
    tries = []

    def answer(request):
        tries.append(request)
        return httpx.Response(429, headers={"Retry-After": "0.01"}, json={"error": {"message": "slow down"}})

    client = openai.OpenAI(
        api_key="x", base_url="http://127.0.0.1:9/v1", http_client=httpx.Client(transport=httpx.MockTransport(answer))
    )
    with pytest.raises(openai.RateLimitError) as caught:
        client.chat.completions.create(model="m", messages=[])
    reply = failed_reply(caught.value)
    assert len(tries) == 3
    assert str(reply.failure).startswith("busy: RateLimitError")
    assert reply.retry_after is None


@pytest.mark.parametrize(
    ("error", "category"),
    [
        (TimeoutError("late"), "unreachable"),
        (http(500, {"Retry-After": "1"}, kind="InternalServerError"), "failed"),
        (type("ContentFilterError", (Exception,), {})("no"), "refused"),
    ],
)
def test_other_failures_stand(error, category):
    reply = failed_reply(error)
    assert reply.failure.kind == category
    assert reply.retry_after is None


def status(number, message, **fields):
    error = http(number, kind="APIStatusError")
    error.args = (message,)
    for name, value in fields.items():
        setattr(error, name, value)
    return error


def botocore(code, message, http_status):
    error = type("ClientError", (Exception,), {})(f"An error occurred ({code}): {message}")
    error.response = {"Error": {"Code": code, "Message": message}, "ResponseMetadata": {"HTTPStatusCode": http_status}}
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (status(401, "no rate limit for this key"), "unauthorised"),
        (status(400, "This model's maximum context length is 8192 tokens"), "too_long"),
        (status(400, "The response was filtered", code="content_filter"), "refused"),
        (status(400, "temperature must be 1"), "rejected"),
        (status(529, "overloaded"), "busy"),
        (botocore("ThrottlingException", "Too many requests", 429), "busy"),
        (botocore("ValidationException", "Input is too long for requested model.", 400), "too_long"),
        (botocore("AccessDeniedException", "no access", 403), "unauthorised"),
        (type("ContextOverflowError", (ValueError,), {})("too much"), "too_long"),
        (type("LengthFinishReasonError", (Exception,), {})("cut"), "length"),
        (type("OutputParserException", (ValueError,), {})("no JSON"), "invalid"),
        (type("StopCandidateException", (Exception,), {})("SAFETY"), "refused"),
        (ZeroDivisionError("a bug in the app's model"), "failed"),
    ],
)
def test_an_app_s_model_fails_in_the_same_kinds_as_our_own_client(error, kind):
    assert failed_reply(error).failure.kind == kind


def test_no_key_is_shown():
    assert "sk-abcdef" not in str(failed_reply(status(401, "Incorrect API key: sk-abcdef1234567890")).failure)
