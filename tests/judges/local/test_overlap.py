import pytest

from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.judges.local.overlap import Overlap


def overlap(claim, *passages, before="", tabular=False):
    count = len(passages)
    return Overlap(
        Reading(claim),
        [Reading(passage) for passage in passages],
        [Reading(before)] * count,
        [tabular] * count,
        [f"d{i}" for i in range(count)],
    )


def words(compared, indices):
    return {compared.items[i].words for i in indices}


def test_items_are_the_distinct_words_names_and_numbers():
    compared = overlap("The Halden Bridge has 12 arches, and the arches carry Halden Bridge.")
    assert [(item.kind, item.words) for item in compared.items] == [
        ("name", "Halden Bridge"),
        ("word", "arches"),
        ("word", "carry"),
        ("number", "12"),
    ]
    assert [item.required for item in compared.items] == [True, False, False, True]


def test_a_number_counts_beside_its_word_or_in_a_passage_about_the_claim():
    compared = overlap(
        "The tower of the city has 12 bells.", "Of 12 ships four sank.", "The city has a tower with 12 bells."
    )
    assert words(compared, compared.held[0]) == set()
    assert "12" in words(compared, compared.held[1])


def test_names_before_a_sentence_are_its_subject_unless_it_has_its_own():
    claim = "The Halden Bridge opened in 1932."
    pronoun = overlap(claim, "It opened in 1932.", before="The Halden Bridge.")
    assert "Halden Bridge" in words(pronoun, pronoun.held[0])
    other = overlap(claim, "Kelder Bridge opened in 1932, and the Kelder Bridge closed.", before="The Halden Bridge.")
    assert "Halden Bridge" not in words(other, other.held[0])


def test_what_begins_with_another_name_is_about_another():
    compared = overlap("The Constance was raised.", "The Mary Lowe was raised within three weeks.")
    assert compared.on_another(compared.passages[0])
    assert words(compared, compared.held[0]) == set()


def test_passages_together_hold_what_one_lacks():
    compared = overlap(
        "Mara Holt designed the Halden Bridge, which carries lorries.",
        "Mara Holt designed the Halden Bridge.",
        "The Halden Bridge carries lorries.",
        "Other lorries carry sheep to Vint.",
    )
    everything = compared.everything
    assert compared.together(0, everything) == (0, 1)
    assert compared.together(0, everything, {1}) == (0,)
    assert compared.share(compared.covered((0, 1)), everything) == 1.0
    assert compared.share(frozenset(), frozenset()) == 0.0


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("Holt also drew the Halden Bridge.", True),
        ("It was drawn in Dover.", False),
        ("The bridge was designed.", True),
    ],
)
def test_passages_of_other_nodes_must_be_on_the_same_subject(other, same):
    compared = overlap("The Halden Bridge was designed by Holt.", "The Halden Bridge was designed by Holt.", other)
    assert compared.same_subject(0, 1) is same
