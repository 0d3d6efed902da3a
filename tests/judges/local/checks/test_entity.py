import pytest

from trail_callbacks.judges.local.checks import entity
from trail_callbacks.judges.local.checks.entity import known
from trail_callbacks.judges.local.checks.reading import Reading


@pytest.mark.parametrize(
    ("claim", "passage", "expected"),
    [
        (
            "The bridge was designed by Mara Holt.",
            "The bridge was designed by Jonas Reed.",
            ("Mara Holt", "Jonas Reed"),
        ),
        ("Mara Holt designed the bridge.", "The bridge was designed by Jonas Reed.", ("Mara Holt", "Jonas Reed")),
        ("The bridge was designed by Holt.", "The bridge was designed by Mara Holt.", None),
        ("The request goes to HR.", "The request goes to Human Resources.", None),
        ("The bridge was designed by Mara Holt.", "The bridge was opened in Oslo.", None),
        ("The goal was scored by Mira Stolz.", "The goal was scored by Mia Stolz.", ("Mira Stolz", "Mia Stolz")),
        ("The goal was scored by M. Stolz.", "The goal was scored by Mira Stolz.", None),
        ("The law was signed by President Holt.", "The law was signed by Mara Holt.", None),
        ("We crossed the Halden Bridge.", "We crossed the Kelder Bridge.", ("Halden Bridge", "Kelder Bridge")),
        ("We crossed the Halden Bridge.", "We crossed the bridge.", None),
    ],
)
def test_another_name_in_its_place_is_found(found, claim, passage, expected):
    assert found(entity.compare, claim, passage) == expected


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Bill Tarn won the race.", "William Tarn won the race."),
        ("The race was held in the UK.", "The race was held in Great Britain."),
        ("The Austrian team won.", "The team of Austria won."),
        ("It opened in May.", "It opened in June."),
    ],
)
def test_other_words_for_one_name_are_left_alone(found, claim, passage):
    assert found(entity.compare, claim, passage) is None


def test_a_word_inside_another_name_does_not_count():
    claim, passage = Reading("We crossed the Halden Bridge."), Reading("We crossed the Kelder Bridge.")
    (name,) = claim.names
    assert not known(name, passage)
    assert known(name, Reading("Halden opened it."))
    assert known(name, Reading("The HB is a bridge."))
