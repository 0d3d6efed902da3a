"""What stands before a statement without being part of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks import check
from trail_callbacks.claims import split
from trail_callbacks.splitting.frames import unframed

FRAMES = [
    ("Based on the provided passages, the mill is old.", ["the mill is old."]),
    ("Sure! Based on the documents, the answer is 42.", ["Sure!", "the answer is 42."]),
    ("According to Quist, the mill is old.", ["According to Quist, the mill is old."]),
    ("However, the mill is old.", ["the mill is old."]),
    ("It is important to note that the mill is old.", ["the mill is old."]),
    ("Response 2: the mill is old.", ["the mill is old."]),
    ("Antwort: Die Mühle ist alt.", ["Die Mühle ist alt."]),
    ("答案\uff1a磨坊很旧。", ["磨坊很旧。"]),
]
ASIDES = [
    ("Based on the provided passages, the mill was built in 1850.", "the mill was built in 1850."),
    ("The mill was built in 1850 (passage 2).", "The mill was built in 1850"),
    ("Passage 3 states that the mill was built in 1850.", "the mill was built in 1850."),
    ("Therefore, the mill was built in 1850.", "the mill was built in 1850."),
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


@pytest.mark.parametrize(("text", "rest"), ASIDES)
def test_what_speaks_of_the_sources_is_blanked_out(text, rest):
    plain = unframed(text)
    assert rest in plain
    assert len(plain) == len(text)
    assert "assage" not in plain


@pytest.mark.parametrize(
    "text",
    [
        "According to the minister, the mill was built in 1850.",  # somebody in the world
        "In 1850, the mill was built.",
        "The passage between the islands is narrow.",
        "The sources of the river lie in Norway.",
        "Based on the provided passages",  # nothing would remain
        "",
    ],
)
def test_what_speaks_of_the_world_stays(text):
    assert unframed(text) == text


@given(st.text(max_size=300))
def test_offsets_stay_true(text):
    plain = unframed(text)
    assert len(plain) == len(text)
    assert all(b in {a, " "} for a, b in zip(text, plain, strict=True))


def test_a_frame_changes_no_verdict():
    source = "The mill was built in 1850 by the miller Orin Vale."
    for framed, _ in ASIDES:
        assert str(check(framed, [source]).verdicts[0].support) == "supported"
