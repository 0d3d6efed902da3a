from trail_callbacks import LocalJudge
from trail_callbacks.judges.local.features import Features
from trail_callbacks.judges.local.training import LabelledClaim, measure

SOURCE = "The orchard of Penwick has 340 trees. Visitors may pick fruit in September."


def counted(text):
    (features,) = measure([LabelledClaim(claim=text, sources=(SOURCE,), supported=True)], LocalJudge())
    return features


def test_a_claim_that_is_its_source_lacks_nothing():
    assert counted("The orchard of Penwick has 340 trees.").values() == (1.0, 0.0, 1.0, 0, 0.0, 0.0)


def test_what_is_missing_is_counted():
    invented = counted("A brewery from Dover bought 12 cellars.")
    assert invented.covered < 0.5
    assert invented.missing > 1.0
    assert (invented.runs, invented.numbers) == (0.0, 1)


def test_findings_are_counted_by_their_class():
    assert counted("The orchard of Penwick has 430 trees.").contradiction == 1.0
    weaker = counted("Visitors will pick fruit in September.")
    assert (weaker.contradiction, weaker.departure) == (0.0, 1.0)


def test_values_stand_in_the_order_of_the_attributes():
    features = Features(covered=1, missing=2, runs=3, numbers=4, contradiction=5, departure=6)
    assert features.values() == (1, 2, 3, 4, 5, 6)
