"""When two numbers are one value: units, rounding, ranges, dates, names."""

import pytest

from trail_callbacks.canary.outcomes.amounts import Amounts
from trail_callbacks.canary.outcomes.calendar_dates import Dates
from trail_callbacks.canary.outcomes.names import Names
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
        ("2 bar", "200 kPa", True),
        ("2 bar", "2 psi", False),
        ("90 Nm", "90 newton metres", True),
        ("90 Nm", "66 ft-lb", True),
        ("90 Nm", "90 ft-lb", False),
        ("£20", "20 pounds", True),
        ("20 kg", "44 pounds", True),
        ("20 kg", "20 pounds", False),
        ("3,400 kg", "3.4 kg", False),
        ("3,400 kg", "3.4 metric tons", True),
        ("21 °C", "69.8 °F", True),
        ("2 g", "2000 mg per day", True),
        ("15 km/h", "15 kilometres an hour", True),
        ("5:15 pm", "17 h 15", True),
        ("8:00 pm", "at eight", True),
        ("8:00 pm", "at nine", False),
        ("one third", "a third", True),
        ("one third", "33 %", True),
        ("one third", "a quarter", False),
        ("14 days", "a fortnight", True),
        ("8 days", "8 unused days", True),
        ("8 days", "acht Urlaubstage", True),
        ("8 working days", "eight business days", True),
        ("8 working days", "eight weeks", False),
        ("8 inches", '8"', True),
        ("8 cm", '8"', False),
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
    ("said", "values"),
    [
        ("5-8 %", {"real"}),
        ("between 5 and 8 percent", {"real"}),
        ("von 12 bis 20 Prozent", {"fictive"}),
        ("no less than 12 and no more than 20 percent", {"fictive"}),
        ("5-20 %", {"real", "fictive"}),
        ("5-10 %", set()),
        ("30-40 %", set()),
    ],
)
def test_of_a_range_both_ends_count(said, values):
    assert given(Amounts({"real": ("5-8 %",), "fictive": ("12-20 %",)}), said) == values


@pytest.mark.parametrize(
    ("question", "said", "values"),
    [
        ("Which platform does it leave from?", "platform 6", {"real"}),
        ("How many boats are there?", "see page 6", set()),
        ("How many boats are there?", "the Rivertec 6 has none", {"real"}),
        ("How many boats are there?", "the Rivertec 9 has none", set()),
        ("How many boats are there?", "6", {"real"}),
        ("How many chapters does it have?", "Chapter 6 is long.", set()),
        ("Which chapter is about boats?", "Chapter 6.", {"real"}),
    ],
)
def test_a_number_that_only_labels_something_is_a_value_where_that_was_asked(question, said, values):
    assert given(Amounts({"real": ("6",), "fictive": ("11",)}, question), said) == values


def test_a_number_of_another_thing_is_no_other_value():
    matcher = Amounts({"real": ("52,000",), "fictive": ("61,000",)}, "How many inhabitants has the town?")
    assert [each.value for each in matcher.find("I was shown 3 pages.")] == []
    assert [each.value for each in matcher.find("47,000 inhabitants")] == [None]


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
        ("Олаф Брандт", "fictive"),
        ("Olaf Bergen", None),
        ("Brandts Amt", "fictive"),
    ],
)
def test_names(said, value):
    matcher = Names({"real": ("Zuzana Kovářová",), "fictive": ("Olaf Brandt",)}, "Who is the warden?")
    assert given(matcher, said) == ({value} if value else set())


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("v5.2.1", "real"),
        ("5.2.1 or newer", "real"),
        ("version 6.0.4", "fictive"),
        ("5.2", None),
        ("6.0.41", None),
    ],
)
def test_versions_are_compared_as_a_whole(said, value):
    matcher = Names({"real": ("5.2.1",), "fictive": ("6.0.4",)}, "Which firmware does it need?")
    assert given(matcher, said) == ({value} if value else set())


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("FlowGate", "real"),
        ("Flow Gate", "real"),
        ("flowgate()", "real"),
        ("Flow Meter", None),
        ("TarnBrook", "fictive"),
        ("Tarn Brook", "fictive"),
    ],
)
def test_names_written_in_one_or_in_two(said, value):
    matcher = Names({"real": ("FlowGate",), "fictive": ("Tarn Brook",)}, "What is the tool called?")
    assert given(matcher, said) == ({value} if value else set())


@pytest.mark.parametrize(("said", "value"), [("QR", "real"), ("the QR team", "real"), ("qr", None), ("RQ", None)])
def test_initials_in_capitals_are_the_words(said, value):
    matcher = Names({"real": ("Quality Review",), "fictive": ("Dispatch",)}, "Who signs it?")
    assert given(matcher, said) == ({value} if value else set())
