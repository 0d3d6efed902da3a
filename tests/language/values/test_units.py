import pytest

from trail_callbacks.language.values import quantities


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


def test_a_number_without_a_unit_counts_what_follows():
    assert [(q.noun, q.kind) for q in quantities("two thousand visitors and 12 of them")] == [
        ("visitors", "count"), ("", "count"),
    ]  # fmt: skip
