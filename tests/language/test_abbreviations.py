import pytest

from trail_callbacks.language.abbreviations import abbreviated
from trail_callbacks.language.terms import keys, terms


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("who", "The World Health Organization met."),
        ("boe", "The Bank of England raised rates."),
        ("us", "The United States won."),
        ("great britain", "It left the UK."),
        ("world health organization", "The WHO met."),
        ("ibm corp", "IBM Corporation rose."),
        ("saint petersburg", "It lies in St. Petersburg."),
        ("henry viii", "Henry the Eighth reigned."),
    ],
)
def test_short_and_long_forms_of_one_name(name, text):
    assert abbreviated(name.split(), text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("us", "They told us so."),
        ("who", "Nobody knows who did it."),
        ("henry viii", "Henry VII reigned."),
        ("ares", "Alice ran every single day."),
        ("mara holt", "It is 5 mh long."),
        ("(.*)+", "(" * 2000),
    ],
)
def test_other_names_and_words(name, text):
    assert not abbreviated(name.split(), text)


def test_a_country_with_points_is_one_word():
    assert [t.form for t in terms("Both the U.S. and the U.K. agreed.") if t.kind == "name"] == ["us", "uk"]
    assert "us" in keys("the U.S. army")


def test_the_point_of_a_title_ends_no_sentence():
    assert [t.form for t in terms("They met Dr. Holt in St. Louis.") if t.kind == "name"] == ["holt", "st", "louis"]
