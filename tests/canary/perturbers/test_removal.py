"""What is removed is gone everywhere, and what the text needs stays."""

import pytest

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.perturbers.perturb import perturb


def twin(*texts, seed=0):
    corpus = Corpus([Document(f"d{i}", text) for i, text in enumerate(texts)])
    return perturb(corpus, seed=seed, kinds=["unanswerable"])


@pytest.mark.parametrize(
    ("real", "said"), [("1871", "in 1871"), ("Anna Berg", "by Anna Berg"), ("14 metres", "14 metres long")]
)
def test_the_sentence_goes_and_nothing_else(real, said):
    text = f"Read on. Boats pay at the gate. The mole is {said}. Bring rope."
    for seed in range(40):
        made = twin(text, seed=seed)
        if made.edits and made.edits[0].real == real:
            ((place,),) = [edit.replacements for edit in made.edits]
            assert text[: place.start] + text[place.end :] == text.replace(f"The mole is {said}. ", "")
            return
    pytest.fail("never removed")


def test_all_sentences_of_a_fact_go_in_all_documents():
    made = twin(
        "Welcome to Skarn. The mole of Skarn was built on 4 May 1871. Bring rope. Boats pay at the gate. It rains here.",
        "Skarn has a harbour. Dogs stay on the lead. The mole of Skarn was built on 4 May 1871. Bring rope.",
    )
    (edit,) = [each for each in made.edits if each.real == "4 May 1871"]
    assert len(edit.replacements) == 2
    assert not any("1871" in document.text for document in made.fictive)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Ports.\n\n| Port | Boats |\n|---|---|\n| A | 120 |\n| B | 200 |\n| C | 30 |\n| Total | 350 |\n", "120"),
        ("Rules of Skarn hold.\n\n- Boats pay 14 euros a night.\n- Dogs stay on the lead.\n- Bring rope.\n", "14 euros"),
        ("Read on. The region of Tarvik has 1,187,300 inhabitants. Boats are slow. About 1.2 million inhabitants of Tarvik fish.", "1,187,300"),
        ("Read on. The mole was built by Anna Berg in 1871. Bring rope. Later Berg moved to Skarn.", "Anna Berg"),
    ],
)  # fmt: skip
def test_what_would_tell_it_or_need_it_is_no_removal(text, kept):
    for seed in range(3):
        assert kept in twin(text, seed=seed).fictive["d0"].text
