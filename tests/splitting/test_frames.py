"""What stands before a statement without being part of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks import check
from trail_callbacks.splitting.marks import unframed

ASIDES = [
    ("Based on the provided passages, the mill was built in 1850.", "the mill was built in 1850."),
    ("The mill was built in 1850 (passage 2).", "The mill was built in 1850"),
    ("Passage 3 states that the mill was built in 1850.", "the mill was built in 1850."),
    ("Therefore, the mill was built in 1850.", "the mill was built in 1850."),
]


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
