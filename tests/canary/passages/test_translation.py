"""Passages of the corpus as the twin has them, however they were cut, cleaned and named."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_twins import FERRY, MUSEUM, small, twin_of

from trail_callbacks.canary import TAG, Corpus, Document, Edit, Replacement, Twin
from trail_callbacks.canary.passages.translation import Translator, translator_of
from trail_callbacks.canary.perturbers.perturb import perturb
from trail_callbacks.demo.town import chunks, town

REAL_WORDS = ("Lorne", "40 min", "12.50", "Dogs", "68", "2,400")


@pytest.fixture(scope="module")
def translator():
    return Translator(small())


@pytest.mark.parametrize("name", ["ferry.md", None])
@pytest.mark.parametrize(
    ("passage", "fictive"),
    [
        (FERRY[:49], "The ferry to Garvane takes 53 minutes to cross the "),
        ("ferry to Lorne takes 40 minutes", "ferry to Garvane takes 53 minutes"),
        ("THE FERRY  to\nlorne takes\t40\nminutes to cross", "THE FERRY  to\nGarvane takes\t53 minutes to cross"),
        ("cross the bay. Dogs travel free of charge on the lower deck. A ticket", "cross the bay. A ticket"),
        ("A ticket costs € 12.50 in summer", "A ticket costs €9.75 in summer"),
        ("ferry to Lorne takes 40", "ferry to Garvane takes 53"),  # the border runs through the value
        ("minutes to cross the bay.", "minutes to cross the bay."),
        ("in summer.", "in summer."),
        ("Lorne guide | The ferry to Lorne takes 40 minutes to cross", "Garvane guide | The ferry to Garvane takes 53 minutes to cross"),
    ],
)  # fmt: skip
def test_a_passage_says_what_the_twin_says(translator, passage, fictive, name):
    assert translator.fictive(passage, name) == fictive


@pytest.mark.parametrize("name", ["museum.html", None])
@pytest.mark.parametrize(
    ("passage", "fictive"),
    [
        ("It opened in 1968 & holds 2,400\u00a0paintings", "It opened in 1975 & holds 3,100\u00a0paintings"),
        ("The museum\nIt opened in 1968 & holds 2,400paintings by", "The museum\nIt opened in 1975 & holds 3,100paintings by"),
        ("It opened in **1968** & holds _2,400_ paintings", "It opened in **1975** & holds _3,100_ paintings"),
        ("<p>It opened in <b>19</b>68 &amp; holds", "<p>It opened in 1975 &amp; holds"),
        (MUSEUM, MUSEUM.replace("<b>19</b>68", "1975").replace("2,400", "3,100")),
    ],
)  # fmt: skip
def test_html_may_be_kept_or_stripped(translator, passage, fictive, name):
    assert translator.fictive(passage, name) == fictive


def test_a_word_that_the_border_cuts_through_is_shown_on_neither_side(translator):
    assert translator.fictive("ferry to Lorne takes 4", "ferry.md") == "ferry to Garvane takes "
    assert translator.fictive("0 minutes to cross the bay", "ferry.md").strip() == "minutes to cross the bay"
    assert translator.fictive("rne takes 40 minutes to cross", "ferry.md").strip() == "takes 53 minutes to cross"


@pytest.mark.parametrize(
    ("passage", "name"),
    [
        ("40 minutes", None),  # a cell of a table
        ("It takes 40 minutes.", None),
        ("Crossing the bay with the ferry takes about 40 minutes.", None),  # rewritten
        ("Summary: how long it takes, what it costs, who may come.", "ferry.md"),
        ("Costs: €12.50. The ferry takes a while to cross the bay, so bring a book.", "ferry.md"),
    ],
)
def test_what_states_an_edited_fact_and_has_no_place_is_not_served(translator, passage, name):
    assert translator.fictive(passage, name) is None


@pytest.mark.parametrize(
    "passage",
    [
        "Whales breathe air and dive for an hour.",
        "Cooking this pasta takes 40 minutes at most, say the chefs of the town.",  # another fact of the same length
        "",
        "   \n",
        "!?",
    ],
)
def test_a_passage_of_another_corpus_stays_as_it_is(translator, passage):
    assert translator.fictive(passage) == passage
    assert translator.made_up(passage) is None


def test_what_the_twin_already_says_stays_and_shows_no_real_words(translator):
    twin = translator.twin
    for document in twin.fictive:
        assert translator.fictive(document.text, document.id) == document.text
        assert translator.real(document.text) == ()
    assert set(translator.real(FERRY)) == {"number-0", "name-1", "number-2", "unanswerable-3"}
    assert set(
        translator.real("The guide says: The museum. It opened in 1968 & holds 2,400 paintings by Dutch masters.")
    ) == {"date-4", "number-5"}


def test_passages_that_disagree_are_told_apart_by_their_document():
    text = "The tower is 80 metres high and stands in the park."
    real = Corpus([Document("a", text), Document("b", text)])
    places = [Replacement("a", 13, 22, "80 metres", "91 metres"), Replacement("b", 13, 22, "80 metres", "67 metres")]
    edit = Edit(
        id="i", kind="inconsistent", real="80 metres", fictive="91 metres", also="67 metres", replacements=places
    )
    changed = Corpus([Document("a", text.replace("80", "91")), Document("b", text.replace("80", "67"))])
    translator = Translator(Twin(id="t", seed=0, real=real, fictive=changed, edits=[edit]))
    assert translator.fictive(text, "a") == text.replace("80", "91")
    assert translator.fictive(text, "b") == text.replace("80", "67")
    assert translator.passage(text).text == text.replace("80", "91")


def test_metadata_is_translated_where_it_has_text(translator):
    metadata = {
        "source": "ferry.md",
        "title": "The Lorne ferry",
        "window": "The ferry to Lorne takes 40 minutes to cross the bay.",
        "summary": "It takes 40 minutes.",
        "deep": [{"text": "ferry to Lorne takes 40 minutes"}],
        "page": 3,
    }
    before = repr(metadata)
    found = translator.metadata(metadata, ["ferry.md"])
    assert found == {
        "source": "ferry.md",
        "title": "The Garvane ferry",
        "window": "The ferry to Garvane takes 53 minutes to cross the bay.",
        "summary": "",
        "deep": [{"text": "ferry to Garvane takes 53 minutes"}],
        "page": 3,
        TAG: "t1",
    }
    assert repr(metadata) == before


WORDS = st.lists(
    st.sampled_from(["the", "ferry", "bay", "deck", "winter", "of", "to", "takes", "and", "crosses"]),
    min_size=3,
    max_size=9,
)


@st.composite
def cut(draw):
    """A document of words with unique values in between, and a passage cut out anywhere."""
    parts, values = [], []
    for i in range(draw(st.integers(1, 5))):
        parts += draw(WORDS)
        values.append(
            (f"qx{i}zz w{i}k", draw(st.sampled_from([f"new{i} word{i}", f"one{i}", f"three{i} words{i} here{i}", ""])))
        )
        parts.append(values[-1][0])
    text = " ".join((*parts, *draw(WORDS)))
    start = draw(st.integers(0, len(text) - 1))
    return text, values, start, draw(st.integers(start + 1, len(text)))


@given(cut(), st.booleans(), st.booleans())
def test_no_real_value_and_no_half_of_one_leaks_wherever_a_passage_is_cut(made, named, mangled):
    text, values, start, end = made
    twin = twin_of({"d": text}, [("number", old, new) for old, new in values])
    passage = text[start:end]
    given_ = passage.replace(" ", " \n") if mangled else passage
    fictive = Translator(twin).fictive(given_, "d" if named else None)
    if fictive is None:
        return  # too short to be placed
    for old, _ in values:
        for word in old.split():
            assert word not in fictive
            if named:
                assert not any(fictive.strip().startswith(word[i:]) for i in range(1, len(word) - 2)), "half of a word"
    inside = [(old, new) for old, new in values if old in passage]
    assert all(new.split()[0] in fictive for _, new in inside if new)


def test_threads_share_one_translator():
    twin = small()
    translator = translator_of(twin)
    assert translator_of(twin) is translator
    assert translator_of(small()) is not translator
    wrong = []

    def work(i):
        for n in range(200):
            end = 30 + (i + n) % 100
            found = translator.fictive(FERRY[:end])
            if found is None or any(word in found for word in REAL_WORDS):
                wrong.append((end, found))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("two", "thirty-two"), ("3.10", "310"), ("8", "48"), ("8", "18"), ("12", "7.12"), ("8", "81"), ("3", "3.5")],
)
def test_a_number_that_contains_the_real_one_is_not_the_real_one(old, new):
    said = "Entry to the old museum on the quay costs {} pounds for every child that comes."
    translator = Translator(twin_of({"a": said.format(old)}, [("number", old, new)]))
    assert translator.real(said.format(new)) == ()
    assert translator.real(said.format(old)) == ("number-0",)


@pytest.mark.parametrize("chunker", ["sentence", "paragraph", "500/100", "1000/200"])
def test_no_chunk_of_a_towns_twin_is_real_and_those_of_the_town_are(chunker):
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
