import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.judges.local.aligned.alignment import align, shared, tokens
from trail_callbacks.judges.local.checks.reading import Reading


def pairs(found):
    return [(found.own[i].form, found.given[j].form) for i, j in sorted(found.pairs.items()) if found.own[i].content]


def test_words_are_paired_in_order(aligned):
    found = aligned("The dog bites the man.", "The man bites the dog.")
    assert len(pairs(found)) < 3
    assert found.coverage() < 1.0
    assert aligned("The dog bites the man.", "In May the dog bit the old man.").coverage() == 1.0


def test_a_word_set_apart_is_not_counted(aligned):
    found = aligned("The hall has 60 seats.", "The hall has 80 seats.")
    number = next(i for i, token in enumerate(found.own) if token.quantity)
    assert found.coverage() < 1.0
    assert found.coverage(number) == 1.0


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("It isn't open.", ["not", "open"]),
        ("It cannot open.", ["not", "open"]),
        ("It is no longer open.", ["not", "open"]),
        ("The X100 works.", ["x100", "works"]),
        ("The WM-1 works.", ["wm-1", "works"]),
        ("Flat 7b works.", ["flat", "7b", "works"]),
        ("Two lamps work.", ["Two", "lamps", "work"]),
    ],
)
def test_denials_and_codes_are_one_word_each(text, forms):
    assert [token.form for token in tokens(Reading(text)) if token.kind != "light"] == forms


def test_a_claimed_number_pairs_with_one_that_it_follows_from(aligned):
    assert aligned("It seats about 500 people.", "It seats 496 people.").coverage() == 1.0
    assert aligned("It seats 496 people.", "It seats 499 people.").coverage() < 1.0
    assert aligned("It is for people under 60.", "It is for people over 60.").coverage() < 1.0


def test_neighbours_of_a_part_of_a_date_are_those_of_the_date(aligned):
    found = aligned("The tower was completed in 1887.", "The tower was completed in March 1889.")
    year = next(i for i, token in enumerate(found.own) if token.quantity)
    other = next(j for j, token in enumerate(found.given) if token.quantity and token.quantity.kind == "year")
    assert found.framed(year, other) == 2


WORDS = st.lists(
    st.sampled_from(
        [
            "the",
            "tower",
            "hall",
            "not",
            "12",
            "60",
            "Mara",
            "Holt",
            "may",
            "open",
            "opened",
            "all",
            "seats",
            "X100",
            ",",
            ".",
        ]
    ),
    max_size=12,
)


@given(WORDS.map(" ".join), WORDS.map(" ".join))
def test_pairs_are_in_order_and_what_is_shared_bounds_what_is_paired(claim, passage):
    one, other = Reading(claim), Reading(passage)
    own, others = tokens(one), tokens(other)
    found = align(one, own, other, others)
    places = [j for _, j in sorted(found.pairs.items())]
    assert places == sorted(set(places))
    assert found.coverage() <= shared(own, others) + 1e-9
    assert align(one, own, one, own).pairs == {i: i for i in range(len(own))}
