import pytest

from trail_callbacks.judges.local.checks import temporal


@pytest.mark.parametrize(
    ("claim", "passage", "expected"),
    [
        ("The city repainted the bridge.", "The city plans to repaint the bridge.", ("repainted", "plans to repaint")),
        ("The city will repaint the bridge.", "The city may repaint the bridge.", ("repaint", "may repaint")),
        ("The city will repaint the bridge.", "The city plans to repaint the bridge.", None),
        ("The city may repaint the bridge.", "The city may repaint the bridge.", None),
        ("The city repainted the bridge.", "The city repainted the bridge and will repaint it again.", None),
        ("The academy stands.", "He will run the academy.", None),
    ],
)
def test_what_is_planned_or_possible_and_told_as_done_or_certain_is_found(found, claim, passage, expected):
    assert found(temporal, claim, passage) == expected
