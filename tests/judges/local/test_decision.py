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
        ("The orchard of Penwick has 340 trees.", "supported", None, None, "100% of its words, with every number and name"),
        ("The orchard of Penwick has 430 trees.", "contradicted", "number", None, "'430' against '340'"),
        ("Visitors may pick ripe golden fruit in the month of September.", "partially_supported", "other", "minor addition", "but not 'ripe', 'golden'"),
        ("A brewery bought the cellars.", "absent", "other", "fabricated addition", "No passage holds"),
        ("The orchard of Penwick has 340 trees and 25 beehives.", "absent", "number", "fabricated addition", "'25'"),
    ],
)  # fmt: skip
def test_class_type_detail_and_rationale(text, support, error, detail, rationale):
    verdict = decided(text)
    assert (str(verdict.support), verdict.error_type and str(verdict.error_type)) == (support, error)
    assert verdict.detail == detail
    assert rationale in verdict.rationale


def test_evidence_says_on_which_side_it_is():
    assert [item.relation for item in decided("The orchard of Penwick has 340 trees.").evidence] == ["supports"]
    assert [item.relation for item in decided("The orchard of Penwick has 430 trees.").evidence] == ["contradicts"]
    assert decided("A brewery bought the cellars.").evidence == ()


def test_a_source_that_says_otherwise_is_named():
    stated = "The orchard of Penwick has 340 trees."
    verdict = decided(stated, stated, "The orchard of Penwick has 430 trees.")
    assert str(verdict.support) == "supported"
    assert verdict.conflicting
    assert "another source says otherwise" in verdict.rationale
