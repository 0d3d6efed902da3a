import pytest

from trail_callbacks.language.values import calendar_dates, quantities


def only(text):
    (found,) = calendar_dates(quantities(text), text)
    return found


def test_parts_that_stand_together_are_one_date():
    text = "In 1950. 3 May was a Monday, and 4 March 2020, 2020-03-05 and the 1990s were not."
    dates = calendar_dates(quantities(text), text)
    assert [each.words for each in dates] == ["1950", "3 May", "Monday", "4 March 2020", "2020-03-05", "1990s"]
    assert [each.is_whole for each in dates] == [False, False, False, True, True, False]
    assert str(dates[3].day) == "2020-03-04"
    assert dates[5].is_decade


@pytest.mark.parametrize(
    ("said", "given", "parts"),
    [
        ("12 March 2019", "2019-03-12", 3),
        ("in March 2019", "2019-03-12", 2),
        ("3 April 2020", "03/04/2020", 3),  # read both ways
        ("4 March 2020", "03/04/2020", 3),
        ("4 April 2020", "03/04/2020", 0),
        ("12 March 2018", "2019-03-12", 0),
    ],
)
def test_dates_agree_in_the_parts_that_both_give(said, given, parts):
    assert only(said).agrees(only(given)) == parts


@pytest.mark.parametrize(
    ("text", "by", "expected"),
    [
        ("May 14, 1962", {"years": 5}, "May 14, 1967"),
        ("2020-03-04", {"days": 30}, "2020-04-03"),
        ("the 4th of March, 2020", {"days": -2}, "2nd of March, 2020"),
        ("4. März 2020", {"days": 60}, "3. Mai 2020"),
        ("1er juin 2019", {"days": 30}, "1er juillet 2019"),
        ("4 DEC 2020", {"days": 31}, "4 JAN 2021"),
        ("March 4", {"years": 5}, "March 4"),
        ("the 1990s", {"years": -20}, "1970s"),
        ("the 1990s", {"years": 3}, None),
        ("29 February 2020", {"years": 1}, None),
        ("Monday, 3 May 2021", {"days": 7}, "Monday, 10 May 2021"),
        ("Monday, 3 May 2021", {"days": 3}, None),
        ("2020年3月4日", {"days": 1}, "2020年3月5"),
    ],
)
def test_a_moved_date_is_written_in_the_same_form(text, by, expected):
    assert only(text).moved(**by) == expected


def test_a_month_that_several_languages_write_alike_is_named_in_the_language_of_the_text():
    assert only("4 april 2020").moved(days=60, language="nl") == "3 juni 2020"
    assert only("4 april 2020").moved(days=60) == "3 june 2020"
