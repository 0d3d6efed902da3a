"""Numbers and units in words of other languages, as digits and English units."""

import pytest

from trail_callbacks.language.values import in_digits


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("zweihundertzwanzig Grad", "220 Grad"),
        ("dreiundsechzig Minuten", "63 Minuten"),
        ("quatre-vingt-dix-sept jours", "97 jours"),
        ("treinta y uno de marzo", "31 de marzo"),
        ("duemilatrecento", "2300"),
        ("двести двадцать минут", "220 minutes"),
        ("elva dagar", "11 days"),
        ("neun Komma acht", "9.8"),
        ("nine point eight", "9.8"),
        ("63 минуты", "63 minutes"),
        ("a fortnight", "14 days"),
        ("half an hour", "0.5 hour"),
        ("six people were there once", "six people were there once"),  # words of several languages
        ("elf of the forest", "elf of the forest"),
    ],
)
def test_number_words_are_written_in_digits(text, expected):
    assert in_digits(text) == expected


@pytest.mark.parametrize("piece", ["hundert", "vingt ", "und", "two hundred ", "9 "])
def test_any_length_is_read(piece):
    assert in_digits(piece * 3000)
