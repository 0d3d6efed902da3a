"""Numbers that an app prints before its sources."""

import pytest

from trail_callbacks.evidence.labels import labelled


def parts(text):
    return [(part.label, text[part.body : part.end].strip()) for part in labelled(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1] One.\n[2] Two.\nTwo goes on.", [("1", "One."), ("2", "Two.\nTwo goes on.")]),
        ("Source 1:\nOne.\n\nSource 2:\nTwo.", [("1", "One."), ("2", "Two.")]),
        ("Document [1]: One.\nDocument [2]: Two.", [("1", "One."), ("2", "Two.")]),
        ("\u30101\u2020ferry.md\u3011One.\n\u30102\u2020pier.md\u3011Two.", [("1", "One."), ("2", "Two.")]),
        ("Answer from [1] One.\n[2] Two.", [("1", "One."), ("2", "Two.")]),
        ("It was so.[3] And so [4].", []),
        ("Document your code.", []),
        ("", []),
    ],
)
def test_each_part_reaches_to_the_next_label(text, expected):
    assert parts(text) == expected
