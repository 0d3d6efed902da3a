"""The settings of a guard: one value, checked, comparable and picklable."""

from dataclasses import fields
from typing import get_type_hints

import pytest

from trail_callbacks.errors import InputError, JudgeError
from trail_callbacks.guard import GuardKeywords, GuardSettings
from trail_callbacks.models.call import Budget

OPTIONAL = {"Instructor": object, "AsyncInstructor": object, "Store": object}  # of extras, for `judge` and `store`


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"max_score": 1.1}, "max_score is 1.1, expected 0.0 to 1.0"),
        ({"max_score": float("nan")}, "max_score is nan, expected 0.0 to 1.0"),
        ({"max_retries": -1}, "max_retries is -1, expected 0 or more"),
        ({"on_fail": "shrug"}, "on_fail is 'shrug', expected one of retry, strip, block, annotate, raise"),
        ({"exhausted": "retry"}, "exhausted is 'retry', expected one of block, annotate, raise"),
        ({"on_error": "maybe"}, "on_error is 'maybe', expected one of open, closed"),
        ({"no_evidence": "block"}, "no_evidence is 'block', expected one of pass, fail"),
        ({"on_undecided": "retry"}, "on_undecided is 'retry', expected one of pass, fail"),
        ({"concurrency": 0}, "concurrency is 0, expected 1 or more"),
        ({"timeout": 0}, "timeout is 0, expected seconds above 0, or None for no limit"),
        ({"timeout": float("nan")}, "timeout is nan, expected seconds above 0, or None for no limit"),
        ({"budget": Budget(tokens_per_minute=9)}, "budget has a rate"),
        ({"budget": Budget(seconds=9)}, "budget.seconds is set, but the time of a guard is its timeout"),
        ({"stream": "sentences"}, "stream is 'sentences', expected one of buffer, pass"),
        ({"stream": "pass"}, "on_fail='retry' could not take it back"),
    ],
)
def test_a_wrong_value_is_named_with_its_range(wrong, message):
    with pytest.raises(InputError) as caught:
        GuardSettings(judge="local", **wrong)
    assert message in str(caught.value)


@pytest.mark.parametrize("given", [{}, {"judge": None}])
def test_without_a_judge_the_error_names_the_choices(given):
    with pytest.raises(JudgeError) as caught:
        GuardSettings(**given)
    assert all(each in str(caught.value) for each in ("openai/gpt-5-mini", "as_model(", 'judge="local"'))


def test_the_keywords_are_settings_with_the_same_types():
    types, keywords = get_type_hints(GuardSettings, localns=OPTIONAL), get_type_hints(GuardKeywords, localns=OPTIONAL)
    assert {name: types[name] for name in keywords} == keywords
    assert {field.name for field in fields(GuardSettings)} - set(keywords) == {"judge", "stream"}  # named by each guard


@pytest.mark.parametrize(
    ("settings", "hidden"),
    [
        ({}, True),
        ({"on_fail": "block", "stream": "buffer"}, True),
        ({"on_fail": "annotate"}, False),
        ({"on_fail": "annotate", "stream": "pass"}, False),
        ({"on_fail": "annotate", "stream": "buffer"}, True),
    ],
)
def test_drafts_are_hidden_unless_they_are_let_through_anyway(settings, hidden):
    assert GuardSettings(judge="local", **settings).hides_drafts is hidden
