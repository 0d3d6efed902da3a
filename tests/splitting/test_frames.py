"""What stands before a statement without being part of it."""

import pytest

from trail_callbacks.claims import split

FRAMES = [
    ("Based on the provided passages, the mill is old.", ["the mill is old."]),
    ("According to the given context, the mill is old.", ["the mill is old."]),
    ("Sure! Based on the documents, the answer is 42.", ["Sure!", "the answer is 42."]),
    ("According to Quist, the mill is old.", ["According to Quist, the mill is old."]),
    ("However, the mill is old.", ["the mill is old."]),
    ("It is important to note that the mill is old.", ["the mill is old."]),
    ("Please note that the mill is old.", ["the mill is old."]),
    ("In the 1990s, the mill was old.", ["In the 1990s, the mill was old."]),
    ("Well-known mills are old.", ["Well-known mills are old."]),
    ("Response 2: the mill is old.", ["the mill is old."]),
    ("Beware: the mill is old.", ["the mill is old."]),
]


@pytest.mark.parametrize(("answer", "claims"), FRAMES, ids=lambda value: value if isinstance(value, str) else "")
def test_frames_are_left_out_of_the_text(answer, claims):
    assert [claim.text for claim in split(answer)] == claims


def test_the_answer_to_a_question_takes_it():
    (claim,) = split("Based on the passages, the answer is 42.", "How many doors has the mill?")
    assert claim.text == "How many doors has the mill? the answer is 42."
    assert claim.quote == "the answer is 42."
    assert claim.checkable


def test_quotes_keep_what_texts_leave_out():
    (claim,) = split("However, the mill is **old** [1].")
    assert claim.text == "the mill is old."
    assert claim.quote == "However, the mill is **old** [1]."
