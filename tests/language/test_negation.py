"""Words that deny: what is found in which language, and what only looks like one."""

import re

import pytest

from trail_callbacks.language.detect import NAMES
from trail_callbacks.language.negation import EVERYWHERE, OF_ONE_LANGUAGE, UNSPACED


def finds(words, text):
    return re.search(rf"\b(?:{''.join(words.split())})\b", text, re.IGNORECASE) is not None


def test_tables_are_for_languages_that_are_told_apart():
    assert set(OF_ONE_LANGUAGE) <= set(NAMES)


@pytest.mark.parametrize(
    "text", ["not red", "It isn\u2019t.", "nicht rot", "keinen Turm", "jamais", "n\u00e3o", "\u043d\u0435"]
)
def test_words_that_deny_everywhere(text):
    assert finds(EVERYWHERE, text)


@pytest.mark.parametrize(
    "text", ["not only red", "It is red, isn't it?", "Er ist rot, nicht wahr?", "notable", "no inverno"]
)
def test_what_only_looks_like_a_denial(text):
    assert not finds(EVERYWHERE, text)


def test_a_word_of_one_language_is_none_of_another():
    assert finds(OF_ONE_LANGUAGE["es"], "no parte")
    assert not finds(OF_ONE_LANGUAGE["pt"], "no inverno")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("\u4e0d\u5f00\u653e", True),
        ("\u6ca1\u6709\u697c\u68af", True),
        ("\u975e\u5e38", False),
        ("\u672a\u6765", False),
        ("\u7121\u6599", False),
        ("\u968e\u6bb5\u304c\u306a\u3044", True),
        ("\u5c11\u306a\u3044", False),
        ("\uc5c6\ub2e4", True),
        ("\u0928\u0939\u0940\u0902", True),
    ],
)
def test_denials_inside_words(text, found):
    assert (re.search(UNSPACED, text) is not None) == found
