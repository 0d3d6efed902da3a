import random

import pytest

from trail_callbacks.canary import SIZES
from trail_callbacks.canary.perturbers.coined import coined, scripts


def free(_):
    return False


def made(word, size, seed=0, **how):
    return coined(word, size, random.Random(seed), free, **how)  # noqa: S311 - no secret


@pytest.mark.parametrize("word", ["Berg", "Thornbury", "Iglesias", "\u00d8rsted", "Yuki", "Ng"])
@pytest.mark.parametrize("size", SIZES)
def test_a_coined_word_has_the_length_of_no_common_word_and_is_the_same_for_a_seed(word, size):
    for seed in range(50):
        found = made(word, size, seed)
        assert found == made(word, size, seed)
        assert len(found) >= 6
        assert found.istitle()
        assert found != word
        assert (found[0] == word[0]) is (size == "small")


@pytest.mark.parametrize(
    ("word", "ending"),
    [
        ("Dmitrova", "ova"),
        ("Thornbury", "bury"),
        ("\u0411\u0443\u0440\u043d\u043e\u0432\u0430", "\u043e\u0432\u0430"),
        ("\u03a0\u03b1\u03c0\u03b1\u03b4\u03cc\u03c0\u03bf\u03c5\u03bb\u03bf\u03c2", "\u03c2"),
    ],
)
@pytest.mark.parametrize("size", ["small", "medium"])
def test_endings_that_show_what_a_name_is_of_stay(word, ending, size):
    found = made(word, size)
    assert found.endswith(ending)
    assert scripts(found) == scripts(word)


@pytest.mark.parametrize("word", ["\u65e5\u672c", "\u0634\u0627\u0647\u062f", "B\u0435rg"])  # the last mixes scripts
def test_a_script_without_coined_words_gives_none(word):
    assert scripts(word) is None
    assert made(word, "medium") is None
