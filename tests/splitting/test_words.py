"""Which words of an English sentence are finite verbs."""

import pytest

from trail_callbacks.splitting.words import first_verb, tokenize


@pytest.mark.parametrize(
    ("sentence", "verb"),
    [
        ("The tower is tall.", "is"),
        ("The increased price was high.", "was"),
        ("Adults take one tablet.", "take"),
        ("The firm's plans failed.", "failed"),
        ("A large pool", None),
        ("The mill (it was old)", None),
        ("Mr. Works employs ten people.", "employs"),
    ],
)
def test_the_first_finite_verb(sentence, verb):
    tokens = tokenize(sentence)
    at = first_verb(tokens)
    assert (None if at is None else tokens[at].form) == verb


def test_tokens_have_offsets_and_know_brackets():
    sentence = "The **mill** (old) is “big”."
    tokens = tokenize(sentence)
    assert all(sentence[token.start : token.end] == token.written for token in tokens)
    assert [token.form for token in tokens if token.word and token.inner] == ["old", "big"]


def test_an_open_bracket_leaves_everything_inside():
    assert all(token.inner for token in tokenize("The mill (is old"))
