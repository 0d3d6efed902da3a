import pytest

from trail_callbacks.judges.local.checks.strength import attribution, hyperbole, quantifier, temporal


def test_more_things_than_the_passage_says_are_found(found):
    assert found(quantifier, "All lorries use it.", "Some lorries use it.") == ("All", "Some")
    assert found(quantifier, "All lorries use it.", "All lorries and some cars use it.") is None
    assert found(quantifier, "Lorries use it.", "Some lorries use it.") is None


def test_a_share_in_per_cent_is_compared(found):
    assert found(quantifier, "Most trains were late.", "40 % of the trains were late.") == ("Most", "40 %")
    assert found(quantifier, "Most trains were late.", "60 % of the trains were late.") is None
    assert found(quantifier, "Most of the 40 % were late.", "40 % of the trains were late.") is None


@pytest.mark.parametrize(
    ("claim", "passage", "expected"),
    [
        ("The city repainted the bridge.", "The city plans to repaint the bridge.", ("repainted", "plans to repaint")),
        ("The city will repaint the bridge.", "The city may repaint the bridge.", ("repaint", "may repaint")),
        ("The city will repaint the bridge.", "The city plans to repaint the bridge.", None),
        ("The city may repaint the bridge.", "The city may repaint the bridge.", None),
        ("The city repainted the bridge.", "The city repainted the bridge and will repaint it again.", None),
        ("The academy stands.", "He will run the academy.", None),
    ],
)
def test_what_is_planned_or_possible_and_told_as_done_or_certain_is_found(found, claim, passage, expected):
    assert found(temporal, claim, passage) == expected


def test_a_word_of_the_highest_degree_is_found(found):
    assert found(hyperbole, "It dramatically cut costs.", "It cut costs.") == ("dramatically", "")
    assert found(hyperbole, "It dramatically cut costs.", "It cut costs in dramatic fashion.") is None


def test_what_is_denied_or_a_name_or_said_nearly_as_strongly_is_left_alone(found):
    assert found(hyperbole, "The refund is not guaranteed.", "The refund is sent.") is None
    assert found(hyperbole, "We saw the Spectacular Spider at the fair.", "We saw the spider at the fair.") is None
    assert found(hyperbole, "It dramatically cut costs.", "It sharply cut costs.") is None


def test_a_view_told_as_a_fact_is_found(found):
    view = "According to the builder, the bridge will last a century."
    assert found(attribution, "The bridge will last a century.", view) == (
        "The bridge will last a century.",
        "According to",
    )
    assert found(attribution, "The builder says the bridge will last a century.", view) is None
    assert found(attribution, "The river is deep.", view) is None


def test_texts_as_sources_are_left_alone(found):
    assert (
        found(attribution, "The lamp will last a year.", "The document states that the lamp will last a year.") is None
    )
