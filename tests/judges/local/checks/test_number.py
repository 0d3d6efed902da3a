import pytest

from trail_callbacks.judges.local.checks import number


@pytest.mark.parametrize(
    ("claim", "passage", "expected"),
    [
        ("Revenue was 60 million.", "Revenue was 50 million.", ("60 million", "50 million")),
        ("It was opened in 1926.", "It was opened in May 1962.", ("1926", "1962")),
        ("It took 9 hours.", "It took 540 minutes.", None),
        ("It took 9 hours.", "It took 500 minutes.", ("9 hours", "500 minutes")),
        ("It carries about 12,000 cars.", "It carries 12,340 cars.", None),
        ("More than 4 metres of water stood.", "4.1 metres of water stood.", None),
        ("More than 5 metres of water stood.", "4.1 metres of water stood.", ("5 metres", "4.1 metres")),
        (
            "The firm has 66 clerks.",
            "The firm has 40 clerks in Oslo and 25 clerks in Bergen.",
            ("66", "40"),
        ),
        ("The film came out after 2000.", "The film came out in 2011.", None),
        ("The film came out before 2000.", "The film came out in 2011.", ("2000", "2011")),
        ("It has 3 decks.", "It has 40 lamps.", None),  # another thing is counted
        ("It has 3 decks.", "It has decks.", None),
        ("It has 3 decks.", "Length: 90; Decks: 4.", ("3", "4")),
        ("The lamp has a price of 129.", '{"name": "lamp", "price": 49}', ("129", "49")),
        ("The tower has 472 steps.", "The tower has 471 steps.", ("472", "471")),  # close by, and no other unit
        ("It is 10 miles long.", "It is 16.1 km long.", None),
        ("Version 4.2 is out.", "Version 4.2.0 is out.", None),
    ],
)
def test_a_value_that_the_passage_gives_differently_is_found(found, claim, passage, expected):
    assert found(number.compare, claim, passage) == expected


def test_a_label_is_not_a_number_of_anything(found):
    assert (
        found(
            number.compare, "As passage 3 says, the lamp has two bulbs.", "As passage 5 says, the lamp has two bulbs."
        )
        is None
    )
    assert found(number.compare, "It runs on Windows 10.", "It runs on Windows 7.") is None


def test_a_date_is_wrong_as_a_whole_and_several_numbers_are_left_alone(found):
    assert found(number.compare, "It opened on 3 May 1932.", "It opened on 4 June 1934.") == ("3", "4")
    assert found(number.compare, "It has 3 decks and 40 lamps.", "It has 4 decks and 50 lamps.") is None
