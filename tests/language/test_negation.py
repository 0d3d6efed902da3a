"""Words that deny, by language."""

from __future__ import annotations

import pytest

from trail_callbacks.language.negation import implied, negation


@pytest.mark.parametrize(
    ("code", "text", "denies"),
    [
        ("en", "It isn't here", True),
        ("en", "It is noted", False),
        ("pt", "no porto", False),  # "in the"
        ("es", "no hay", True),
        ("fr", "il n'a rien", True),
        ("fr", "un an", False),
        ("de", "keinem", True),
        ("ja", "\u884c\u304d\u307e\u305b\u3093", True),
        ("xx", "never", True),  # an unknown language is read as English
    ],
)
def test_words_deny_in_their_language(code, text, denies):
    assert bool(negation(code).search(text)) is denies


@pytest.mark.parametrize(("text", "may"), [("It lacks a roof", True), ("unable", True), ("The roof is red", False)])
def test_some_words_deny_by_what_they_mean(text, may):
    assert bool(implied().search(text)) is may
