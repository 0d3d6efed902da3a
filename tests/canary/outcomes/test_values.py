"""When what an answer says is one of a probe's values: units, rounding, dates, names, yes and no, duties."""

import pytest

from trail_callbacks.canary import Probe
from trail_callbacks.canary.outcomes import classify


def states(answer, real, fictive, question="What is it?"):
    return classify(Probe(id="p", question=question, real=real, fictive=fictive), "fictive", answer).states


@pytest.mark.parametrize(
    ("real", "said", "same"),
    [
        ("40 minutes", "forty minutes", True),
        ("41 minutes", "about 40 minutes", True),
        ("41 minutes", "40 minutes", False),
        ("3,127,456", "3.1 million", True),
        ("100 km", "62 miles", True),
        ("90 minutes", "1.5 hours", True),
        ("15%", "15 percent", True),
        ("$20", "20 euros", False),
        ("-5 °C", "5 °C", False),
        ("3,400 kg", "3.4 tons", True),
        ("8:00 pm", "at eight", True),
        ("8:00 pm", "at nine", False),
        ("14 days", "a fortnight", True),
        ("220 °C", "zweihundertzwanzig Grad", True),
    ],
)
def test_numbers_are_compared_by_value(real, said, same):
    assert states(said, real, "7,777,777 sheep") == (("real",) if same else ())


def test_of_two_values_that_a_rounded_number_fits_the_equal_one_counts():
    assert states("about 40 minutes", "40 minutes", "42 minutes") == ("real",)
    assert states("42 minutes", "40 minutes", "42 minutes") == ("fictive",)
    assert states("It is 25 deep.", "25 metres", "25 feet") == ()


def test_a_limit_in_the_words_before_a_gap_leaves_no_doubt_about_the_value():
    question = 'What is missing here: "Children under ___ must wear a life jacket."?'
    assert states("Children under twelve must wear a life jacket.", "twelve", "nineteen", question) == ("real",)


def test_the_sentence_that_was_asked_about_is_a_yes_whatever_other_words_say_yes():
    question = "Was the Sisters on the slipway from January to June?"
    probe = Probe(
        id="p", question=question, real="yes", fictive="no", real_forms=("true",), fictive_forms=("incorrect",)
    )
    assert classify(probe, "real", "The Sisters was on the slipway from January to June.").states == ("real",)
    assert classify(probe, "fictive", "The Sisters was not on the slipway from January to June.").states == ("fictive",)


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("2021-08-27", "fictive"),
        ("Aug. 27, 2021", "fictive"),
        ("in 2021", "fictive"),
        ("on 12 March", "real"),
        ("12 March 2021", None),
        ("2018", None),
    ],
)
def test_dates_agree_in_the_parts_that_are_written(said, value):
    assert states(said, "12 March 2019", "27 August 2021") == ((value,) if value else ())


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("ZUZANA KOVAROVA", "real"),
        ("Kovářová, Zuzana", "real"),
        ("Zuzana Kovařova", "real"),
        ("Олаф Брандт", "fictive"),
        ("Karl Novák", None),
    ],
)
def test_names_are_compared_without_case_diacritics_and_slips(said, value):
    assert states(said, "Zuzana Kovářová", "Olaf Brandt", "Who is the warden?") == ((value,) if value else ())


@pytest.mark.parametrize(("said", "value"), [("v5.2.1", "real"), ("version 6.0.4", "fictive"), ("6.0.41", None)])
def test_versions_are_compared_as_a_whole(said, value):
    assert states(said, "5.2.1", "6.0.4", "Which firmware does it need?") == ((value,) if value else ())


STATED = {
    ("Does the cabin have a stove?", "yes", "no"): {
        "It does.": "real", "It doesn't, sadly.": "fictive", "Not any more.": "fictive", "Leider nicht.": "fictive",
        "✅": "real", "I checked the list. Yes, it does.": "real",
    },
    ("May guests cook in the rooms?", "no", "yes"): {
        "The rules forbid cooking in the rooms.": "real", "Guests can't cook in the rooms.": "real",
    },
    ("Are sprays forbidden?", "no", "yes"): {
        "Sprays are not forbidden.": "real", "Sprays are prohibited.": "fictive", "No, sprays aren't forbidden.": "real",
    },
    ("Is the museum closed on Sundays?", "no", "yes"): {
        "The museum is open on Sundays.": "real", "The museum is not open on Sundays.": "fictive",
    },
    ("What is the rule?", "Staff must log the visit.", "Staff may log the visit."): {
        "Staff must log the visit.": "real", "Logging the visit is up to the staff.": "fictive",
        "Le personnel est obligatoirement informé.": "real",
    },
    ("When is it open?", "It is open on Sundays", "It is not open on Sundays"): {
        "It's closed on Sundays.": "fictive", "On Sundays, it is open.": "real",
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "answer", "value"), [(asked, *said) for asked, answers in STATED.items() for said in answers.items()]
)
def test_a_statement_is_set_against_what_was_asked(asked, answer, value):
    question, real, fictive = asked
    assert states(answer, real, fictive, question) == (value,)


@pytest.mark.parametrize(
    "answer",
    ["No mention of a stove is made.", "The brochure doesn't tell whether the cabin has a stove.", "I can't say."],
)
def test_a_refusal_is_no_no(answer):
    probe = Probe(id="p", question="Does the cabin have a stove?", real="yes", fictive="no")
    assert classify(probe, "fictive", answer).outcome == "abstains"


def test_yes_and_no_together_are_left_open_or_both_given():
    assert len(states("Yes and no.", "yes", "no", "Does the cabin have a stove?")) != 1


def test_a_run_of_digits_beside_a_name_is_read_at_once():
    assert states("Halden " + "1" * 60_000, "Halden", "Vold") == ("real",)
