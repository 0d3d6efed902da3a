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


@pytest.mark.parametrize("word", ["\u65e5\u672c", "\u0634\u0627\u0647\u062f", "B\u0435rg"])  # the last mixes scripts
def test_a_script_without_coined_words_gives_none(word):
    assert scripts(word) is None
    assert made(word, "medium") is None
