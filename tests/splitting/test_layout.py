"""Lists under their lead-ins, table rows under their columns; code, formulas and references are not claims."""

import pytest

from trail_callbacks.claims import split

LAYOUT = [
    ("The hotel has:\n\n- a large pool\n- The bar is open.", ["The hotel has: a large pool", "The bar is open."]),
    ("Based on the passages, here is how to clean a mill:\n1. The roof", ["here is how to clean a mill: The roof"]),
    (
        "Cities:\n- North:\n  - Oslo\n  - Bergen\n- South:\n  - Ulm",
        ["Cities: North: Oslo", "Cities: North: Bergen", "Cities: South: Ulm"],
    ),
    ("- Berlin\n  - large port\n- Ulm", ["Berlin: large port", "Ulm"]),
    ("## Side effects\n- headache\n- rash", ["Side effects: headache", "Side effects: rash"]),
    ("**Side effects**\n- headache", ["Side effects: headache"]),
    ("| Unit | Sales |\n|---|---|\n| Optics | 48.2 |", ["Unit: Optics; Sales: 48.2"]),
    ("Unit | Sales\n--- | ---\nOptics | 48.2", ["Unit: Optics; Sales: 48.2"]),
    ("| Optics | 48.2 |", ["Optics; 48.2"]),
    (
        "The mill that stands on the bank of the river\nwas built in 1990.",
        ["The mill that stands on the bank of the river was built in 1990."],
    ),
    ("$$\nx = 1\n$$\nThe mill is old.", ["The mill is old."]),
    ("The mill is old.\n```\nx = plant(1)\n```", ["The mill is old."]),
    ("Die Mühle hat:\n- drei Flügel", ["Die Mühle hat: drei Flügel"]),
    ("酒店提供\uff1a\n- 游泳池", ["酒店提供: 游泳池"]),
]


@pytest.mark.parametrize(("answer", "claims"), LAYOUT, ids=lambda value: value if isinstance(value, str) else "")
def test_lines_and_sentences(answer, claims):
    assert [claim.text for claim in split(answer)] == claims


def test_references_under_their_heading_are_not_checkable():
    answer = "The mill is old.\n\nReferences:\n- Smith, Mills, 1990\n- Doe, Dams, 2001\n\nThe dam is new."
    assert [claim.checkable for claim in split(answer)] == [True, False, False, True]
