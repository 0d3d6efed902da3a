import pytest

from trail_callbacks.language.values import quantities


def one(text):
    (found,) = quantities(text)
    return found


def test_each_reading_means_one_thing():
    first, second = one("1.250 m").readings
    assert (first.raw, first.value, second.raw, second.value) == (1.25, 1.25, 1250, 1250)
    assert first.also == second.also == ()
    assert {first.kind, second.kind} == {"length"}


def test_what_may_be_meant():
    assert one("the 1990s").may_be(one("in 1994"))
    assert not one("the 1990s").may_be(one("in 2004"))
    assert one("5:30").may_be(one("17:30"))
    assert not one("5 kg").may_be(one("5 km"))


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("over 60 guests", "over"),
        ("under 60 guests", "under"),
        ("no more than 60 guests", "under"),
        ("about 60 guests", "about"),
        ("~60 guests", "about"),
        ("60+ guests", "over"),
        ("after 2000", "over"),
        ("before 2000", "under"),
        ("exactly 60 guests", "exact"),
    ],
)
def test_words_before_a_number_limit_it(text, bound):
    assert [q.bound for q in quantities(text)] == [bound]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("between 10 and 15 km", 10000, 15000),
        ("10-15 km", 10000, 15000),
        ("3 to 4 million euros", 3e6, 4e6),
        ("von 2 bis 8 kg", 2, 8),
        ("4-6 March", 4, 6),
        ("5 or 6 people", 5, 6),
    ],
)
def test_the_ends_of_a_range_share_what_is_written_once(text, low, high):
    first, second = quantities(text)[:2]
    assert (first.value, second.value) == (low, high)
    assert first.within == second.within == (None if " or " in text else (low, high))
