"""What people say of verdicts."""

from __future__ import annotations

import pytest

from trail_callbacks import check
from trail_callbacks.errors import InputError
from trail_callbacks.store.feedback import Feedback, marks

REPORT = check("The ferry takes 50 minutes.", ["The ferry takes 40 minutes."], "How long?")


@pytest.fixture
def run(store):
    store.put([(REPORT, None)])
    with store.connected() as connection:
        return next(iter(connection.exec_driver_sql("SELECT run FROM trail_runs"))).run


def said(store):
    with store.connected() as connection:
        return list(marks(connection))


def test_the_last_word_of_a_person_counts(store, run):
    claim = REPORT.claims[0].id
    assert store.mark(Feedback(run=run, claim=claim, right=True, author="ann", at=1.0))
    assert store.mark(Feedback(run=run, claim=claim, right=False, should="absent", author="ann", at=2.0, note="\0 no"))
    assert store.mark(Feedback(run=run, claim=claim, right=True, author="bob", at=3.0))
    first, second = said(store)
    assert (first.author, first.right, first.should, first.label) == ("ann", False, "absent", "absent")
    assert (first.outcome, first.judge) == ("contradicted", REPORT.judge)
    assert (second.author, second.label) == ("bob", "contradicted")


def test_there_must_be_such_a_claim(store, run):
    assert not store.mark(Feedback(run=run, claim="c99", right=True))
    assert not store.mark(Feedback(run="nothing", claim="c1", right=True))
    assert said(store) == []


@pytest.mark.parametrize("wrong", [{"should": "maybe", "right": False}, {"should": "absent", "right": True}])
def test_classes_that_make_no_sense(wrong):
    with pytest.raises(InputError, match=r"class|expected one of"):
        Feedback(run="r", claim="c1", **wrong)


def test_wrong_without_a_class_is_no_label():
    assert Feedback(run="r", claim="c1", right=False, outcome="absent").label is None
