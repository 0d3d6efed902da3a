from trail_callbacks.judges.local.checks import quantifier


def test_more_things_than_the_passage_says_are_found(found):
    assert found(quantifier, "All lorries use it.", "Some lorries use it.") == ("All", "Some")
    assert found(quantifier, "All lorries use it.", "All lorries and some cars use it.") is None
    assert found(quantifier, "Lorries use it.", "Some lorries use it.") is None


def test_a_share_in_per_cent_is_compared(found):
    assert found(quantifier, "Most trains were late.", "40 % of the trains were late.") == ("Most", "40 %")
    assert found(quantifier, "Most trains were late.", "60 % of the trains were late.") is None
    assert found(quantifier, "Most of the 40 % were late.", "40 % of the trains were late.") is None
