"""Why a fictive value cannot be used."""

import pytest

from trail_callbacks.canary import Corpus, Document, Edit, Replacement
from trail_callbacks.canary.perturbers.collisions import Present, collision, implausible
from trail_callbacks.language.values import quantities

CORPUS = Corpus(
    [
        Document("a", "The ferry to Skogholm takes 40 minutes; Anna Berg steers. It has 12 seats."),
        Document("b", "An exam of mathematics lasts 63 minutes. Deck: 17."),
    ]
)


def edit(kind, real, fictive, also=None):
    place = Replacement("a", 28, 38, "40 minutes", "x")
    return Edit(id="", kind=kind, real=real, fictive=fictive, also=also, replacements=(place,))


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (edit("number", "40 minutes", "63 minutes"), "elsewhere"),
        (edit("number", "40 minutes", "3,780 seconds"), "elsewhere"),
        (edit("number", "40 minutes", "40 minutes"), "real one"),
        (edit("number", "40 minutes", "67 minutes"), ""),
        (edit("number", "12 seats", "63 seats"), ""),
        (edit("number", "40", "17"), ""),
        (edit("number", "40", "12"), ""),
        (edit("name", "Karl Holm", "anna berg"), "elsewhere"),
        (edit("name", "Karl Holm", "Anna Holm"), ""),
        (edit("inconsistent", "40 minutes", "51 minutes", "51 minutes"), "the same"),
        (edit("unanswerable", "40 minutes", None), ""),
    ],
)
def test_a_value_that_stands_elsewhere_or_is_real_collides(made, why):
    found = collision(made, Present(CORPUS))
    assert why in found if why else not found


def test_the_values_of_edits_are_taken():
    present = Present(CORPUS)
    present.add(edit("number", "40 minutes", "67 minutes"))
    assert present.value("time", 67 * 60.0, "", "a")


@pytest.mark.parametrize(
    ("text", "value", "possible"),
    [
        ("a share of 60 %", 140.0, False),
        ("a rise of 140 %", 240.0, True),
        ("aged 45", 300 * 31557600.0, False),
        ("latitude 50 degrees", 95.0, False),
        ("it has -20 °C", -300.0, False),
        ("a pH of 9", 16.0, False),
        ("8 hours a day", 27 * 3600.0, False),
        ("40 boats", 63.0, True),
        ("40 boats", 0.0, False),
    ],
)
def test_what_nobody_would_believe(text, value, possible):
    (real,) = quantities(text)[:1]
    assert (not implausible(real, value, text)) is possible
