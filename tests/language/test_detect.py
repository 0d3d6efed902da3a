"""The language of a text. A short English sentence that is taken for another language is the worst error."""

import pytest

from trail_callbacks.language.detect import is_english, language, limits

ENGLISH = (
    "A pump costs 2.38 dollars.", "Revenue rose", "Yes.", "Headache", "Once a year", "Large pool", "Sales 2023: 1,250 euros",
    "Berlin is in Germany.", "Die Hard is a film.", "Los Angeles has four million people.", "Rio de Janeiro hosts a carnival.",
    "Les Misérables opened in 1985.", "José García lives in Málaga.", "Angela Merkel met Emmanuel Macron in Paris.",
    "Bayern Munich beat Real Madrid 4-3.", "Unit: Optics; Sales: 48.2", "Oslo, Bonn and Ulm", "Thursday", "",
)  # fmt: skip
OTHERS = {
    "de": "Der Turm ist 1.000 Meter hoch.|Kinder zahlen nichts.|Ich weiß es nicht.|Einmal jährlich",
    "es": "La torre mide 330 metros y fue construida en 1889.|Los niños no pagan nada.",
    "fr": "La tour mesure 330 mètres et fut construite en 1889.|Une fois par an",
    "it": "La torre è alta 330 metri.|I bambini non pagano.|Il mulino è vecchio.",
    "pt": "A torre tem 330 metros de altura.|As crianças não pagam.|O moinho é velho.",
    "nl": "De toren is 330 meter hoog.|Kinderen betalen niets.",
    "sv": "Tornet är 330 meter högt.", "pl": "Wieża ma 330 m i jest w Paryżu", "tr": "Kule 330 metre yüksekliğindedir.",
    "ru": "Башня высотой 330 метров", "zh": "塔高330米|好", "ja": "塔の高さは330メートルです", "ko": "탑은 330미터입니다.",
    "ar": "ارتفاع البرج ٣٣٠ متر|البرج", "hi": "मीनार 330 मीटर ऊंची है",
}  # fmt: skip


@pytest.mark.parametrize("text", ENGLISH)
def test_short_english_is_taken_for_no_other_language(text):
    assert is_english(text)


@pytest.mark.parametrize(
    ("code", "text"), [(code, text) for code, texts in OTHERS.items() for text in texts.split("|")]
)
def test_other_languages_are_told_apart(code, text):
    assert language(text) == code
    assert not is_english(text)


@pytest.mark.parametrize("text", ["", "1,000", "42 km", "\ud800", "?!", "1 250 euro"])
def test_what_is_too_short_to_tell_has_no_language(text):
    assert language(text) == ""


def test_claims_too_short_to_tell_are_in_the_language_of_their_answer():
    (warning,) = limits({"c1": "Der Turm ist hoch und alt.", "c2": "Umsatz 2023: 1.250 Euro", "c3": "42"})
    assert warning.startswith("in German,")
    assert warning.endswith(": c1, c2, c3")
