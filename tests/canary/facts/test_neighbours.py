"""Documents about the same are told from those that share a common word."""

import random

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.facts.facts import facts
from trail_callbacks.canary.facts.neighbours import neighbours

SYLLABLES = [a + b for a in "bdfgklmnprst" for b in "aeiou"]


def word(rng):
    return "".join(rng.choice(SYLLABLES) for _ in range(3))


def corpus(subjects=40, pages=3):
    """Documents in groups with words of their own, beside words that all share."""
    rng = random.Random(4)  # noqa: S311 - no secret
    common = [word(rng) for _ in range(60)]
    documents = []
    for i in range(subjects):
        own = [word(rng) for _ in range(8)]
        for k in range(pages):
            said = [*rng.sample(common, 12), *rng.sample(own, 5)]
            documents.append(Document(f"{i}-{k}", f"The {' '.join(said)} takes 30 minutes."))
    return Corpus(documents)


def subject(id_):
    return id_.partition("-")[0]


def test_neighbours_have_the_same_subject():
    near = neighbours(corpus())
    found = [(page.document.id, other.document.id) for page, others in near.items() for other in others]
    right = [one for one, other in found if subject(one) == subject(other)]
    assert len(right) > 0.9 * len(found)
    assert len(set(right)) > 0.9 * len(near)


def test_an_equal_value_of_another_subject_is_another_fact():
    found = [{subject(figure.page.document.id) for figure in fact.figures} for fact in facts(corpus())]
    assert sum(len(each) > 1 for each in found) < 0.1 * len(found)
    assert len(found) < 60  # of 120 figures: those of one subject are joined


def test_two_documents_that_share_a_word_are_about_the_same():
    near = neighbours(Corpus([Document("a", "The Tarvik ferry."), Document("b", "A boat to Tarvik.")]))
    assert [len(others) for others in near.values()] == [1, 1]
