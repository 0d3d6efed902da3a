"""Dates: order, intervals and weekdays stay true, the way of writing stays."""

import datetime as dt
import re

import pytest

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.perturbers.perturb import perturb


def moved(*texts, seed=0):
    twin = perturb(Corpus([Document(str(i), text) for i, text in enumerate(texts)]), seed=seed, kinds=["date"])
    return [document.text for document in twin.fictive], twin.edits


def day(text, form):
    """Reads a date; fails on an impossible one."""
    return dt.datetime.strptime(text, form).replace(tzinfo=dt.UTC).date()


def years(text):
    return [int(each) for each in re.findall(r"\d{4}", text)]


def test_intervals_between_years_stay():
    (text,), edits = moved("Founded in 1950, it lasted from 1990 to 1995, five years; by the 1980s it had grown.")
    assert [later - years(text)[0] for later in years(text)] == [0, 40, 45, 30]
    assert years(text)[0] != 1950
    assert len(edits) == 4


@pytest.mark.parametrize("seed", range(3))
def test_days_keep_their_weekdays_and_distances(seed):
    (text,), _ = moved(
        "It opened on Wednesday, March 4, 2020, closed on 2020-06-01, reopened on 15.06.2020.", seed=seed
    )
    first = day(re.search(r"Wednesday, (\w+ \d+, \d{4})", text)[1], "%B %d, %Y")
    second = dt.date.fromisoformat(re.search(r"\d{4}-\d\d-\d\d", text)[0])
    third = day(re.search(r"\d\d\.\d\d\.\d{4}", text)[0], "%d.%m.%Y")
    assert first.weekday() == 2
    assert (second - first, third - second) == (dt.timedelta(89), dt.timedelta(14))
    assert first != dt.date(2020, 3, 4)


def test_documents_about_the_same_are_moved_alike():
    (one, other, apart), _ = moved(
        "The Skogholm bridge was opened in 1931.", "Skogholm: bridge of 1931, rebuilt in 1984.", "Tulip fields, 1931."
    )
    assert years(one)[0] == years(other)[0] != 1931
    assert years(other)[1] - years(other)[0] == 53
    assert years(apart) != [1931]


def test_the_end_of_the_calendar_is_no_error():
    assert moved("It is valid until 31.12.9999.")[1] == ()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "text",
    [
        "It was founded in 1950. It opened on 3 May 2021, a Monday.",
        "It was founded in 1950. In 2021 it was open on Monday 3 May.",
    ],
)
def test_a_weekday_beside_a_date_stays_true(text, seed):
    (after,), _ = moved(text, seed=seed)
    found = re.search(r"(\d+) (\w+) (\d{4})", after)
    made = " ".join(found.groups()) if found else f"3 May {years(after)[-1]}"
    assert day(made, "%d %B %Y").strftime("%A") == "Monday"
