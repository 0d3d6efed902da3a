import time

import pytest

from trail_callbacks.canary.passages.places import letters, looks_like_html, shown, text_of_html


@pytest.mark.parametrize(
    ("html", "seen"),
    [
        ("<p>One</p><p>two</p>", "\nOne\n\ntwo\n"),
        ("a<b>4</b>0 <i>x</i>", "a40 x"),
        ("x<!-- <p>no</p> -->y", "xy"),
        ("x<script>if (a < b) { '</p>' }</script>y<style>p{}</style>z", "xyz"),
        ("caf&eacute; &amp; &#52;0 &unknown; &", "caf\u00e9 & 40 &unknown; &"),
        ("3 < 4 and 5 > 2, <name> stays?", "3 < 4 and 5 > 2,  stays?"),
        ("<table><tr><td>40</td><td>min</td></tr></table>", "\n\n\t40\t\tmin\t\n\n"),
        ("open <script>never ends", "open "),
    ],
)
def test_what_a_page_shows(html, seen):
    text, offsets = text_of_html(html)
    assert text == seen
    assert len(offsets) == len(text)
    assert offsets == sorted(offsets)


@pytest.mark.parametrize("part", ["<", "<p ", "<script>", "<!--", "&", "&#", "<a b='", "</"])
def test_hostile_pages_take_linear_time(part):
    began = time.perf_counter()
    text_of_html(part * 60_000)
    looks_like_html(part * 60_000)
    assert time.perf_counter() - began < 5, "seconds; quadratic time would be minutes"


def test_only_letters_and_digits_remain_and_know_their_place():
    text = "Caf\u00e9 \ufb01ve: 40\u00a0min, STRASSE\u2014stra\u00dfe \uff14\u00b2"
    found = letters(text)
    assert found.folded == "cafefive40minstrassestrasse42"
    assert [text[i] for i in found.offsets[:6]] == ["C", "a", "f", "\u00e9", "\ufb01", "\ufb01"]
    assert len(found.folded) == len(found.offsets)
    assert found.between(5, 6) == (4, 6), "a ligature is two letters"


def test_letters_of_a_page_have_their_offset_in_the_page():
    page = "<p>Caf&eacute; <b>4</b>0&nbsp;min</p>"
    found = shown(page)
    assert found.folded == "cafe40min"
    assert page[found.offsets[3] :].startswith("&eacute;")
    assert page[found.offsets[5]] == "0"
