"""Strategies as a user writes them down."""

import pytest

from trail_callbacks.canary import ARMS, Strategy
from trail_callbacks.canary.runs.journal import read_matrix
from trail_callbacks.errors import InputError


@pytest.fixture
def matrix(tmp_path):
    def write(text):
        (tmp_path / "matrix.toml").write_text(text, encoding="utf-8")
        return tmp_path / "matrix.toml"

    return write


def test_the_product_without_what_is_excluded(matrix):
    path = matrix("""
arms = ["fictive", "real"]
[matrix]
chunker = ["sentence", "500/100"]
html = [true, false]
[[exclude]]
chunker = "sentence"
html = false
""")
    strategies = (
        Strategy("chunker=sentence, html=true", {"chunker": "sentence", "html": True}),
        Strategy("chunker=500/100, html=true", {"chunker": "500/100", "html": True}),
        Strategy("chunker=500/100, html=false", {"chunker": "500/100", "html": False}),
    )
    assert read_matrix(path) == (strategies, ("real", "fictive"))


def test_true_is_not_one_and_all_arms_are_asked_by_default(matrix):
    strategies, arms = read_matrix(matrix("[matrix]\nk = [1, true]\n[[exclude]]\nk = 1"))
    assert [each.parameters["k"] for each in strategies] == [True]
    assert arms == ARMS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "matrix: Field required"),
        ("[matrix", "is no TOML"),
        ("[matrix]\na = [1]\n[[strategy]]\nb = 1", "strategy: Extra inputs are not permitted"),
        ("[matrix]\na = [1, 1]", "two combinations are the same"),
        ("[matrix]\na = [1]\n[[exclude]]\na = 1", "nothing is left"),
        ("[matrix]\n" + "\n".join(f"p{n} = [1, 2, 3, 4]" for n in range(6)), "4096 combinations"),
    ],
)
def test_what_makes_no_sense_is_told_with_its_place(text, words, matrix):
    path = matrix(text)
    with pytest.raises(InputError) as error:
        read_matrix(path)
    assert words in str(error.value)
    assert "matrix.toml" in str(error.value)
