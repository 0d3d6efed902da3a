"""What is removed is gone everywhere, and what the text needs stays."""

import pytest

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.perturbers.perturb import perturb

TABLE = "The harbour of Skarn lists its quays.\n\n| Quay | Depth |\n|---|---|\n| North | 7 m |\n| South | 9 m |\n| East | 12 m |\n"
HTML = (
    "<p>The harbour lists its quays.</p><table><tr><th>Quay</th><th>Depth</th></tr>"
    "<tr><td>North</td><td>7 m</td></tr><tr><td>South</td><td>9 m</td></tr></table>"
)
LIST = "The harbour of Skarn has these rules.\n\n- Boats pay 14 euros a night.\n- Dogs stay on the lead.\n- Silence begins at ten.\n"


def twin(*texts, seed=0):
    corpus = Corpus([Document(f"d{i}", text) for i, text in enumerate(texts)])
    return perturb(corpus, seed=seed, kinds=["unanswerable"])


def removed(made):
    return {edit.real: [each.old for each in edit.replacements] for edit in made.edits}


def text_without(text, real, *others):
    """The text with one fact removed, by the first seed that removes it first."""
    for seed in range(40):
        made = twin(text, *others, seed=seed)
        if made.edits and made.edits[0].real == real:
            (place,) = [each for each in made.edits[0].replacements if each.document == "d0"]
            return text[: place.start] + text[place.end :]
    return None


@pytest.mark.parametrize(
    ("text", "real", "gone"),
    [
        (TABLE, "9 m", "| South | 9 m |\n"),
        ("quay,depth\nNorth,7 m\nSouth,9 m\nEast,12 m\n", "9 m", "South,9 m\n"),
        (TABLE.rstrip("\n"), "12 m", "\n| East | 12 m |"),
        (HTML, "9 m", "<tr><td>South</td><td>9 m</td></tr>"),
        (LIST, "14 euros", "- Boats pay 14 euros a night.\n"),
        (
            "Read on. Boats pay at the gate. The mole was built in 1871. Bring rope.",
            "1871",
            "The mole was built in 1871. ",
        ),
        (
            "Read on. Boats pay at the gate. The mole was built by Anna Berg. Bring rope.",
            "Anna Berg",
            "The mole was built by Anna Berg. ",
        ),
    ],
)
def test_the_statement_goes_and_nothing_else(text, real, gone):
    assert text_without(text, real) == text.replace(gone, "")


def test_all_statements_of_a_fact_go_in_all_documents():
    texts = (
        "Welcome to Skarn. The mole of Skarn was built on 4 May 1871. Bring rope. Boats pay at the gate. It rains here.",
        "Skarn has a harbour.\n\n- The mole of Skarn was built on 4 May 1871.\n- Dogs stay on the lead.\n- Bring rope.\n",
    )
    made = twin(*texts)
    assert "4 May 1871" in removed(made)
    assert len(removed(made)["4 May 1871"]) == 2
    assert not any("1871" in document.text for document in made.fictive)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Ports.\n\n| Port | Boats |\n|---|---|\n| A | 120 |\n| B | 200 |\n| C | 30 |\n| Total | 350 |\n", "120"),
        ("Read on. The region of Tarvik has 1,187,300 inhabitants. Boats are slow. About 1.2 million inhabitants of Tarvik fish.", "1,187,300"),
        ("Steps:\n\n1. Boil 3 litres of water.\n2. Add the salt.\n3. Stir.\n", "3 litres"),
        ("Read on. The mole was built by Anna Berg in 1871. Bring rope. Later Berg moved to Skarn.", "Anna Berg"),
    ],
)  # fmt: skip
def test_what_would_tell_it_or_need_it_is_no_removal(text, kept):
    for seed in range(3):
        assert kept in twin(text, seed=seed).fictive["d0"].text
