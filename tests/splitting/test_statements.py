"""Statements are told apart from what states nothing. A text behind `?` is of a claim that is not checkable."""

import pytest

from trail_callbacks.claims import split

NO_STATEMENTS = [
    "Hello!", "Great question!", "You're welcome.", "Dear Ms Quist, I am sorry about the lamp.", "I hope this helps!",
    "Based on the provided passages, here is a summary.", "Here is how to paint a mill.", "Here are the steps.",
    "I'm sorry, but the height is not mentioned in the context.", "Unable to answer based on the given passages.",
    "The passages do not provide instructions for that.", "(Unable to answer based on given passages)",
    "As an AI, I cannot browse the web.", "I am a language model.", "I was trained on text.", "Would you like more?",
    "Let me know if you need more.", "I can draft a letter for you.", "Source: https://example.org/a.html", "Thanks for asking!",
    "Quelle est la hauteur ?", "¿Es vieja?", "Ist sie alt?", "È vecchia?", "É velha?", "Is hij oud? Ja?", "它旧吗\uff1f", "古いですか。", "هل هو قديم؟",
    "क्या यह पुरानी है?", "¡Qué buen plan!", "Vielen Dank!", "Bonjour !", "你好\uff01", "Gracias!", "ありがとうございます\uff01", "شكرا!",
]  # fmt: skip
STATEMENTS = [
    "Unfortunately, the mill burned in 1990.", "Here the river is deep.", "The passages under the castle are dark.",
    "The company does not provide refunds.", "Hello Kitty was created in 1974.", "The data do not show a link.",
    "Dear was a town in Ohio.", "The source of the river is a lake.", "Thank You is an album by Holm.",
    "Das Werk ist alt.", "El molino es viejo.", "Le moulin est vieux.", "Il mulino è vecchio.", "O moinho é velho.",
    "De molen is oud.", "磨坊很旧。", "水車は古いです。", "الطاحونة قديمة.", "चक्की पुरानी है।",
]  # fmt: skip
MIXED = [
    ("The passages do not mention the price, but the mill is 30 m tall.",
     ["?The passages do not mention the price", "the mill is 30 m tall."]),
    ("Thanks for asking! The mill is old. Shall I go on?", ["?Thanks for asking!", "The mill is old.", "?Shall I go on?"]),
    ("Work is possible after a year; ask your manager first.", ["Work is possible after a year; ask your manager first."]),
]  # fmt: skip


@pytest.mark.parametrize("answer", NO_STATEMENTS)
def test_what_states_nothing_is_not_checkable(answer):
    assert not any(claim.checkable for claim in split(answer))


@pytest.mark.parametrize("answer", STATEMENTS)
def test_what_states_something_is_checkable_and_whole(answer):
    assert [(claim.text, claim.checkable) for claim in split(answer)] == [(answer, True)]


@pytest.mark.parametrize(("answer", "claims"), MIXED, ids=lambda value: value if isinstance(value, str) else "")
def test_parts_that_state_nothing_are_parted_from_those_that_do(answer, claims):
    assert [claim.text if claim.checkable else f"?{claim.text}" for claim in split(answer)] == claims
