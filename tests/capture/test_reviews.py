"""Feedback of a guard in what an app hands on."""

from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.capture.payloads import marked, without_feedback

REVIEW = marked("You wrote: it is 97 metres tall.")


@given(st.text(), st.text())
def test_it_is_taken_out_and_what_stands_around_it_stays(before, after):
    assert without_feedback(f"{before}{REVIEW}{after}") == before.rstrip() + after.lstrip()
    assert without_feedback(before) == before


def test_one_that_was_cut_off_goes_too():
    assert without_feedback(f"How tall is it? {REVIEW[:-20]}") == "How tall is it?"
