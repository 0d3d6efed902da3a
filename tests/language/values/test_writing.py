import pytest

from trail_callbacks.language.values import Writing, in_words, quantities


def rewritten(text, value):
    """The text with another value, in base units, in place of its only number."""
    (found,) = quantities(text)
    numeral = Writing(text).numeral(found)
    new = numeral.write(value) if numeral else None
    return None if new is None else text[: numeral.start] + new + text[numeral.end :]


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("it has 12,500 seats", 9300, "it has 9,300 seats"),
        ("das kostet nicht 1.250 Euro", 8400, "das kostet nicht 8.400 Euro"),
        ("there are 1\u202f250 of them", 3400, "there are 3\u202f400 of them"),
        ("it is 3.5 km long", 4100, "it is 4.1 km long"),
        ("das sind 3,5 Millionen und nicht mehr", 4.1e6, "das sind 4,1 Millionen und nicht mehr"),
        ("forty minutes", 53 * 60, "fifty-three minutes"),
        ("Forty minutes", 53 * 60, "Fifty-three minutes"),
        ("a hundred guests", 340, "three hundred and forty guests"),
        ("١٢٣ km", 456000, "٤٥٦ km"),
        ("\u22125 °C", -8, "\u22128 °C"),
        ("it is 3.5 km long", 4123, None),  # needs more digits
        ("it has 900 seats", 12000, None),  # nothing shows how it would be grouped
        ("a third of it", 40, None),
        ("2.375 of it", 3, None),  # two readings
    ],
)
def test_another_value_is_written_in_the_same_form(text, value, expected):
    assert rewritten(text, value) == expected


@pytest.mark.parametrize(
    ("text", "grain"),
    [("has 12,000 seats", 1000), ("40 seats", 1), ("3.5 km", 100), ("forty seats", 1), ("300 kg", 10)],
)
def test_another_value_is_as_round_as_the_first(text, grain):
    (found,) = quantities(text)
    assert Writing(text).numeral(found).grain == pytest.approx(grain)


@pytest.mark.parametrize("value", [0, 7, 21, 100, 112, 1999, 2_500_000, 10**12 + 1])
def test_what_is_written_in_words_is_read_back(value):
    assert sum(each.value for each in quantities(f"{in_words(value)} eggs")) == value
