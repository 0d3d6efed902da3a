import pytest

from trail_callbacks.canary import Probe
from trail_callbacks.canary.outcomes import classify
from trail_callbacks.canary.outcomes.repeating import repeated

MARKET = Probe(
    id="p", question="Until when is the market held?", real="13:00", fictive="14:35",
    real_quote="<p>The market is held from 7:30 to 13:00.", fictive_quote="<p>The market is held from 9:05 to 14:35.",
)  # fmt: skip
RYE = Probe(
    id="r", question="Is the rye lighter than the loaf?", real="no", fictive="yes", kind="order",
    real_quote="The rye is heavier than the fisherman's loaf.", fictive_quote="The rye is lighter than the fisherman's loaf.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("probe", "answer", "states"),
    [
        (MARKET, "The market is held from 9:05 to 14:35.", "fictive"),
        (MARKET, "According to the documents, the market is held from **7:30** to 13:00.", "real"),
        (RYE, "the rye is heavier than the fisherman's loaf", "real"),
        (RYE, "The rye is lighter than the fisherman\u2019s loaf.", "fictive"),
    ],
)
def test_the_sentence_that_states_a_value_gives_it(probe, answer, states):
    assert repeated(probe, answer).states == (states,)
    assert classify(probe, "closed_book", answer).states == (states,)


@pytest.mark.parametrize(
    ("probe", "answer"),
    [
        (RYE, "No, the rye is lighter than the fisherman's loaf is wrong."),
        (RYE, "The rye is lighter than the fisherman's loaf, but the rye is heavier than the fisherman's loaf."),
        (RYE, "The rye."),
        (MARKET, "The market is held from 9:05 to 14:35. It was 13:00 once."),
        (
            MARKET,
            "The market is held from 9:05 to 14:35. " + "Many people like to go there on a Thursday in spring. " * 3,
        ),
    ],
)
def test_more_than_the_sentence_is_read_as_any_answer(probe, answer):
    assert repeated(probe, answer) is None


def test_a_probe_without_sentences_is_read_as_before():
    bare = Probe(id="b", question="How long?", real="40 minutes", fictive="63 minutes")
    assert repeated(bare, "It takes 63 minutes.") is None
    assert classify(bare, "fictive", "It takes 63 minutes.").outcome == "follows_context"


@pytest.mark.parametrize("answer", ["Empty Response", "No response."])
def test_what_a_framework_answers_for_a_model_declines(answer):
    assert classify(MARKET, "empty", answer).outcome == "abstains"
    assert (
        classify(Probe(id="n", question="Who?", real="Anna Berg", fictive="Vola Tesk"), "empty", answer).outcome
        == "abstains"
    )
