"""The settings of recording and verifying: one value, checked, comparable and picklable."""

import asyncio
import pickle
from dataclasses import fields
from typing import get_type_hints

import pytest

from trail_callbacks import VerifyOptions
from trail_callbacks.errors import InputError
from trail_callbacks.session import CaptureKeywords, CaptureSettings, Retention

REDACTS = "expected a function that returns a string for a string, or several"
NAMES = "expected a function, or names of inputs such as ['kb']"
KEY = "text_key is no bytes of length 16 or more: use secrets.token_bytes(32), and keep it"
OPTIONAL = {"Instructor": object, "AsyncInstructor": object, "Store": object}  # of extras, for `judge` and `store`


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"evaluate": "sometimes"}, "evaluate is 'sometimes', expected one of background, process, inline, never"),
        ({"sample_rate": 1.5}, "sample_rate is 1.5, expected a share from 0.0 to 1.0"),
        ({"sample_rate": float("nan")}, "sample_rate is nan, expected a share from 0.0 to 1.0"),
        ({"keep": {"runs": 0}}, "Retention.runs is 0, expected 1 or more"),
        ({"keep": 5}, "keep is 5, expected Retention"),
        ({"options": {"cache": "x"}}, "options is {'cache': 'x'}, expected VerifyOptions"),
        ({"attach": "no"}, "attach is 'no', expected bool"),
        ({"on_report": 3}, "on_report is 3, expected a function that takes a report"),
        ({"concurrency": 0}, "concurrency is 0, expected 1 or more"),
        ({"keep": {"seconds": 0}}, "Retention.seconds is 0, expected more than 0"),
        ({"keep": {"seconds": float("nan")}}, "Retention.seconds is nan, expected more than 0"),
        ({"redact": "names"}, f"redact is 'names', {REDACTS}"),
        ({"redact": [str.upper, "names"]}, f"redact is 'names', {REDACTS}"),
        ({"redact": asyncio.sleep}, f"redact is sleep, a coroutine function, {REDACTS}"),
        ({"keep": {"text_key": b"short"}}, KEY),
        ({"sources": "kb"}, f"sources is 'kb', {NAMES}"),
        ({"sources": 3}, f"sources is 3, {NAMES}"),
        ({"context": "acme"}, "context is str, expected a mapping such as {'user_id': 'u1'}"),
        ({"keep": {"text_key": "0123456789abcdef"}}, KEY),
    ],
)
def test_a_wrong_value_is_named_with_its_range(wrong, message):
    with pytest.raises(InputError) as caught:
        CaptureSettings(**{k: Retention(**v) if k == "keep" and isinstance(v, dict) else v for k, v in wrong.items()})
    assert str(caught.value) == message


def test_settings_are_values():
    settings = CaptureSettings(judge="local", redact=str.upper, options=VerifyOptions(read_tokens=400))
    copy = pickle.loads(pickle.dumps(settings))  # noqa: S301 - our own
    assert copy == settings
    assert hash(copy) == hash(settings)
    assert copy != CaptureSettings()


def test_a_key_is_not_shown():
    assert "xxxx" not in repr(CaptureSettings(keep=Retention(texts=False, text_key=b"x" * 32)))


def test_the_keywords_are_settings_with_the_same_types():
    types, keywords = (
        get_type_hints(CaptureSettings, localns=OPTIONAL),
        get_type_hints(CaptureKeywords, localns=OPTIONAL),
    )
    assert {name: types[name] for name in keywords} == keywords
    assert {field.name for field in fields(CaptureSettings)} - set(keywords) == {"judge", "evaluate"}  # named by each
