"""When two numbers are one value: units, rounding, ranges, dates, names."""

import pytest

from trail_callbacks.canary.outcomes.amounts import Amounts
from trail_callbacks.canary.outcomes.calendar_dates import Dates
from trail_callbacks.canary.outcomes.names import Names
from trail_callbacks.canary.outcomes.number_words import in_digits
from trail_callbacks.canary.outcomes.reading import plain


def given(matcher, text):
    return {mention.value for mention in matcher.find(plain(text)) if mention.sure and mention.value}


@pytest.mark.parametrize(
    ("real", "said", "same"),
    [
        ("41 minutes", "about 40 minutes", True),
        ("41 minutes", "40 minutes", False),
        ("40 minutes", "about 41 minutes", False),
        ("47 minutes", "about 40 minutes", False),
        ("3,127,456", "3.1 million", True),
        ("3,127,456", "3 million", False),
        ("1,234", "1,200", False),
        ("1,234", "about 1,200", True),
        ("100 km", "62 miles", True),
        ("100 km", "60 miles", False),
        ("100 km", "about 60 miles", True),
        ("100 km", "70 miles", False),
        ("20 °C", "68 °F", True),
        ("90 minutes", "1.5 hours", True),
        ("90 minutes", "an hour and a half", True),
        ("90 minutes", "1 h 30 min", True),
        ("90 minutes", "1:30 h", True),
        ("15%", "15 percent", True),
        ("15%", "15 boats", False),
        ("$20", "20 dollars", True),
        ("$20", "20 euros", False),
        ("-5 °C", "5 °C", False),
        ("30 days", "a month", True),
        ("1986", "1986", True),
        ("1986", "1987", False),
        ("1986", "about 1990", False),
    ],
)
def test_what_counts_as_the_same_number(real, said, same):
    assert given(Amounts({"real": (real,)}), said) == ({"real"} if same else set())


def test_of_two_values_that_a_rounded_number_fits_the_equal_one_counts():
    matcher = Amounts({"real": ("40 minutes",), "fictive": ("42 minutes",)})
    assert given(matcher, "about 40 minutes") == {"real"}
    assert given(matcher, "42 minutes") == {"fictive"}


def test_a_number_that_fits_two_values_alike_is_none_for_sure():
    assert given(Amounts({"real": ("25 metres",), "fictive": ("25 feet",)}), "It is 25 deep.") == set()


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("2021-08-27", "fictive"),
        ("Aug. 27, 2021", "fictive"),
        ("27.8.2021", "fictive"),
        ("8/27/2021", "fictive"),
        ("in 2021", "fictive"),
        ("in March", "real"),
        ("on 12 March", "real"),
        ("12 March 2021", None),
        ("12 April 2019", None),
        ("2018", None),
    ],
)
def test_dates_agree_in_the_parts_that_are_written(said, value):
    matcher = Dates({"real": ("12 March 2019",), "fictive": ("27 August 2021",)})
    assert given(matcher, said) == ({value} if value else set())


def test_a_part_that_two_dates_share_tells_nothing():
    assert given(Dates({"real": ("12 March 2019",), "fictive": ("12 June 2019",)}), "in 2019") == set()


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("Zuzana Kovářová", "real"),
        ("ZUZANA KOVAROVA", "real"),
        ("Kovářová, Zuzana", "real"),
        ("Mrs Kovářová", "real"),
        ("Kovářová's post", "real"),
        ("Z. Kovářová", "real"),
        ("Zuzana Kovařova", "real"),
        ("Zuzana", "real"),
        ("Jana Kovářová", None),
        ("Zuzana Novák", None),
        ("Olaf Brandt", "fictive"),
        ("Olaf Bergen", None),
        ("Brandts Amt", "fictive"),
    ],
)
def test_names(said, value):
    matcher = Names({"real": ("Zuzana Kovářová",), "fictive": ("Olaf Brandt",)}, "Who is the warden?")
    assert given(matcher, said) == ({value} if value else set())


@pytest.mark.parametrize(
    ("said", "digits"),
    [
        ("vierundzwanzig Stunden", "24 Stunden"),
        ("einundvierzig Minuten", "41 Minuten"),
        ("quatre-vingt-onze jours", "91 jours"),
        ("soixante-quinze euros", "75 euros"),
        ("treinta y dos días", "32 días"),
        ("veintiuno años", "21 años"),
        ("quarantotto ore", "48 ore"),
        ("trinta e cinco dias", "35 dias"),
        ("achtenveertig uur", "48 hours"),
        ("сорок пять минут", "45 minutes"),
        ("三十五分钟", "35 minutes"),
        ("两千三百米", "2300 metres"),
        ("二〇二一年", "二〇二一年"),
        ("acht Tage", "8 Tage"),
        ("once minutos", "11 minuto"),
        ("once in a while", "once in a while"),
        ("six minutes", "six minutes"),
        ("due to the wind", "due to the wind"),
        ("25 minuter", "25 minutes"),
    ],
)
def test_number_words_of_other_languages(said, digits):
    assert in_digits(said).strip().startswith(digits)
