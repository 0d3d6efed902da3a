"""The settings of recording and verifying: one value, checked, comparable and picklable."""

import pickle
from dataclasses import fields
from typing import get_type_hints

import pytest

from trail_callbacks import VerifyOptions
from trail_callbacks.errors import InputError
from trail_callbacks.session import CaptureKeywords, CaptureSettings

OPTIONAL = {"Instructor": object, "AsyncInstructor": object}  # of an extra, for `judge`


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"evaluate": "sometimes"}, "evaluate is 'sometimes', expected one of background, process, inline, never"),
        ({"sample_rate": 1.5}, "sample_rate is 1.5, expected a share from 0.0 to 1.0"),
        ({"sample_rate": float("nan")}, "sample_rate is nan, expected a share from 0.0 to 1.0"),
        ({"max_traces": 0}, "max_traces is 0, expected 1 or more"),
        ({"ttl": 0}, "ttl is 0, expected seconds above 0"),
        ({"ttl": float("nan")}, "ttl is nan, expected seconds above 0"),
    ],
)
def test_a_wrong_value_is_named_with_its_range(wrong, message):
    with pytest.raises(InputError) as caught:
        CaptureSettings(**wrong)
    assert str(caught.value) == message


def test_settings_are_values():
    settings = CaptureSettings(judge="local", redact=str.upper, options=VerifyOptions(passages=4))
    copy = pickle.loads(pickle.dumps(settings))  # noqa: S301 - our own
    assert copy == settings
    assert hash(copy) == hash(settings)
    assert copy != CaptureSettings()


def test_the_keywords_are_settings_with_the_same_types():
    types, keywords = get_type_hints(CaptureSettings, localns=OPTIONAL), get_type_hints(CaptureKeywords)
    assert {name: types[name] for name in keywords} == keywords
    assert {field.name for field in fields(CaptureSettings)} - set(keywords) == {"judge", "evaluate"}  # named by each
