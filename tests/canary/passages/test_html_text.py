import time

import pytest

from trail_callbacks.canary.passages.html_text import looks_like_html, text_of_html


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<p>One</p><p>two</p>", "\nOne\n\ntwo\n"),
        ("a<b>4</b>0 <i>x</i>", "a40 x"),
        ("x<!-- <p>no</p> -->y", "xy"),
        ("x<script>if (a < b) { '</p>' }</script>y<style>p{}</style>z", "xyz"),
        ("caf&eacute; &amp; &#52;0 &unknown; &", "caf\u00e9 & 40 &unknown; &"),
        ("3 < 4 and 5 > 2, <name> stays?", "3 < 4 and 5 > 2,  stays?"),
        ("<table><tr><td>40</td><td>min</td></tr></table>", "\n\n\t40\t\tmin\t\n\n"),
        ("open <script>never ends", "open "),
        ("open <!-- never ends", "open "),
        ("a <", "a <"),
    ],
)
def test_what_a_page_shows(html, shown):
    text, offsets = text_of_html(html)
    assert text == shown
    assert len(offsets) == len(text)
    assert offsets == sorted(offsets)


def test_plain_text_is_no_html():
    assert looks_like_html("<p>x</p>")
    assert looks_like_html("x<br>y")
    for text in ("a < b > c", "<name> and <other>", "List<String> x;", ""):
        assert not looks_like_html(text)


@pytest.mark.parametrize("part", ["<", "<p ", "<script>", "<!--", "&", "&#", "<a b='", "</"])
def test_hostile_pages_take_linear_time(part):
    began = time.perf_counter()
    text_of_html(part * 60_000)
    looks_like_html(part * 60_000)
    assert time.perf_counter() - began < 5, "seconds; quadratic time would be minutes"
