import pytest

from trail_callbacks import check

SOURCE = (
    "The orchard of Penwick has 340 trees. Visitors may pick fruit in September, and the council pays the gardeners."
)


def decided(text, *sources):
    (verdict,) = check(text, list(sources or (SOURCE,))).verdicts
    return verdict


@pytest.mark.parametrize(
    ("text", "support", "error", "detail", "rationale"),
    [
        ("The orchard of Penwick has 340 trees.", "supported", None, None, "nearly word for word"),
        ("The orchard of Penwick has 430 trees.", "contradicted", "number", None, "says '430' where the source says '340'"),
        ("The orchard of Penwick in Dunmarrow has 340 trees.", "absent", "entity", "fabricated addition", "No passage has 'Dunmarrow'"),
        ("Visitors pick fruit in September.", "partially_supported", "hyperbole", None, "leaves out 'may'"),
    ],
)  # fmt: skip
def test_class_type_detail_and_rationale(text, support, error, detail, rationale):
    verdict = decided(text)
    assert (str(verdict.support), verdict.error_type and str(verdict.error_type)) == (support, error)
    assert verdict.detail == detail
    assert rationale in verdict.rationale
    assert verdict.undecided is None


@pytest.mark.parametrize(
    "text",
    [
        "Visitors may pick ripe golden fruit in the month of September.",
        "A brewery bought the cellars.",
        "The gardeners get their wages from the municipality.",
        "The orchard of Penwick has 340 trees and 25 beehives.",
    ],
)
def test_what_words_do_not_show_is_undecided(text):
    verdict = decided(text)
    assert verdict.support is None
    assert "cannot tell" in verdict.undecided
    assert all(item.relation == "nearest" for item in verdict.evidence)


def test_evidence_says_on_which_side_it_is():
    assert [item.relation for item in decided("The orchard of Penwick has 340 trees.").evidence] == ["supports"]
    assert [item.relation for item in decided("The orchard of Penwick has 430 trees.").evidence] == ["contradicts"]
    assert decided("The orchard of Penwick in Dunmarrow has 340 trees.").evidence == ()


def test_a_source_that_says_otherwise_is_named():
    stated = "The orchard of Penwick has 340 trees."
    verdict = decided(stated, stated, "The orchard of Penwick has 430 trees.")
    assert str(verdict.support) == "supported"
    assert verdict.conflicting
    assert "another source says otherwise" in verdict.rationale


def test_what_a_nearer_sentence_has_is_not_disputed_by_another():
    verdict = decided("The desk lamp costs 49 euros.", "The floor lamp costs 129 euros. The desk lamp costs 49 euros.")
    assert str(verdict.support) == "supported"


def test_one_of_several_like_steps_contradicts_nothing():
    steps = "Step 1: Fold the left corner to the middle.\nStep 2: Fold the right edge to the middle."
    assert decided("Fold the right corner to the middle.", steps).support is None


def test_the_rationale_never_says_that_a_word_is_nowhere_that_a_passage_has():
    for text in (
        "The orchard of Penwick has 340 trees in Dunmarrow.",
        "In Penwick the orchard of Dunmarrow has 340 trees.",
    ):
        verdict = decided(text, SOURCE, "Dunmarrow lies by the sea.")
        assert "No passage has" not in verdict.rationale
