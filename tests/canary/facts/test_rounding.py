"""A rounded restatement changes with what it rounds."""

import re

import pytest

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.facts.pages import pages
from trail_callbacks.canary.facts.relations import relations
from trail_callbacks.canary.perturbers.perturb import perturb

EXACT = "The region of Tarvik has 1,187,300 inhabitants."


def corpus(*texts):
    return Corpus([Document(f"d{i}", text) for i, text in enumerate(texts)])


def restated(*texts):
    made = corpus(*texts)
    return relations(made).touching([each for page in pages(made) for each in page.figures])


def millions(twin):
    """The rounded number of the twin, and the exact one, both in millions."""
    text = " ".join(document.text for document in twin.fictive)
    return float(re.search(r"([\d.]+) million", text)[1]), float(
        re.search(r"\d+(?:,\d+)+", text)[0].replace(",", "")
    ) / 1e6


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("said", "true"),
    [
        ("About 1.2 million inhabitants of Tarvik", lambda rounded, exact: abs(rounded - exact) <= 0.05),
        ("The 1.2 million inhabitants of the region of Tarvik", lambda rounded, exact: abs(rounded - exact) <= 0.05),
        ("Nearly 1.2 million inhabitants of Tarvik", lambda rounded, exact: 0 < rounded - exact <= 0.1),
        ("More than 1.1 million inhabitants of Tarvik", lambda rounded, exact: 0 < exact - rounded <= 0.1),
    ],
)
def test_a_rounded_number_is_rounded_anew(said, true, seed):
    for texts in ((f"{EXACT} {said} live on the coast.",), (EXACT, f"{said} live on the coast.")):
        twin = perturb(corpus(*texts), seed=seed, kinds=["number"])
        assert [edit.real for edit in twin.edits] == ["1,187,300 inhabitants"]
        assert [len(edit.repairs) for edit in twin.edits] == [1]
        assert true(*millions(twin))


@pytest.mark.parametrize(
    "text",
    [
        "The boat has 38 seats. About 40 cars fit on the ferry of Tarvik.",  # of something else
        "The boat has 38 seats. Some 60 seats are on the other boat.",  # too far
        "The boat has 38 seats. The other boat has 40 seats.",  # not said to be rounded, and 5 % apart
        "The boat weighs 1.19 t, and about 1.2 million boats are afloat.",
    ],
)
def test_what_only_looks_alike_is_left_apart(text):
    assert not restated(text)
