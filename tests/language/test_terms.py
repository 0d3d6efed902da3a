"""Words as a matcher sees them: stems, function words, names, numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.language.terms import keys, stem, terms


@pytest.mark.parametrize(
    "forms",
    [
        "make makes making", "carry carries carried carrying", "stop stops stopped stopping", "build built builds building",
        "go went gone", "tower towers", "child children", "city cities", "die died death",
    ],
)  # fmt: skip
def test_forms_of_a_word_share_a_stem(forms):
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("pair", ["bus bug", "the then", "glass gas", "egg eg", "analysis analyse"])
def test_different_words_do_not(pair):
    one, other = pair.split()
    assert stem(one) != stem(other)


def kinds(text):
    return {term.form: term.kind for term in terms(text)}


def test_kinds_of_words():
    found = kinds("The mill in Oslo was sold to Tarn Ltd for 1,200 dollars.")
    assert found["oslo"] == found["tarn"] == found["ltd"] == "name"
    assert found["the"] == found["was"] == "function"
    assert found["mill"] == found["dollars"] == "word"
    assert found["1,200"] == "number"


@pytest.mark.parametrize(
    "text", ["Halden Bridge Opens After Long Delays", "THE ANNUAL REPORT OF THE GROUP", "Towers are tall."]
)
def test_capitals_of_headlines_and_first_words_make_no_names(text):
    assert "name" not in kinds(text).values()


def test_scripts_without_spaces_give_pairs():
    assert [term.form for term in terms("塔很高")] == ["塔很", "很高"]


def test_keys_leave_function_words_and_separators_out():
    assert keys("The mill's 1,200 towers were three.") == [stem("mill"), "1200", stem("towers"), "3"]


@given(st.text(max_size=200))
def test_offsets_are_those_of_the_text(text):
    for term in terms(text):
        assert 0 <= term.start < term.end <= len(text)
        assert text[term.start : term.end].strip()
