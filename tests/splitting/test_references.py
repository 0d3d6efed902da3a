"""Whom pronouns mean."""

import pytest

from trail_callbacks.claims import split

PRONOUNS = [
    ("Tarn is a lake. It is deep.", ["Tarn is a lake.", "Tarn is deep."]),
    ("Tarn is a lake. Its water is cold.", ["Tarn is a lake.", "Tarn's water is cold."]),
    ("Ada Quist was born in Oslo. She wrote two books.", ["Ada Quist was born in Oslo.", "Ada Quist wrote two books."]),
    ("Dr. Holm won a prize. His first book sold well.", ["Dr. Holm won a prize.", "Dr. Holm's first book sold well."]),
    ("Oslo and Bonn are cities. They have ports.", ["Oslo and Bonn are cities.", "Oslo and Bonn have ports."]),
    ("The old mill is big. However, it has no roof.", ["The old mill is big.", "The old mill has no roof."]),
    ("Tarn is a lake. It is deep and has fish.", ["Tarn is a lake.", "Tarn is deep", "Tarn has fish."]),
    ("In 1990, Ada Quist was a judge. She met Bo.", ["In 1990, Ada Quist was a judge.", "Ada Quist met Bo."]),
]
PRONOUNS_THAT_STAY = [
    ("Ada Quist met Bo Holm. Later he wrote a book.", 1, "Later he wrote a book."),
    ("Ada Quist was a judge. He met her.", 1, "He met her."),
    ("Oslo is old. They have a port.", 1, "They have a port."),
    ("The mills are old. It has no roof.", 1, "It has no roof."),
    ("Dr. Holm won. It was a surprise.", 1, "It was a surprise."),
    ("The mill is old. It is important to paint it.", 1, "It is important to paint it."),
    ("No gate is newer. Its cost was low.", 1, "Its cost was low."),
    ("- The mill is old.\n- It was sold.", 1, "It was sold."),
    ("The bridge over the Aske is old. Its deck is new.", 1, "Its deck is new."),
]


@pytest.mark.parametrize(("answer", "claims"), PRONOUNS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_pronoun_that_can_mean_one_thing_is_replaced(answer, claims):
    assert [claim.text for claim in split(answer)] == claims


@pytest.mark.parametrize(("answer", "number", "text"), PRONOUNS_THAT_STAY)
def test_pronouns_that_may_mean_several_things_stay(answer, number, text):
    assert split(answer)[number].text == text
