from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.text import fingerprint, forms, locate, sentences, words

any_text = st.text(st.characters(codec="utf-8"), max_size=200)


@given(any_text)
def test_sentences_are_verbatim_ordered_and_lose_no_word(text):
    found = sentences(text)
    at = 0
    for sentence in found:
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.start >= at
        assert sentence.text == sentence.text.strip() != ""
        at = sentence.end
    assert "".join("".join(s.text.split()) for s in found) == "".join(text.split())


@given(any_text)
def test_words_have_true_offsets_and_forms_agrees(text):
    found = words(text)
    assert forms(text) == found.forms
    assert len(found.starts) == len(found.ends) == len(found)
    if "\\" not in text:
        assert all(text[s:e].casefold() == f for f, s, e in zip(found.forms, found.starts, found.ends, strict=True))


@given(any_text, any_text, any_text)
def test_a_quote_that_stands_there_is_located(before, quote, after):
    span = locate(quote, before + quote + after)
    assert (span is None) == (not quote)
    if span:
        assert (before + quote + after)[slice(*span)] == quote


def test_a_quote_is_located_in_spite_of_blanks_case_and_punctuation():
    text = 'He said:  "The Mill,\nbuilt in 1703, stands."'
    start, end = locate("the mill built in 1703 stands", text)
    assert text[start:end] == "The Mill,\nbuilt in 1703, stands"


def test_a_quote_is_located_in_spite_of_characters_that_are_not_seen():
    text = "Ja. Die Ver\u00adsiche\u00adrung gilt\u200b ab\u2060 3. Mai."
    assert text[slice(*locate("Versicherung gilt ab", text))] == "Ver\u00adsiche\u00adrung gilt\u200b ab"
    assert locate("Ja. Die Versiche\u00adrung", text, 1) is None


def test_lines_and_scripts_split_into_sentences():
    assert [s.text for s in sentences("- first item\n- second item. She came.")] == [
        "- first item",
        "- second item.",
        "She came.",
    ]
    assert [s.text for s in sentences("他来了。他走了。")] == ["他来了。", "他走了。"]
    assert [s.text for s in sentences("यह है। वह था।")] == ["यह है।", "वह था।"]


@given(
    st.lists(st.sampled_from("abcdefghij"), min_size=12, max_size=12),
    st.lists(st.sampled_from("klmnop")),
    st.lists(st.sampled_from("klmnop")),
)
def test_texts_that_share_twelve_words_share_a_fingerprint(shared, before, after):
    assert set(fingerprint([*before, *shared])) & set(fingerprint([*shared, *after]))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The train runs at 300 km/h. The bridge is 40 m. It opened in 1904.", 3),
        ("利用者は増えました。2025年度は20万人です\uff013割は市外からです。", 3),
        ("It weighs 5 kg. The next one is lighter.", 2),
        ("It opens at 5 p.m. and closes late.", 1),
        ("Write to anna.k@nordline.no. Express takes two days.", 2),
        ("See https://nordline.no/a/b. Express takes two days.", 2),
        ("See www.nordline.no. \u00c9tienne helps.", 2),
    ],
)
def test_a_unit_or_address_at_the_end_of_a_sentence_ends_it(text, count):
    assert len(sentences(text)) == count


@pytest.mark.parametrize(
    ("own", "text"),
    [
        ("de", "Der Vertrag endete am 3. Oktober 1990.|Danach wurde gebaut."),
        ("de", "Im 19. Jahrhundert war sie zu.|Danach wurde gebaut."),
        ("fr", "Ouvert le 1er. janvier 1990.|Puis il ferma."),
        ("es", "Abrió el 3. de octubre de 1990.|Luego cerró."),
        ("cs", "Stalo se to 3. října 1990.|Pak přišel."),
        ("fi", "Se avattiin 3. lokakuuta 1990.|Sitten tuli."),
        ("da", "Den åbnede den 3. oktober 1990.|Så kom han."),
        ("hu", "Az 1990. október 3. napján nyílt meg.|Aztán jött."),
        ("tr", "3. Ekim'de bitti.|Sonra geldi."),
        ("ru", "Мост открыли 3. октября 1990.|Потом он закрылся."),
        ("nl", "De brug (gebouwd in jan. 1990) Nee. (januari 2024) Nee."),
        ("en", "1. Foo is good.|2. Bar is bad."),
        ("en", "See Vol. 3 of the set.|Stir the tea.|2 Add milk."),
        ("en", "It seats 40.|October is quiet."),
        ("en", "It opened in 1990.|Then it closed."),
    ],
)
def test_a_full_stop_behind_a_number_or_an_abbreviation_ends_only_a_whole_sentence(own, text):
    for language in {"en", own}:
        assert "|".join(s.text for s in sentences(text.replace("|", " "), language)) == text
