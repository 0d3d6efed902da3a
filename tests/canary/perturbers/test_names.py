import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.canary import SIZES, Corpus, Document
from trail_callbacks.canary.perturbers.names import coined
from trail_callbacks.canary.perturbers.perturb import perturb


def corpus(*texts):
    return Corpus([Document(f"d{i}", text) for i, text in enumerate(texts)])


def changed(*texts, seed=0, sizes=("medium",)):
    twin = perturb(corpus(*texts), seed=seed, kinds=["name"], sizes=sizes)
    return twin, [each.text for each in twin.fictive]


BERG = (
    "The ferry was built by Anna Berg in 1932. Mrs Berg sold it later, and Berg's son kept the plans.",
    "Who was ANNA BERG? The museum keeps the letters of Anna Berg, and the Bergs still visit.",
)


def test_every_mention_of_a_name_changes_in_every_document():
    twin, texts = changed(*BERG)
    (edit,) = twin.edits
    first, last = edit.fictive.split()
    assert edit.real == "Anna Berg"
    assert texts == [
        f"The ferry was built by {first} {last} in 1932. Mrs {last} sold it later, and {last}'s son kept the plans.",
        f"Who was {first.upper()} {last.upper()}? The museum keeps the letters of {first} {last}, and the {last}s still visit.",
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("We wrote to Brennik, see https://brennik.example/x for more about Brennik.", "a link"),
        ("<a title='Skarn'>Go to Skarn.</a>", "a tag"),
        ("The people of Halden and the Haldener are proud of Halden.", "another form of it"),
        ("In \u65e5\u672c and at \u0418\u0432 we met nobody else.", None),
    ],
)
def test_a_name_that_cannot_be_changed_everywhere_is_left_alone(text, why):
    twin, (after,) = changed(text)
    assert after == text
    assert why is None or any(why in each.why for each in twin.skipped), twin.skipped


_NAMES = st.sampled_from(["Halvik", "Anna Berg", "Tom Berg", "Lake Orrin", "Selwyn Museum", "Czernik", "\u00c5sgard"])
_FRAMES = st.sampled_from(
    [
        "We met {} there.",
        "The harbour of {} is old.",
        "{}'s plan failed.",
        "Is {} open?",
        "<p>At {} it rains.</p>",
        "- near {}\n",
    ]
)


@given(st.lists(st.tuples(_NAMES, _FRAMES), min_size=1, max_size=8), st.integers(0, 5))
def test_no_word_of_a_changed_name_is_left(said, seed):
    texts = [frame.format(name) for name, frame in said]
    twin, made = changed(*texts, seed=seed, sizes=("small", "large"))
    for edit in twin.edits:
        for old in (each.old for each in edit.replacements):
            assert not any(old in text.replace("<p>", " ") for text in made)
    assert [
        each.text for each in perturb(corpus(*texts), seed=seed, kinds=["name"], sizes=("small", "large")).fictive
    ] == made


def test_a_sentence_does_not_join_names():
    twin, _ = changed("On 4 April the Hotel Zumvik ordered chairs. In Skarn the Regional Court of Ashmeer sat.")
    assert {edit.real for edit in twin.edits} == {"Hotel Zumvik", "Skarn", "Regional Court of Ashmeer"}


@pytest.mark.parametrize("word", ["Berg", "Thornbury", "Iglesias", "\u00d8rsted", "Yuki", "Ng"])
@pytest.mark.parametrize("size", SIZES)
def test_a_coined_word_has_the_length_of_no_common_word_and_is_the_same_for_a_seed(word, size):
    for seed in range(50):
        found = coined(word, size, random.Random(seed), lambda _: False)  # noqa: S311 - no secret
        assert found == coined(word, size, random.Random(seed), lambda _: False)  # noqa: S311
        assert len(found) >= 6
        assert found.istitle()
        assert found != word
        assert (found[0] == word[0]) is (size == "small")
