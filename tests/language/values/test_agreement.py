import pytest

from trail_callbacks.language.values import folded, follows, is_same_name, measures, quantities


@pytest.mark.parametrize(
    ("said", "given", "same"),
    [
        ("forty minutes", "40 min", True),
        ("2/3 of an hour", "40 min", False),
        ("26.2 miles", "42.2 km", True),  # what is lost between units
        ("about 500 seats", "496 seats", True),
        ("496 seats", "about 500 seats", False),
        ("12,000 seats", "12,340 seats", True),
        ("over 4 kg", "4.1 kg", True),
        ("the 1990s", "in 1994", True),
        ("50 °F", "10 °C", True),
        ("40 euros", "40 dollars", False),
    ],
)
def test_a_quantity_follows_from_another(said, given, same):
    (one,), (other,) = quantities(said), quantities(given)
    assert follows(one, other) == same


@pytest.mark.parametrize(
    ("text", "seconds"), [("1 hour and 3 minutes", 3780), ("1 h 3 min", 3780), ("2 days, 5 hours", 190800)]
)
def test_parts_of_one_measure_are_one_quantity(text, seconds):
    (found,) = measures(text)
    assert (found.kind, found.value, text[found.start : found.end]) == ("time", seconds, text)


@pytest.mark.parametrize(
    ("said", "meant", "same"),
    [
        ("Solvang's", "Solvang", True),
        ("MUELLER", "Müller", True),
        ("Москва", "Moskva", True),
        ("Skoghlom", "Skogholm", True),  # a slip
        ("Anna", "Anne", False),
        ("Berg", "Borg", False),
    ],
)
def test_words_that_are_one_name(said, meant, same):
    assert is_same_name(folded(said), folded(meant)) == same


def test_no_slips_are_looked_for_in_what_is_no_name():
    assert not is_same_name("a" * 200, "a" * 199 + "b")
