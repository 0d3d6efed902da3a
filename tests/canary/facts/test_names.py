import pytest

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.facts.names import Names


def names(*texts):
    return Names(Corpus([Document(f"d{i}", text) for i, text in enumerate(texts)]))


def full(*texts):
    return {each.full for each in names(*texts).found}


def refused(*texts):
    return {word: why for _, word, why in names(*texts).refused}


def test_mentions_are_whole_words_with_their_ending():
    (name,) = names(
        "We met Ann Skarn. It was an Annual report, and Skarn's ANN SKARN.", "In the Skarns\u2019 house."
    ).found
    written = [(each.written, each.ending) for word in name.words for each in name.mentions[word]]
    assert sorted(written) == [
        ("ANN", ""), ("Ann", ""), ("SKARN", ""), ("Skarn", ""), ("Skarn", ""), ("Skarns", "s"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("We love Portugal. The Portuguese coast of Portugal is long.", "Portugal"),
        ("We met Halden and the Haldener.", "Halden"),
        ("We saw Jose\u0301 in Lima.", "Jose"),
    ],
)
def test_names_with_other_forms_are_refused(text, word):
    assert word in refused(text)
    assert word not in full(text)


@pytest.mark.parametrize(
    "text", ["<a title='Skarn'>Go to Skarn.</a>", "Go to Skarn at skarn@example.org.", "Go to Skarn: `Skarn = 1`."]
)
def test_names_in_markup_addresses_and_code_are_refused(text):
    assert "Skarn" in refused(text)
    assert full(text) == set()
