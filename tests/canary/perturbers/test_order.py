"""Order: turned round, in all sentences about the same."""

import pytest

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.perturbers.perturb import perturb


def turned(*texts):
    twin = perturb(Corpus([Document(str(i), text) for i, text in enumerate(texts)]), kinds=["order"])
    return [document.text for document in twin.fictive], twin


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("The Alma is larger than the Berta.", "The Alma is smaller than the Berta."),
        ("Trains are more expensive than buses.", "Trains are less expensive than buses."),
        ("OLDER THAN THE BERTA IS THE ALMA.", "YOUNGER THAN THE BERTA IS THE ALMA."),
        ("The Alma came first and the Berta second.", "The Alma came second and the Berta first."),
        ("The 1st prize went to Alma, the 3rd prize to Cora.", "The 3rd prize went to Alma, the 1st prize to Cora."),
        ("Alma is the largest of them.", "Alma is the smallest of them."),
    ],
)
def test_an_order_is_turned_round(text, after):
    assert turned(text)[0] == [after]


@pytest.mark.parametrize(
    "text",
    [
        "More than 40 people came, fewer than 50.",
        "It is longer than 40 km.",
        "At first nobody came. First, mix the flour.",
        "Ingredients:\n1. Flour\n2. Water",
        "The Alma is longer than the Berta: 40 m against 30 m.",
        "```\nx is larger than y\n```\nSee above.",
    ],
)
def test_what_is_no_order_or_has_its_numbers_beside_it_stays(text):
    assert turned(text)[0] == [text]
