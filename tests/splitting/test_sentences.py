"""Sentences of other languages and around abbreviations; closing marks and citations stay with their sentence."""

import pytest

from trail_callbacks.claims import split

LANGUAGES = [
    "Am 3. Mai kam z. B. Herr Dr. Kim.|Das ist ca. 5 km weit.",
    "El Sr. P\u00e9rez vive en EE. UU. desde 1990.|Es la casa n\u00fam. 5.",
    "M. Dupont est \u00e0 Paris.|C'est p. ex. bien.",
    "Il sig. Rossi \u00e8 a Roma.|La casa di S. Pietro non \u00e8 grande.",
    "A Dra. Ana n\u00e3o mora em Lisboa.|O livro \u00e9 da p\u00e1g. 5.",
    "Dhr. Jansen woont in het dorp.|De molen is d.w.z. klein.",
    "\u5854\u9ad8330\u7c73\u3002|\u5b83\u5f88\u65e7\uff01",
    "\u5854\u306f330\u30e1\u30fc\u30c8\u30eb\u3067\u3059\u3002|\u53e4\u3044\u3067\u3059\u3002",
    "\u0627\u0644\u0628\u0631\u062c \u0637\u0648\u064a\u0644.|\u0627\u0644\u0628\u0631\u062c \u0642\u062f\u064a\u0645.",
    "\u0921\u0949. \u0936\u0930\u094d\u092e\u093e \u0906\u090f\u0964|\u092e\u0940\u0928\u093e\u0930 \u090a\u0901\u091a\u0940 \u0939\u0948\u0964",
    "Der Turm ist hoch, und die Stadt ist gro\u00df; der Fluss ist tief.",
]

MARKS = [
    ("The mill is old.[1] The dam is new. (Passage 2)", ["The mill is old.[1]", "The dam is new. (Passage 2)"]),
    ("**The mill is old.** The dam is new.", ["**The mill is old.**", "The dam is new."]),
    ("It weighs approx. 5 kg. It is old ... and red.", ["It weighs approx. 5 kg.", "It is old ... and red."]),
]


@pytest.mark.parametrize("text", LANGUAGES)
def test_sentences_of_many_languages(text):
    joint = " " if text.isascii() or text[0] < "\u3000" else ""
    assert [claim.text for claim in split(joint.join(text.split("|")))] == text.split("|")


@pytest.mark.parametrize(("answer", "quotes"), MARKS, ids=lambda value: value if isinstance(value, str) else "")
def test_what_closes_a_sentence_stays_with_it(answer, quotes):
    assert [claim.quote for claim in split(answer)] == quotes
