"""Negation, modality, removal, inconsistency and nonce words."""

import pytest

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.perturbers.perturb import perturb


def corpus(*texts):
    return Corpus([Document(f"d{i}", text) for i, text in enumerate(texts)])


def twin(kind, *texts, seed=0):
    return perturb(corpus(*texts), seed=seed, kinds=[kind])


def texts(made):
    return [each.text for each in made.fictive]


@pytest.mark.parametrize(
    ("said", "denied"),
    [
        ("The museum is open on Sundays.", "The museum is not open on Sundays."),
        ("Visitors can bring their own lamp.", "Visitors cannot bring their own lamp."),
        ("The gate has been painted.", "The gate has not been painted."),
    ],
)
def test_a_plain_statement_is_denied_and_a_denial_affirmed(said, denied):
    beside = " Bring good shoes."
    for old, new in ((said, denied), (denied, said)):
        made = twin("negation", old + beside)
        (edit,) = made.edits
        assert [each.replace("  ", " ") for each in texts(made)] == [new + beside]
        assert edit.real in old
        assert edit.fictive in new


@pytest.mark.parametrize(
    "said",
    [
        "The museum, which is small, is open on Sundays.", "Is the museum open on Sundays?", "The price was 3 euros.",
        "Not only members are welcome here.", "If it rains, the museum is open.", "Das Museum ist am Sonntag offen.",
        "Do not cut the loaf at once.", "# The museum is open\n", "`museum is open.`", "\u535a\u7269\u9986\u5468\u65e5\u5f00\u653e\u3002",
    ],
)  # fmt: skip
def test_what_cannot_be_denied_in_one_place_is_left_alone(said):
    assert not twin("negation", said + " \n\nAnother word.").edits


def test_what_others_say_in_other_words_is_left_alone():
    made = twin(
        "negation", "The old museum is open on Sundays.", "On Sundays visitors find the old museum open until noon."
    )
    assert not made.edits
    assert any("in other words" in each.why for each in made.skipped)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("Members must register at the desk.", "Members may register at the desk."),
        ("Dogs are allowed on the beach.", "Dogs are forbidden on the beach."),
        ("The lift usually starts at noon.", "The lift rarely starts at noon."),
    ],
)
def test_a_modality_is_changed(said, other):
    made = twin("modality", f"{said} The harbour lies in the north.")
    assert texts(made) == [f"{other} The harbour lies in the north."]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("The tower of Skarn has 212 steps.", "too little would be left"),
        ("The tower of Skarn has 212 steps. Bring good shoes.", "introduces"),
        ("Go there. The tower of Skarn has 212 steps. It also has a bell.", "leans on it"),
        ("Read on. Values of -999 mark gaps. The file is long.", "no value by itself"),
        ("The town is old.\n\n| steps | town |\n|---|---|\n| 212 | Skarn |\n", "sentence of its own"),
    ],
)
def test_a_sentence_that_is_needed_stays(said, why):
    made = twin("unanswerable", said)
    assert not made.edits
    assert any(why in each.why for each in made.skipped)


def test_two_documents_disagree_on_two_fictive_values():
    made = twin(
        "inconsistent", "The crossing to Skarn takes 42 minutes.", "Allow for the crossing to Skarn, 42 minutes."
    )
    edit = next(each for each in made.edits if each.real == "42 minutes")
    one, other = texts(made)
    assert edit.fictive in one
    assert edit.also in other
    assert len({edit.real, edit.fictive, edit.also}) == 3


def test_a_nonce_word_stands_nowhere_else():
    made = twin("nonce", "We rowed to Skarn and came back.", "Skarn is a small town.")
    (edit,) = made.edits
    assert edit.size is None
    assert all(edit.fictive in text for text in texts(made))
    assert not any("Skarn" in text for text in texts(made))


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("The Alma is larger than the Berta.", "The Alma is smaller than the Berta."),
        ("Alma is the largest of them.", "Alma is the smallest of them."),
    ],
)
def test_an_order_is_turned_round(text, after):
    assert texts(twin("order", text)) == [after]
