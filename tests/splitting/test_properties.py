"""What holds for every answer, however broken: exact spans, honest words, linear time."""

import re
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.claims import abstains, split

WORDS = re.compile(r"[^\W_]+")
ADDED = {"s"}  # of a possessive that a name took over from `its`
NAMES = ["Tarn", "Ada Quist", "The old mill", "Oslo and Bonn", "Dr. Holm", "No gate", "it", "She", "They", "Its roof"]
VERBS = ["is old", "has two decks", "was sold in 1990", "closed", "are red", "must not fall", "includes a, b and c"]
LINKS = [" and ", ", and ", ", but ", "; ", ": ", ", while ", ", which ", " because ", ", ", " or ", ". ", "\n- ", "\n\n"]  # fmt: skip
FRAMES = [
    "",
    "Based on the passages, ",
    "However, ",
    "If it rains, ",
    "He said that ",
    "- ",
    "| ",
    "## ",
    "> ",
    "\u201c",
]
TAILS = ["", ".", " [1].", " (Passage 1).", "?", "!", ":", "**", " |", "\u201d", "```"]

sentence = st.builds(
    lambda frame, rest, tail: frame + "".join(rest) + tail,
    st.sampled_from(FRAMES),
    st.lists(st.builds(lambda *parts: "".join(parts), st.sampled_from(NAMES), st.just(" "), st.sampled_from(VERBS), st.sampled_from(LINKS))
             | st.builds(str.__add__, st.sampled_from(VERBS), st.sampled_from(LINKS)), min_size=1, max_size=5),
    st.sampled_from(TAILS),
)  # fmt: skip
answers = (
    st.text(max_size=200) | st.lists(sentence, max_size=6).map(" ".join) | st.lists(sentence, max_size=6).map("\n".join)
)


@given(answers, st.none() | st.just("How old is it?"))
def test_spans_are_exact_ordered_and_not_empty(answer, question):
    claims = split(answer, question)
    assert claims == split(answer, question)
    assert [claim.id for claim in claims] == [f"c{n}" for n in range(1, len(claims) + 1)]
    at = 0
    for claim in claims:
        assert answer[claim.start : claim.end] == claim.quote
        assert claim.quote.strip() == claim.quote != ""
        assert claim.text.strip()
        assert "[1]" not in claim.text
        assert claim.start >= at
        at = claim.end


@given(answers, st.none() | st.just("How old is it?"))
def test_every_word_is_one_of_the_answer_or_the_question(answer, question):
    known = {word.casefold() for word in WORDS.findall(f"{answer} {question}")} | ADDED
    letters = "".join(WORDS.findall(answer)).casefold()
    for claim in split(answer, question):
        for word in WORDS.findall(claim.text):
            assert word.casefold() in known or word.casefold() in letters  # marks may stand inside a word


@given(answers)
def test_an_answer_that_states_something_does_not_abstain(answer):
    if any(claim.checkable for claim in split(answer)):
        assert not abstains(answer)


@pytest.mark.parametrize(
    "run",
    ["a, and the b was c ", "[", "(", '"', "“", "*", "x; ", "- a\n", "- a:\n  ", "| a | b |\n", "and is ", "was ", "1. ", "> ", "<b>", "</p>",
     "<!--", "$$\n", "```\n", "[^1]:", "[a](", "![](", "(Smith et al., 2020; ", "However, ", "note that ", "here is ", "he said that ",
     "\u200b", "\u202e", "\u0902", "\U0001f3fd", "\u3002", "...", "M. ", "Dr. ", "a"],
)  # fmt: skip
def test_hostile_answers_take_linear_time(run):
    split("The mill is old.")  # compiles
    started = perf_counter()
    split((run * 20_000)[:20_000])
    assert perf_counter() - started < 20  # seconds; what is read again at each of its characters takes longer


def test_lead_ins_and_columns_do_not_multiply():
    lead = "The mill " * 5000 + ":\n" + "- roof\n" * 1000
    columns = "| " + "name " * 5000 + "| b |\n" + "| 1 | 2 |\n" * 1000
    for answer in (lead, columns):
        claims = split(answer)
        assert len([claim for claim in claims if len(claim.quote) < 20]) == 1000
        assert sum(len(claim.text) for claim in claims) < len(answer) + 1000 * 500
