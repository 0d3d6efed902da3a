from trail_callbacks.context_filter.duplicates import originals

LONG = "The mill on the river was built by monks who came from the north and stayed for a hundred years."


def test_equal_words_are_a_copy():
    assert originals({0: "Tea is old.", 3: "tea  IS old", 5: "Tea is new."}) == {0: 0, 3: 0, 5: 5}


def test_a_text_that_was_taken_over_is_a_copy():
    assert originals({0: LONG, 1: "Note: " + LONG, 2: "The mill was built by monks."}) == {0: 0, 1: 0, 2: 2}


def test_a_copy_of_a_copy_belongs_to_the_first():
    assert originals({1: LONG, 2: LONG + " So it is told.", 3: LONG + " So it is told. And more."}) == {
        1: 1,
        2: 1,
        3: 1,
    }


def test_texts_without_words_are_copies_of_each_other_only():
    assert originals({0: "", 1: "!", 2: "Tea."}) == {0: 0, 1: 0, 2: 2}
