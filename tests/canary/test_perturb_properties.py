"""Whatever the texts are: the log makes the twin, nothing else changes, and no two replacements overlap."""

from hypothesis import given, settings
from hypothesis import strategies as st

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.perturbers.perturb import perturb

_PARTS = """40 minutes|forty minutes|$1,200.50|3.000,50 €|12 adults|28 children|40 in total|(30 %)|from 1990 to 1995|4 March 2020|
    Wednesday, March 4, 2020|2020-03-04|9:30 a.m.|17:30 Uhr|is larger than|first and second|40 km (25 miles)|\u0664\u0660 دقيقة|约40公里|
    בשנת 2019|\u202b40\u202c|```|`x = 4`|<b a="4">|| Port | 12 ||\n|, |. |; |\t|\u0000|\ud800|5 feet 8 inches|1/2|½|-12 °C|
    https://a.example/40|section 3.2|1. |Skogholm|Anna Berg|2019/20|99,5|1 000 000|half|a dozen|1e9|\u0663\u066b\u0665|\U0001d7dc\U0001d7d8 km|e\u0301 8"""
PARTS = st.sampled_from(_PARTS.split("|"))
TEXTS = st.lists(st.one_of(PARTS, st.text(max_size=12)), max_size=14).map(" ".join)


@settings(max_examples=150)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(0, 3))
def test_the_log_makes_the_twin(texts, seed):
    corpus = Corpus([Document(str(i), text) for i, text in enumerate((*texts, "It takes 40 minutes."))])
    twin = perturb(corpus, seed=seed)
    assert [document.id for document in twin.fictive] == [document.id for document in corpus]
    for real, fictive in zip(corpus, twin.fictive, strict=True):
        places = sorted(
            (each for edit in twin.edits for each in edit.replacements if each.document == real.id),
            key=lambda each: each.start,
        )
        at, after = 0, 0
        for each in places:
            assert at <= each.start < each.end
            assert real.text[each.start : each.end] == each.old != each.new
            kept = real.text[at : each.start]
            assert fictive.text[after : after + len(kept) + len(each.new)] == kept + each.new
            at, after = each.end, after + len(kept) + len(each.new)
        assert fictive.text[after:] == real.text[at:]
    for edit in twin.edits:
        assert edit.real != edit.fictive
        assert all(0 <= i < len(edit.replacements) for i in edit.repairs)
        assert len(edit.repairs) < len(edit.replacements)
    assert perturb(corpus, seed=seed).edits == twin.edits
