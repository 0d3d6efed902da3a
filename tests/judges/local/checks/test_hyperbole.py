from trail_callbacks.judges.local.checks import hyperbole


def test_a_word_of_the_highest_degree_is_found(found):
    assert found(hyperbole, "It dramatically cut costs.", "It cut costs.") == ("dramatically", "")
    assert found(hyperbole, "It dramatically cut costs.", "It cut costs in dramatic fashion.") is None


def test_what_is_denied_or_a_name_or_said_nearly_as_strongly_is_left_alone(found):
    assert found(hyperbole, "The refund is not guaranteed.", "The refund is sent.") is None
    assert found(hyperbole, "We saw the Spectacular Spider at the fair.", "We saw the spider at the fair.") is None
    assert found(hyperbole, "It dramatically cut costs.", "It sharply cut costs.") is None
