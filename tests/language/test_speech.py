"""What a sentence does: state something, or greet, ask, offer, judge, decline."""

import pytest

from trail_callbacks.language.speech import declines, greets, is_question, is_statement


@pytest.mark.parametrize(
    "text",
    ["Take two tablets a day.", "Click OK to save the changes.", "Try the blue lamp.", "Check your dog for ticks.", "Consider a new drum.",
     "Make sure to dry it.", "Please take two tablets.", "Hope is a town in Wales.", "I think it has 12 rooms.", "Thanks to the diet, the cat is well."],
)  # fmt: skip
def test_statements_and_instructions_with_content_are_statements(text):
    assert is_statement(text)


@pytest.mark.parametrize(
    "text",
    ["Hello!", "Sure!", "Great question!", "I hope this helps!", "Let me know if you need more.", "I can help you with that!",
     "I think it is lovely.", "In my opinion it is too loud.", "See the manual for details.", "Please contact support.", "It does.",
     "Thanks to you all!", "Is it open?", "...", ""],
)  # fmt: skip
def test_talk_about_the_talk_states_nothing(text):
    assert not is_statement(text)


@pytest.mark.parametrize("text", ["Is it old?", "它旧吗\uff1f", "古いですか。", "هل هو قديم؟", '"Why?"'])
def test_questions_of_all_scripts(text):
    assert is_question(text)


@pytest.mark.parametrize("text", ["Vielen Dank!", "¡Qué buen plan!", "Bonjour !", "你好\uff01", "شكرا!"])
def test_greetings_of_other_languages(text):
    assert greets(text)


@pytest.mark.parametrize(
    "text",
    ["I don't know.", "The context does not mention the price.", "No information is available on that.", "Not stated."],
)
def test_declining(text):
    assert declines(text)
    assert not is_statement(text)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("It is available in the shop.", False),
        ("It is known to be open on Sundays.", False),
        ("It wasn't possible to repair the engine.", False),
        ("It is not possible to say who built it.", True),
        ("It is not available in the documents.", True),
        ("The answer is unknown.", True),
    ],
)
def test_what_is_known_is_no_refusal(said, expected):
    assert declines(said) is expected
