from __future__ import annotations

import pytest

from trail_callbacks.capture.unexplained import extended, trimmed

TEXT = "Answer from this: The tower is 475 metres high.\nThe museum owns 9357 paintings. The ferry takes 40 minutes."


def at(part, text=TEXT):
    return text.index(part), text.index(part) + len(part)


def trim(part, text=TEXT, *, numbers=False):
    start, end = trimmed(text, *at(part, text), numbers=numbers)
    return text[start:end]


@pytest.mark.parametrize(
    ("part", "left"),
    [
        ("The museum owns", ""),  # a phrase of a sentence that goes on
        ("The tower is 475 metres high.\nThe", "The tower is 475 metres high.\n"),
        ("paintings. The ferry takes 40 minutes.", " The ferry takes 40 minutes."),
        ("The museum owns 9357 paintings.", "The museum owns 9357 paintings."),  # a sentence, with another behind it
        ("The museum owns 9357 paintings", "The museum owns 9357 paintings"),
    ],
)
def test_a_phrase_at_an_end_of_a_range_is_cut_off(part, left):
    assert trim(part) == left


def test_numbers_and_long_runs_are_not_shared_by_chance():
    assert trim("The museum owns 9357", numbers=True) == "The museum owns 9357"
    long = "one two three four five six seven eight nine ten eleven twelve"
    assert trim(long, f"{long} thirteen.") == long


def test_scripts_without_spaces():
    text = "前往澜漳瑾的渡轮需要16851分钟。博物馆收藏了59幅画。"
    assert trim("的渡轮需要", text) == ""
    assert trim("需要16851分钟。博物馆", text) == ""
    assert trim("前往澜漳瑾的渡轮需要16851分钟。", text) == "前往澜漳瑾的渡轮需要16851分钟。"


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        ("museum owns", "The museum owns 9357 paintings."),
        ("The museum owns 9357 paintings.", "The museum owns 9357 paintings."),
        ("The tower is 475 metres high.\n", "The tower is 475 metres high.\n"),
        ("takes 40", "The ferry takes 40 minutes."),
    ],
)
def test_a_range_grows_to_whole_sentences(part, whole):
    start, end = extended(TEXT, *at(part))
    assert TEXT[start:end].strip(" ") == whole


def test_a_text_without_sentences_is_not_read_to_its_end_for_each_range():
    text = "word " * 100_000
    start, end = extended(text, 250_000, 250_004)
    assert start > 0
    assert end < len(text)
