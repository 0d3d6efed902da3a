"""Sentences of other languages and around abbreviations; closing marks and citations stay with their sentence."""

import pytest

from trail_callbacks.claims import split

LANGUAGES = [
    (
        "Am 3. Mai kam z. B. Herr Dr. Kim. Das ist ca. 5 km weit.",
        ["Am 3. Mai kam z. B. Herr Dr. Kim.", "Das ist ca. 5 km weit."],
    ),
    (
        "El Sr. Pérez vive en EE. UU. desde 1990. Es la casa núm. 5.",
        ["El Sr. Pérez vive en EE. UU. desde 1990.", "Es la casa núm. 5."],
    ),
    (
        "M. Dupont est à Paris. C'est p. ex. bien. Il est dans la ville.",
        ["M. Dupont est à Paris.", "C'est p. ex. bien.", "Il est dans la ville."],
    ),
    (
        "Il sig. Rossi è a Roma. La casa di S. Pietro non è grande.",
        ["Il sig. Rossi è a Roma.", "La casa di S. Pietro non è grande."],
    ),
    ("A Dra. Ana não mora em Lisboa. O livro é da pág. 5.", ["A Dra. Ana não mora em Lisboa.", "O livro é da pág. 5."]),
    (
        "Dhr. Jansen woont in het dorp. De molen is d.w.z. klein.",
        ["Dhr. Jansen woont in het dorp.", "De molen is d.w.z. klein."],
    ),
    ("塔高330米。它很旧\uff01", ["塔高330米。", "它很旧\uff01"]),
    ("塔は330メートルです。古いです。", ["塔は330メートルです。", "古いです。"]),
    ("البرج طويل. انتهى العمل؛ البرج قديم.", ["البرج طويل.", "انتهى العمل", "البرج قديم."]),
    ("डॉ. शर्मा आए। मीनार ऊँची है।", ["डॉ. शर्मा आए।", "मीनार ऊँची है।"]),
    (
        "Der Turm ist hoch, und die Stadt ist groß; der Fluss ist tief.",
        ["Der Turm ist hoch, und die Stadt ist groß; der Fluss ist tief."],
    ),
    (
        "Die Firma wurde 1990 gegründet und was sold and has 3 shops.",
        ["Die Firma wurde 1990 gegründet und was sold and has 3 shops."],
    ),
]

MARKS = [
    ("The mill is old.[1] The dam is new. (Passage 2)", ["The mill is old.[1]", "The dam is new. (Passage 2)"]),
    ("**The mill is old.** The dam is new.", ["**The mill is old.**", "The dam is new."]),
    ("It weighs approx. 5 kg. It is old ... and red.", ["It weighs approx. 5 kg.", "It is old ... and red."]),
]


@pytest.mark.parametrize(("answer", "claims"), LANGUAGES, ids=lambda value: value if isinstance(value, str) else "")
def test_sentences_of_many_languages(answer, claims):
    assert [claim.text for claim in split(answer)] == claims


@pytest.mark.parametrize(("answer", "quotes"), MARKS, ids=lambda value: value if isinstance(value, str) else "")
def test_what_closes_a_sentence_stays_with_it(answer, quotes):
    assert [claim.quote for claim in split(answer)] == quotes
