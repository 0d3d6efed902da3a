from trail_callbacks.judges.local.checks import attribution


def test_a_view_told_as_a_fact_is_found(found):
    view = "According to the builder, the bridge will last a century."
    assert found(attribution.compare, "The bridge will last a century.", view) == (
        "The bridge will last a century.",
        "According to",
    )
    assert found(attribution.compare, "The builder says the bridge will last a century.", view) is None
    assert found(attribution.compare, "The river is deep.", view) is None


def test_texts_as_sources_are_left_alone(found):
    assert (
        found(attribution.compare, "The lamp will last a year.", "The document states that the lamp will last a year.")
        is None
    )
