"""A twin's passage is not taken for real text because a word or number of it stands in the real one too."""

import pytest
from small_twins import twin_of

from trail_callbacks.canary import Corpus, Document, Edit, Replacement, Twin
from trail_callbacks.canary.passages.translation import Translator
from trail_callbacks.demo.town import chunks, town


def twin(real, fictive, old, new):
    start = real.index(old)
    edit = Edit(
        id="e1", kind="number", real=old, fictive=new, replacements=(Replacement("a", start, start + len(old), old, new),)
    )  # fmt: skip
    return Twin("t", 0, Corpus([Document("a", real)]), Corpus([Document("a", fictive)]), [edit])


@pytest.mark.parametrize(
    ("old", "new"),
    [("two", "thirty-two"), ("3.10", "310"), ("8", "48"), ("8", "18"), ("12", "7.12"), ("8", "81"), ("3", "3.5")],
)
def test_a_number_that_contains_the_real_one_is_not_the_real_one(old, new):
    said = "Entry to the old museum on the quay costs {} pounds for every child that comes."
    translator = Translator(twin(said.format(old), said.format(new), old, new))
    assert translator.real(said.format(new)) == ()
    assert translator.real(said.format(old)) == ("e1",)


@pytest.mark.parametrize("chunker", ["sentence", "paragraph", "500/100", "1000/200"])
def test_no_chunk_of_a_towns_twin_is_real_and_those_of_the_town_are(chunker):
    from trail_callbacks.canary.perturbers.perturb import perturb

    made = perturb(town())
    translator = Translator(made)
    for document in made.fictive:
        for html in (False, True):
            for chunk in chunks(document.text, chunker, html=html):
                assert translator.real(chunk) == (), chunk
    noticed = [bool(translator.real(chunk)) for each in made.real for chunk in chunks(each.text, chunker, html=False)]
    assert sum(noticed) > len(noticed) / 3


@pytest.mark.parametrize(("old", "new"), [("$75.00", "€75.00"), ("12 %", "12 ‰"), ("-5", "+5"), ("12 €", "12 £")])
def test_an_edit_of_a_symbol_is_told_by_the_symbol(old, new):
    said = "A fee of {} must be paid for the transfer of a certificate."
    twin = twin_of({"d": said.format(old)}, [("unit", old, new)])
    translator = Translator(twin)
    for spaced in (str, str.upper, lambda text: text.replace(" ", "\n  ")):
        assert translator.real(spaced(said.format(new))) == ()
        assert translator.real(spaced(said.format(old))) == ("unit-0",)
