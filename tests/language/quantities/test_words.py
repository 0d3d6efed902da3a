import pytest

from trail_callbacks.language.quantities import quantities


def values(text):
    return [q.value for q in quantities(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("twelve apples", [12]),
        ("one hundred and twelve dogs", [112]),
        ("twelve hundred guests", [1200]),
        ("two million five hundred thousand", [2.5e6]),
        ("a million people", [1e6]),
        ("two dozen eggs", [24]),
        ("two and a half cups", [2.5]),
        ("the twelfth and the twenty-first", [12, 21]),
    ],
)
def test_english_number_words(text, expected):
    assert values(text) == expected


def test_a_year_in_words():
    (year,) = quantities("nineteen eighty-four")
    assert (year.value, year.kind) == (1984, "year")


@pytest.mark.parametrize("text", ["one of the best", "no one can say", "the someone it may concern"])
def test_words_that_only_look_like_numbers(text):
    assert values(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3.5 million", 3.5e6),
        ("40k", 40000),
        ("5 Mio. Euro", 5e6),
        ("3,5 Milliarden", 3.5e9),
        ("5 mil millones", 5e9),
        ("20 lakh", 2e6),
        ("120万人", 1.2e6),
        ("5 млн рублей", 5e6),
        ("Das sind etwa 2 Billionen und nicht mehr", 2e12),
    ],
)
def test_magnitudes_multiply(text, expected):
    assert values(text) == [expected]


def test_nobody_writes_thousands_of_billions():
    assert [each.value for each in quantities("$1.325 billion")[0].readings] == [1.325e9, 1.325e12]
