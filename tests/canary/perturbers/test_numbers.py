"""Numbers: every mention changes, the way of writing stays, what only looks like a number stays too."""

import re

import pytest

from trail_callbacks.canary import SIZES, Corpus, Document
from trail_callbacks.canary.perturbers.numbers import FACTORS, guessable
from trail_callbacks.canary.perturbers.perturb import perturb
from trail_callbacks.language.values.writing import in_words


def changed(*texts, seed=0, sizes=SIZES):
    """The fictive texts after number edits, and the edits."""
    corpus = Corpus([Document(str(i), text) for i, text in enumerate(texts)])
    twin = perturb(corpus, seed=seed, kinds=["number"], sizes=sizes)
    return [document.text for document in twin.fictive], twin.edits


def value(text):
    (found,) = re.findall(r"\d[\d.,]*\d|\d", text)
    return float(found.replace(",", ""))


def test_words_and_digits_of_one_fact_change_together():
    (ferry, notice), (edit,) = changed(
        "The ferry to Skogholm takes forty minutes.", "Skogholm timetable. The crossing: 40 min."
    )
    assert {edit.real, *(old for old, _ in edit.forms)} == {"forty minutes", "40 min"}
    words = re.search(r"takes ([a-z -]+) minutes", ferry)[1]
    assert words == in_words(int(value(notice))) != "forty"


def test_the_same_value_of_something_else_is_another_fact():
    texts, edits = changed("The ferry to Skogholm takes 40 minutes.", "A written exam lasts 40 minutes.")
    assert [len(edit.replacements) for edit in edits] == [1, 1]
    assert value(texts[0]) != value(texts[1])


@pytest.mark.parametrize(
    "text",
    [
        "See section 3.2 and chapter 12 on page 40.",
        "Call +49 30 1234567 or (030) 555 12 34.",
        "Read https://a.example/40/minutes?x=12 or write to a40@b.example.",
        "Use `wait(40)` as shown.\n\n```\nwait(120)\n```\n",
        '<img width="40" height="120" alt="boat"> Boats.',
        "## 4.2 Boats\n\nThey float.",
        "Open 24/7, 24 hours a day and 7 days a week.",
        "All 100 % of it, one of them and 0 boats.",
        '{"id": 42, "zip": "10115", "order_number": 77}',
    ],
)
def test_what_only_looks_like_a_number_stays(text):
    assert changed(text)[0] == [text]


@pytest.mark.parametrize("size", SIZES)
def test_a_size_says_how_far_and_never_to_a_guess(size):
    text = " ".join(
        f"Ferry {name} carries {n} boats." for name, n in zip("ABCDEFGH", range(150, 950, 100), strict=True)
    )
    found = [edit for seed in range(20) for edit in changed(text, seed=seed, sizes=[size])[1]]
    factors = [value(edit.fictive) / value(edit.real) for edit in found]
    assert len(factors) > 50
    assert not any(map(guessable, factors))
    assert all(any(low * 0.93 <= factor <= high * 1.07 for low, high in FACTORS[size]) for factor in factors)


def test_no_share_is_more_than_the_whole():
    for seed in range(12):
        (after,), _ = changed("The share is 60 % there.", seed=seed, sizes=["large", "medium"])
        assert value(after) <= 100


def test_the_ends_of_a_range_and_a_part_of_a_whole_keep_their_order():
    for seed in range(12):
        (text,), _ = changed("It takes 30-40 minutes. It fed 12 of the 45 crews.", seed=seed)
        low, high, part, whole = (int(each) for each in re.findall(r"\d+", text))
        assert low < high
        assert part < whole


def test_a_new_value_stands_nowhere_else():
    texts = [
        f"Ferry number of {name}: it takes {n} minutes." for n, name in zip(range(20, 70), "abcdefgh" * 7, strict=False)
    ]
    after, edits = changed(*texts)
    real = {value(text) for text in texts}
    new = [value(edit.fictive) for edit in edits]
    assert new
    assert not real & set(new)
    assert len(new) == len(set(new))
    assert len(after) == len(texts)
