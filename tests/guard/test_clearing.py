"""A walk through any value takes little time, and lets nothing through that it did not read."""

from itertools import count

from trail_callbacks.guard.withheld import Clearing, Withheld

SOURCE = "The lighthouse of Genoa is 77 metres tall."
FALSE = "The lighthouse of Genoa is 97 metres tall."
WITHHELD = Withheld([FALSE], [SOURCE], "No.")


def cleared(value, **options):
    return Clearing(WITHHELD, None, **options).of(value)


def test_what_is_read_only_once_is_not_let_through():
    assert cleared({"a": count(), "b": (word for word in ["fine"]), "c": 1}) == {"a": None, "b": None, "c": 1}


def test_what_stands_in_many_places_is_read_once():
    value = [FALSE]
    for _ in range(25):  # 2 ** 25 paths lead to the text
        value = [value, value]
    out = cleared(value)
    for _ in range(25):
        assert out[0] is out[1]
        out = out[0]
    assert out == ["No."]


def test_a_function_goes_if_it_holds_the_text_and_stays_if_not():
    def holding(text):
        return lambda: text

    kept, gone = holding("Fine."), holding(FALSE)
    assert cleared([kept, gone]) == [kept, None]
