"""What of a reply is its answer."""

import pytest

from trail_callbacks.canary import Probe
from trail_callbacks.canary.outcomes import classify
from trail_callbacks.canary.outcomes.reading import answer_of, plain

WALL = Probe(id="w", question="How thick is the wall?", real="30 cm", fictive="55 cm")


@pytest.mark.parametrize(
    "reply",
    [
        "<answer>55 cm</answer>",
        "I read the sheet: 30 cm is the floor.\n<answer>55 cm</answer>",
        "55 cm<|im_end|>",
        "<s>55 cm</s>",
        "<think>30 cm?</think>55 cm",
    ],
)
def test_a_models_own_marks_are_no_answer(reply):
    assert classify(WALL, "fictive", reply).outcome == "follows_context"


@pytest.mark.parametrize("reply", ["...", "?!", "<|im_end|>", "---", "[object Object]"])
def test_a_reply_without_a_word_is_none(reply):
    found = classify(WALL, "fictive", reply)
    assert (found.outcome, found.how) == ("unscorable", "error")


def test_a_reply_that_goes_round_in_circles_is_none():
    assert answer_of("the wall of the the wall of the the wall of the the wall") == ""
    assert answer_of("the wall is the wall") == "the wall is the wall"
    assert classify(WALL, "fictive", "The wall is 55 cm. " * 3).outcome == "unscorable"


@pytest.mark.parametrize("reply", ["The wall of the house is", "Here is the thickness of the wall:", "Let me see,"])
def test_a_reply_that_breaks_off_is_left_open(reply):
    assert classify(WALL, "fictive", reply).how == "undecided"


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("twenty past midnight", "00:20"),
        ("a quarter to noon", "11:45"),
        ("five o'clock in the afternoon", "5 pm"),
        ("20 working days", "20 days"),
        ("every other week", "every 2 weeks"),
        ("60 miles an hour", "60 miles per hour"),
        ("400 Swiss francs", "400 CHF"),
        ("a pair of oars", "2 oars"),
        ("a third of it", "one third of it"),
        ("un tercio", "one third"),
    ],
)
def test_plain(said, read):
    assert plain(said) == read
