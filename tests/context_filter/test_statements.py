import pytest

from trail_callbacks.context_filter.statements import Statement, agrees, difference


def compare(a, b):
    found = difference(Statement(0, 0, a), Statement(1, 0, b))
    return found and (found.kind, a[slice(*found.span)], b[slice(*found.other)])


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("The tower is 330 metres tall.", "The tower is 250 metres tall.", ("number", "330 metres", "250 metres")),
        ("The plant made 5 million cars.", "The plant made 6 million cars.", ("number", "5 million", "6 million")),
        ("The bridge opened on 3 May 1937.", "The bridge opened in June 1950.", ("date", "3 May 1937", "June 1950")),
        ("Its capital is Canberra.", "Its capital is Sydney.", None),  # a single word in common
        ("The capital of Peru is Lima.", "The capital of Peru is Cusco.", None),  # a name
        ("The road is not open to trucks.", "The road is open to trucks.", ("negation", "not open", "open")),
        ("The road is open to trucks.", "The road isn't open to trucks.", ("negation", "open", "isn't open")),
    ],
)
def test_the_one_thing_in_which_they_differ(a, b, expected):
    assert compare(a, b) == expected


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The tower is 330 metres tall.", "The tower is about 330 metres tall."),
        ("The tower is 330 metres tall.", "The tower is 0.33 km tall."),
        ("The town has 12,340 inhabitants.", "The town has 12,000 inhabitants."),
        ("The bridge opened in 1937.", "The bridge opened in May 1937."),
        ("The town has 3 schools and parks.", "The town has 4 parks and schools."),
        ("Rent rose 5 % in Lima in 2019.", "Rent rose 6 % in Cusco in 2020."),
        ("Ann is a member of the club.", "Bob is a member of the club."),
        ("One of the founders of the club is Ann.", "One of the founders of the club is Bob."),
        ("The pass does not have to be shown to drivers.", "The pass is shown to drivers."),
        ("The road is not open.", "The shop sells old maps."),
    ],
)
def test_different_things_and_roundings_do_not_contradict(a, b):
    assert compare(a, b) is None


def test_who_states_the_same_agrees():
    one, other = Statement(0, 0, "The tower is 330 metres tall."), Statement(1, 0, "The tower is 250 metres tall.")
    at = difference(one, other)
    assert agrees(one, Statement(2, 0, "The old tower is 330 m tall."), at)
    assert not agrees(one, Statement(2, 0, "The tower is 250 m tall."), at)
    assert not agrees(one, Statement(2, 0, "The tower is very tall."), at)
    assert not agrees(one, Statement(2, 0, "The river is 330 metres wide."), at)
