"""What people say of verdicts."""

from __future__ import annotations

import pytest

from trail_callbacks import check
from trail_callbacks.errors import InputError

REPORT = check("The ferry takes 50 minutes.", ["The ferry takes 40 minutes."], "How long?")
CLAIM = REPORT.claims[0].id


@pytest.fixture
def run(store):
    store.put([(REPORT, None)])
    return next(store.observations()).id


def test_the_last_word_of_a_person_counts(store, run):
    store.mark(run, CLAIM, "right", author="ann")
    store.mark(run, CLAIM, "wrong", should="absent", author="ann", note="\0 no")
    store.mark(run, CLAIM, "right", author="bob")
    first, second = store.marks()
    assert (first.author, first.verdict, first.should, first.label) == ("ann", "wrong", "absent", "absent")
    assert (first.outcome, first.judge) == ("contradicted", REPORT.judge)
    assert (second.author, second.label) == ("bob", "contradicted")
    assert store.marks(run) == [first, second]


@pytest.mark.parametrize(
    ("claim", "verdict", "should"),
    [("c99", "right", None), (CLAIM, "maybe", None), (CLAIM, "wrong", "maybe"), (CLAIM, "right", "absent")],
)
def test_what_makes_no_sense_is_refused(store, run, claim, verdict, should):
    with pytest.raises(InputError):
        store.mark(run, claim, verdict, should=should)
    with pytest.raises(InputError):
        store.mark("nothing", CLAIM, "right")
    assert store.marks() == []
