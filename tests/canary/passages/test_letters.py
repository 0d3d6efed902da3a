from trail_callbacks.canary.passages.letters import letters, letters_of_html


def test_only_letters_and_digits_remain_and_know_their_place():
    text = "Caf\u00e9 \ufb01ve: 40\u00a0min, STRASSE\u2014stra\u00dfe \uff14\u00b2"
    found = letters(text)
    assert found.folded == "cafefive40minstrassestrasse42"
    assert [text[i] for i in found.offsets[:6]] == ["C", "a", "f", "\u00e9", "\ufb01", "\ufb01"]
    assert len(found.folded) == len(found.offsets)
    assert found.between(5, 6) == (4, 6), "a ligature is two letters"


def test_composed_and_decomposed_letters_are_the_same():
    assert letters("cafe\u0301").folded == letters("caf\u00e9").folded == letters("CAFE").folded


def test_letters_of_a_page_have_their_offset_in_the_page():
    page = "<p>Caf&eacute; <b>4</b>0&nbsp;min</p>"
    found = letters_of_html(page)
    assert found.folded == "cafe40min"
    assert page[found.offsets[3] :].startswith("&eacute;")
    assert page[found.offsets[5]] == "0"
