"""Markdown, HTML and citation marks are not part of what is stated."""

import pytest

from trail_callbacks.claims import split

MARKS = [
    ("The mill is old [1][2].", "The mill is old."), ("The mill is old (Smith, 2020).", "The mill is old."),
    ("The mill is old (Smith et al., 2020; Doe and Roe, 2019).", "The mill is old."), ("The mill is old (Passage 1).", "The mill is old."),
    ("The mill is old. (Passages 1 and 3)", "The mill is old."), ("The mill is old (as stated in Passage 2).", "The mill is old."),
    ("The mill is old.[^1]", "The mill is old."), ("The mill【3†a】 is old.", "The mill is old."),
    ("The [mill](https://a.example/x_(y)) is old.", "The mill) is old."), ("The *old* **mill** is __big__.", "The old mill is big."),
    ("The `mill` is old.", "The mill is old."), ("The <b>mill</b> is <i>old</i>.<br/>", "The mill is old."),
    ("The mill is old<sup>3</sup>.", "The mill is old."), ("The mill has 3 < 5 and 7 > 2 doors.", "The mill has 3 < 5 and 7 > 2 doors."),
    (r"The area is \(x^2\).", "The area is x^2."), ("It costs $5 to $6.", "It costs $5 to $6."), ("> The mill is old.", "The mill is old."),
    ("✅ The mill is old.", "The mill is old."), ("1) The mill is old.", "The mill is old."), ("(a) The mill is old.", "The mill is old."),
    ("iv. The mill is old.", "The mill is old."), ("- [x] The mill is old.", "The mill is old."), ("① 磨坊很旧", "磨坊很旧"),
    ("1、磨坊很旧。", "磨坊很旧。"), ("The mi\u200bll is old.", "The mill is old."), ("\u202eThe mill is old.\u202c", "The mill is old."),
    ("The mill is old (Rebuilt 1986).", "The mill is old (Rebuilt 1986)."), ("The mill is old (Berg 1986).", "The mill is old."),
    ("The mill is old (in 1990).", "The mill is old (in 1990)."), ("It has x_1 and snake_case names.", "It has x_1 and snake_case names."),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "text"), MARKS)
def test_marks_are_left_out_of_the_text(answer, text):
    (claim,) = split(answer)
    assert claim.text == text
