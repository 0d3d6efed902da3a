import pytest

from trail_callbacks.context_filter.conflicts import conflicts

TALL = ["The Eiffel Tower is 330 metres tall.", "Standing 330 m tall, the Eiffel Tower is in Paris."]
SHORT = "The Eiffel Tower is 250 metres tall."


def outvoted(*texts):
    found, _ = conflicts(dict(enumerate(texts)))
    return [i for i, conflict in found.items() if "outvoted" in conflict.signals]


@pytest.mark.parametrize(
    ("passages", "words", "kind"),
    [
        ([*TALL, SHORT], "250 metres", "number"),
        (["The bridge opened in 1937.", "The bridge opened to traffic in May 1937.", "The bridge opened in 1950."], "1950", "date"),
        (["The drug is not approved for children.", "Regulators have not approved the drug for children.", "The drug is approved for children."], "approved", "negation"),
    ],
)  # fmt: skip
def test_who_contradicts_two_others_is_outvoted_in_whatever_order(passages, words, kind):
    given = dict(enumerate(passages))
    found, warning = conflicts(given)
    conflict = found[2]
    assert (conflict.quote, conflict.signals, conflict.against) == (words, (kind, "outvoted"), (0, 1))
    assert passages[2][conflict.start : conflict.end] == words
    assert conflict.score == pytest.approx(2 / 3)
    assert warning == ""
    (turned,) = [each for each in conflicts(dict(reversed(given.items())))[0].items() if "outvoted" in each[1].signals]
    assert (turned[0], turned[1].quote, turned[1].against) == (2, words, (0, 1))


def test_one_against_one_is_disputed_on_both_sides():
    found, _ = conflicts({4: TALL[0], 7: SHORT})
    assert [(i, each.signals[1], each.against) for i, each in found.items()] == [
        (4, "disputed", (7,)), (7, "disputed", (4,)),
    ]  # fmt: skip


def test_copies_count_once():
    assert outvoted(SHORT, SHORT.upper(), " " + SHORT, TALL[0]) == []
    assert outvoted(SHORT, SHORT + "\n", *TALL) == [0, 1]


def test_who_has_support_is_not_outvoted_by_two():
    assert outvoted(SHORT, "With its 250 metres, the Eiffel Tower is tall.", *TALL) == []


@pytest.mark.parametrize(
    "passages",
    [
        ["Revenue was 5 million in 2019.", "Revenue was 6 million in 2020.", "In 2020, revenue was 6 million euros."],
        ["Paris is a city in France.", "Lyon is a city in France.", "Lyon is a big city in France."],
        ["Ann joined the club in May 2001.", "Bob joined the club in June 2003.", "Bob joined the club in June 2003, too."],
        ["The firm has offices in Oslo.", "The firm has offices in Rome.", "The firm also has offices in Rome, near the river."],
        ["Canberra is the capital of Australia.", "Australia's capital is Canberra.", "The capital of Australia is Sydney."],
        ["The tower has 3 floors.", "The tower has 2 lifts.", "The tower has 2 lifts and a café."],
        ["A cat weighs 4 kg.", "A dog weighs 20 kg.", "A big dog weighs 20 kg."],
        ["Is the Eiffel Tower 250 metres tall?", *TALL],
    ],
)  # fmt: skip
def test_statements_on_different_subjects_do_not_conflict(passages):
    assert conflicts(dict(enumerate(passages))) == ({}, "")


def test_what_was_not_compared_is_said():
    long = " ".join(f"Sentence {i} tells of mill number {i}." for i in range(300))
    assert "of each passage were compared" in conflicts({0: SHORT, 1: long * 2})[1]
