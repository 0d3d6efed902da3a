import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.models.salvage import clean, document, objects


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('<think>Let me see {"a": 1}</think>{"a": 2}', '{"a": 2}'),
        ('no opening tag, server ate it</think>\n{"a": 2}', '\n{"a": 2}'),
        ('<THINK>x</THINK>{"a": 2}', '{"a": 2}'),
        ('<thinking>x</thinking><think>y</think>{"a": 2}', '{"a": 2}'),
        ("<think>never ends", ""),
        ('{"a": "<think>is data here</think>"}', '{"a": "<think>is data here</think>"}'),
        ("", ""),
        ("plain", "plain"),
    ],
)
def test_thinking_is_stripped_but_not_inside_json(text, left):
    assert clean(text) == left


def test_a_fence_around_the_whole_answer_is_removed():
    assert clean('```json\n{"a": 1}\n```') == '{"a": 1}'
    assert clean('<think>hm</think>\n```\n{"a": 1}\n```\n') == '{"a": 1}'
    assert clean('before ```json\n{"a": 1}\n```') == 'before ```json\n{"a": 1}\n```'


def test_the_last_document_counts_because_earlier_json_may_be_quoted():
    assert document('The source says {"a": 1}. My answer: {"a": 2} Bye') == '{"a": 2}'
    assert document("nothing") is None
    assert document('{"a": ') is None


ITEMS = [
    {"claim": "c1", "support": "absent"},
    {"claim": "c2", "support": 'süß } { " ] é'},
    {"claim": "c3", "ids": ["s1"]},
]


def test_whole_items_of_a_cut_reply_are_kept():
    text = json.dumps({"verdicts": ITEMS})
    cut = text[: text.index('"c3"') + 3]
    assert objects(cut) == ITEMS[:2]
    assert objects(text) == ITEMS


@given(st.integers(0, 300))
def test_any_cut_gives_a_prefix_of_the_items(at):
    assert objects(json.dumps({"verdicts": ITEMS})[:at]) in [ITEMS[:n] for n in range(4)]


@given(st.text())
def test_no_text_breaks_it(text):
    assert isinstance(objects(text), list)
    assert isinstance(clean(text), str)


def test_hostile_text_is_given_up_in_time():
    started = time.perf_counter()
    assert objects("{" * 100_000) == []
    assert objects('{"a": ' * 20_000) == []
    assert clean("<think>" * 20_000) == ""
    assert time.perf_counter() - started < 20
