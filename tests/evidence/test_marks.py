"""Which stretches of an answer are citation marks, and what each names."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.evidence.marks import marks, references


def named(answer):
    return [(mark.kind, mark.target) for mark in marks(answer)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It sails daily [1].", [("number", "1")]),
        ("It sails daily[12].", [("number", "12")]),
        ("It sails daily [1, 3].", [("number", "1"), ("number", "3")]),
        ("It sails daily [1][3].", [("number", "1"), ("number", "3")]),
        ("It sails daily [2-4].", [("number", "2"), ("number", "3"), ("number", "4")]),
        ("It sails daily [2\u20134; 7].", [("number", "2"), ("number", "3"), ("number", "4"), ("number", "7")]),
        ("It sails daily (Source 2).", [("number", "2")]),
        ("It sails daily (see sources 1 and 3).", [("number", "1"), ("number", "3")]),
        ("It sails daily [Document #3].", [("number", "3")]),
        ("It sails daily.\u00b9 It is blue.\u00b2\u00b3", [("number", "1"), ("number", "23")]),
        ("It sails daily.<sup>4</sup>", [("number", "4")]),
        ("It sails daily\u30102\u3011.", [("number", "2")]),
        ("It sails daily\u30103:1\u2020source\u3011.", [("number", "3")]),
        ("It sails daily\u30103:1\u2020ferry.md\u3011.", [("name", "ferry.md")]),
        ("It sails daily [^1] or [^note].", [("number", "1"), ("name", "note")]),
        ("It sails daily [ferry.md].", [("name", "ferry.md")]),
        ("It sails daily [docs/time table.pdf].", [("name", "docs/time table.pdf")]),
        ("It sails daily (source: ferry.md; pier.md).", [("name", "ferry.md"), ("name", "pier.md")]),
        ("It sails [daily](https://ferry.example/times).", [("link", "https://ferry.example/times")]),
        ("It sails daily: https://ferry.example/times.", [("link", "https://ferry.example/times")]),
        ("It sails daily <https://ferry.example>.", [("link", "https://ferry.example")]),
        ("It sails daily (Smith 2020).", [("work", "Smith 2020")]),
        ("It sails daily (Smith & Lee, 2020; O'Neil et al., 2019, p. 4).", [("work", "Smith & Lee, 2020"), ("work", "O'Neil et al., 2019, p. 4")]),
        ("\u00d6berg et al. (2019) timed it.", [("work", "\u00d6berg et al. 2019")]),
        ("\u6e21\u8f6e\u9700\u898140\u5206\u949f[1]\u3002", [("number", "1")]),
    ],
)  # fmt: skip
def test_every_notation_names_its_sources(answer, expected):
    assert named(answer) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "The deck has 40 m\u00b2.",
        "Call `rows[1]` or x[2].",
        "```python\nprint(rows[1])\n```",
        "~~~\nsee [1]\n~~~",
        "Built in the year [2020].",
        "It opened (May 2020) and closed (since 2021).",
        "See ![a picture](https://ferry.example/a.png).",
        "- [ ] open\n- [x] done",
        "The array is [1000, 2000].",
        "",
    ],
)
def test_what_only_looks_like_one_is_none(answer):
    assert named(answer) == []


def test_a_narrative_year_is_a_citation_only_if_a_source_has_that_name():
    assert [mark.certain for mark in marks("Lindqvist (2019) timed it. The Halden Bridge (1986) is old.")] == [
        False,
        False,
    ]


def test_the_list_of_references_is_read_and_is_no_citation_itself():
    answer = "It sails daily [1][^b].\n\nReferences\n1. Timetable, ferry.md\n2) Pier\n\n[^b]: https://pier.example"
    assert named(answer) == [("number", "1"), ("name", "b")]
    assert references(answer) == {"1": "Timetable, ferry.md", "2": "Pier", "b": "https://pier.example"}
    assert references("Steps:\n1. Go on board\n2. Sit down") == {}  # a list is no list of references


@given(st.text(alphabet="[](){}<>^\u3010\u3011\u2020 .,;:-1230ab\nSmith&`\u00b9\u00b2https/!|"))
def test_marks_lie_in_the_text_in_order(answer):
    found = list(marks(answer))
    assert all(0 <= mark.start < mark.end <= len(answer) and mark.target for mark in found)
    assert [mark.start for mark in found] == sorted(mark.start for mark in found)
    assert all(not re.fullmatch(r"\s*", answer[mark.start : mark.end]) for mark in found)


@pytest.mark.parametrize(
    "unit", ["[", "(", "[1,", "(Smith 2020; ", "\u3010", "`a", "<sup>", "[a.b ", "[1] a\n", "A and B, ", "http://a "]
)
def test_hostile_repetition_is_read_in_linear_time(unit):
    def seconds(size):
        text = unit * (size // len(unit))
        best = []
        for _ in range(3):
            start = time.process_time()
            list(marks(text))
            best.append(time.process_time() - start)
        return min(best)

    # 8 times the text; quadratic would be 64. Another thread may be busy in one of the rounds.
    assert any(seconds(160_000) < 24 * max(seconds(20_000), 0.002) for _ in range(3))
