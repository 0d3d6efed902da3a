"""A judge compared with itself."""

from __future__ import annotations

import pytest
from judged import ABSENT, NO, YES
from judged import report as judged

from trail_callbacks.bench import spread
from trail_callbacks.errors import InputError


def test_reports_on_one_answer_agree_in_classes_flags_and_claims():
    ferry, ticket, dogs = "The ferry takes 40 minutes.", "A ticket costs 12 euros.", "Dogs ride for free."
    answer = f"{ferry} {ticket} {dogs}"
    first = judged((ferry, YES), (ticket, NO), (dogs, YES), answer=answer)
    second = judged((ferry, YES), (ticket, ABSENT), answer=answer)
    found = spread([[first, second], [first, first]])
    assert (found.classes.k, found.classes.n) == (4, 5)  # contradicted is absent in one pair
    assert (found.flags.k, found.flags.n) == (5, 5)
    assert (found.found.k, found.found.n) == (10, 11)
    assert found.classes.low < 0.8 < found.classes.high


def test_one_report_is_no_spread_and_judges_are_not_mixed():
    alone = judged(("The ferry takes 40 minutes.", YES))
    assert spread([[alone]]).classes.value is None
    assert "no claim" in spread([]).found.why
    with pytest.raises(InputError, match="one judge"):
        spread([[alone, judged(("The ferry takes 40 minutes.", YES), judge="other/1")]])
