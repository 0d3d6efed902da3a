import pytest

from trail_callbacks.judges.local.numbers import equal
from trail_callbacks.language.quantities import quantities


def one(text):
    (found,) = quantities(text)
    return found


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("330 m", "length", 330),
        ("18 kilómetros", "length", 18000),
        ("90 mg/dL", "mass/volume", 90e-6 / 0.1),
        ("60 miles per hour", "speed", 96.56064),
        ("16 GiB", "data", 16 * 2**30),
        ("45-year-old", "time", 45 * 31557600),
        ("aged 45", "time", 45 * 31557600),
        ("fifty-eight per cent", "percent", 58),
        ("\u22125 °C", "temperature", -5),
        ("minus 7 degrees", "temperature", -7),
        ("50 SEK", "money:sek", 50),
        ("CHF 20", "money:chf", 20),
        ("A$5", "money:aud", 5),
        ("7 €", "money:eur", 7),
        ("3 millones de euros", "money:eur", 3e6),
        ("-$20", "money:usd", 20),
    ],
)
def test_units_and_currencies(text, kind, value):
    found = one(text)
    assert (found.kind, found.value) == (kind, pytest.approx(value))


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        ("50 °F", "10 °C", True),
        ("1.5 hours", "90 minutes", True),
        ("2,000 g", "2 kg", True),
        ("16 GB", "16 GiB", False),
        ("\u22125 °C", "5 °C", False),
        ("13 psi", "14 psi", False),  # not in the table: a counted noun
        ("13 psi", "13 psi", True),
    ],
)
def test_units_are_converted(text, other, same):
    assert equal(one(text), one(other)) == same


def test_a_number_without_a_unit_counts_what_follows():
    assert [(q.noun, q.kind) for q in quantities("two thousand visitors and 12 of them")] == [
        ("visitors", "count"), ("", "count"),
    ]  # fmt: skip
