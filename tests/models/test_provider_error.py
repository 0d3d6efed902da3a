import pytest

from trail_callbacks.models.provider_error import failure_of, redact, rejected_parameter


class FailingError(Exception):
    def __init__(self, message, status_code=None, **fields):
        super().__init__(message)
        if status_code is not None:
            self.status_code = status_code
        self.__dict__.update(fields)


class APIConnectionError(FailingError):
    pass


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FailingError("no", 401), "unauthorised: no"),
        (FailingError("slow", 429), "busy: slow"),
        (FailingError("bad", 400), "rejected: bad"),
        (FailingError("body too big", 413), "too_long: body too big"),
        (
            FailingError("prompt is too long: 210000 tokens", 400),
            "too_long: prompt is too long: 210000 tokens",
        ),
        (FailingError("x", 400, code="content_filter"), "refused: x"),
        (FailingError("boom", 500), "failed: boom"),
        (FailingError("boom"), "failed: boom"),
        (FailingError("ugly", 400, body={"error": {"message": "nice"}}), "rejected: nice"),
        (TimeoutError("10 s"), "unreachable: 10 s"),
        (APIConnectionError("Connection error."), "unreachable: Connection error."),
        (FailingError("many\n  lines\n" + "x" * 9000, 400), None),
    ],
)
def test_failures_have_a_category_and_one_short_line(error, said):
    line = str(failure_of(error))
    assert said is None or line == said
    assert len(line) < 450
    assert "\n" not in line


@pytest.mark.parametrize(
    "secret",
    ["sk-proj-abc_DEF-0123456789", "gsk_0123456789abcdef", "sk-ab12****************wxyz", "xai-0123456789abcdef"],
)
def test_what_looks_like_a_key_is_removed(secret):
    assert redact(f"Incorrect API key provided: {secret}.").count("[key]") == 1
    assert secret not in redact(f"Bearer {secret}")


def test_a_given_key_is_removed_whatever_it_looks_like():
    assert redact("the key hunter2 is wrong", ["hunter2", ""]) == "the key [key] is wrong"


def test_words_that_are_no_keys_stay():
    text = "risk-averse, pk 12, sk-1, the asking-price and hf models"
    assert redact(text) == text


@pytest.mark.parametrize(
    ("message", "fields", "name"),
    [
        ("Unsupported parameter: 'max_tokens'", {"param": "max_tokens"}, "max_tokens"),
        ("Unrecognized request argument supplied: seed", {}, "seed"),
        ("temperature: Extra inputs are not permitted", {}, "temperature"),
        (
            "'max_tokens' is too large: 9000. This model's maximum context length is 4096",
            {"param": "max_tokens"},
            "max_tokens",
        ),
        ("This model's maximum context length is 4096 tokens, you asked for 9000", {"param": "messages"}, None),
        ("Unsupported parameter: 'top_k'", {"param": "top_k"}, None),
        ("Unknown seedling", {}, None),
    ],
)
def test_a_rejected_parameter_is_recognised_only_if_it_was_sent(message, fields, name):
    error = FailingError(message, 400, **fields)
    assert rejected_parameter(error, ["max_tokens", "seed", "temperature"]) == name
