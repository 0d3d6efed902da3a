from trail_callbacks.language.quantities import EXACT, quantities


def one(text):
    (found,) = quantities(text)
    return found


def test_each_reading_means_one_thing():
    first, second = one("1.250 m").readings
    assert (first.raw, first.value, second.raw, second.value) == (1.25, 1.25, 1250, 1250)
    assert first.also == second.also == ()
    assert {first.kind, second.kind} == {"length"}


def test_what_may_be_meant():
    assert one("the 1990s").may_be(one("in 1994"))
    assert not one("the 1990s").may_be(one("in 2004"))
    assert one("5:30").may_be(one("17:30"))
    assert not one("5 kg").may_be(one("5 km"))


def test_parts_of_dates_are_never_near_each_other():
    assert {q.kind for q in quantities("at 17:30 on 4 March 2020")} <= EXACT
