"""Units: the number stays, the dimension too, and all mentions change."""

import pytest

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.perturbers.perturb import perturb


def swapped(*texts, seed=0):
    twin = perturb(Corpus([Document(str(i), text) for i, text in enumerate(texts)]), seed=seed, kinds=["unit"])
    return [document.text for document in twin.fictive], twin


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("The path is 40 km long.", {"The path is 40 mi long."}),
        ("The path is forty kilometres long.", {"The path is forty miles long."}),
        ("It costs $20 a week.", {"It costs $20 a week."}),
        ("Es sind 30 Kilometer bis Bern.", {"Es sind 30 Meilen bis Bern."}),
    ],
)
def test_the_number_stays_and_the_unit_changes(text, after):
    (found,), _ = swapped(text)
    assert found in after


def test_all_mentions_change():
    (one, other), twin = swapped("The path to Skogholm is 40 km long.", "Skogholm path: forty kilometres.")
    assert (one, other) == ("The path to Skogholm is 40 mi long.", "Skogholm path: forty miles.")
    assert len(twin.edits) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("It is 40 km (25 miles) away.", "other numbers follow"),
        ("It takes 30-40 minutes.", "end of a range"),
        ("He is 5 feet 8 inches tall.", "compound"),
        ("The walk to Skogholm is 90 minutes long. Skogholm is 1.5 hours away.", "another unit"),
        ("The walk takes 480 minutes. A game of chess: 480 seconds.", "new to the corpus"),
    ],
)
def test_what_would_not_stay_true_is_refused(text, why):
    (after,), twin = swapped(text)
    assert after == text
    assert any(why in each.why for each in twin.skipped), twin.skipped
