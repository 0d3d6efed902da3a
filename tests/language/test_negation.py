"""Words that deny: what is found in which language, and what only looks like one."""

import pytest

from trail_callbacks.language.speech import negation


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        ("en", "not red", True), ("en", "It isn\u2019t.", True), ("en", "not only red", False), ("en", "notable", False),
        ("en", "It is red, isn't it?", False), ("de", "nicht rot", True), ("de", "Er ist rot, nicht wahr?", False),
        ("fr", "jamais", True), ("fr", "n'est pas", True), ("es", "no parte", True), ("pt", "no inverno", False),
        ("ru", "\u043d\u0435", True), ("zh", "\u4e0d\u5f00\u653e", True), ("zh", "\u975e\u5e38", False), ("zh", "\u672a\u6765", False),
        ("ja", "\u968e\u6bb5\u304c\u306a\u3044", True), ("ja", "\u5c11\u306a\u3044", False), ("ko", "\uc5c6\ub2e4", True),
        ("hi", "\u0928\u0939\u0940\u0902", True), ("xx", "no roof", True),
    ],
)  # fmt: skip
def test_words_that_deny_in_a_language(code, text, found):
    assert (negation(code, text.isascii()).search(text) is not None) == found
