"""Strategies as a user writes them down."""

import json

import pytest

from trail_callbacks.canary import Strategy
from trail_callbacks.canary.runs.matrix import read_arms, read_matrix
from trail_callbacks.errors import InputError

MATRIX = """
arms = ["fictive", "real"]
[matrix]
chunker = ["sentence", "500/100"]
html = [true, false]
[[exclude]]
chunker = "sentence"
html = false
[[strategy]]
name = "as deployed"
chunker = "1000/200"
"""


@pytest.fixture
def matrix(tmp_path):
    def write(text, name="matrix.toml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_the_product_without_what_is_excluded_and_what_is_given(matrix):
    path = matrix(MATRIX)
    assert read_matrix(path) == (
        Strategy("chunker=sentence, html=true", {"chunker": "sentence", "html": True}),
        Strategy("chunker=500/100, html=true", {"chunker": "500/100", "html": True}),
        Strategy("chunker=500/100, html=false", {"chunker": "500/100", "html": False}),
        Strategy("as deployed", {"chunker": "1000/200"}),
    )
    assert read_arms(path) == ("real", "fictive")


def test_json_says_the_same(matrix):
    import tomllib

    path = matrix(json.dumps(tomllib.loads(MATRIX)), "matrix.json")
    assert read_matrix(path) == read_matrix(matrix(MATRIX))
    assert read_arms(path) == ("real", "fictive")


def test_a_rule_may_name_several_values_and_tells_true_from_one(matrix):
    path = matrix('[matrix]\nk = [1, true, 3, 4]\nm = ["a"]\n[[exclude]]\nk = [1, 3]')
    assert [each.parameters["k"] for each in read_matrix(path)] == [True, 4]


def test_a_prompt_may_be_a_file_beside_it(matrix, tmp_path):
    (tmp_path / "strict.md").write_text("\ufeffOnly the documents: größer.\n", encoding="utf-8")
    path = matrix('[matrix]\nprompt = ["strict.md", "Answer."]\n[[strategy]]\nprompt = "Line\\nends.md"')
    assert [(each.name, each.parameters["prompt"]) for each in read_matrix(path)] == [
        ("prompt=strict.md", "Only the documents: größer.\n"),
        ("prompt=Answer.", "Answer."),
        ("prompt=Line ends.md", "Line\nends.md"),
    ]


def test_arms_as_a_table(matrix):
    assert read_arms(matrix("[arms]\nclosed_book = false")) == ("real", "fictive", "empty")
    assert read_arms(matrix("[matrix]\na = [1]")) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "there is no strategy"),
        ("[matrix", "is no TOML"),
        ("[matrx]\na = [1]", "unknown 'matrx', expected some of arms, matrix, exclude, strategy"),
        ("[matrix]\na = 1", "matrix.a: 1, expected a list"),
        ("[matrix]\na = []", "matrix.a: [], expected a list"),
        ("[matrix]\na = [1, 1]", "matrix.a: a value is there twice"),
        ("matrix = 3", "matrix: expected a table of lists"),
        ("[matrix]\na = [1]\n[[exclude]]\nb = 1", "exclude 1: b = 1 is not in the matrix"),
        ("[matrix]\na = [1]\n[[exclude]]\na = 2", "exclude 1: a = 2 is not in the matrix"),
        ("[matrix]\na = [1, 2]\n[[exclude]]\na = [1, 2]", "leaves nothing"),
        ("[matrix]\na = [1, 2]\n[exclude]\na = 1", "exclude: expected [[exclude]] tables"),
        ('strategy = ["a"]', "strategy: expected [[strategy]] tables"),
        ("[[strategy]]", "strategy 1: it is empty"),
        ("[[strategy]]\nname = 3", "strategy 1: name is 3"),
        ('[[strategy]]\nname = "x"\n[[strategy]]\nname = "x"', "two strategies are called 'x'"),
        ('[[strategy]]\nprompt = "none.md"', "the prompt none.md cannot be read: No such file"),
        ("[[strategy]]\nsince = 2024-01-01", "write it as a text in quotes"),
        ("[matrix]\n" + "\n".join(f"p{n} = [1, 2, 3, 4]" for n in range(6)), "4096 combinations"),
    ],
)
def test_what_makes_no_sense_is_told_with_its_place(text, words, matrix):
    path = matrix(text)
    with pytest.raises(InputError) as error:
        read_matrix(path)
    assert words in str(error.value)
    assert "matrix.toml" in str(error.value)


@pytest.mark.parametrize(
    "text", ['arms = ["open"]', 'arms = "real"', "arms = []", "[arms]\nreal = 3", "[arms]\nx = true"]
)
def test_arms_that_make_no_sense(text, matrix):
    with pytest.raises(InputError, match=r"matrix\.toml, arms: "):
        read_arms(matrix(text))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_matrix(tmp_path / "none.toml")
    with pytest.raises(InputError, match="cannot be read"):
        read_matrix(tmp_path)
